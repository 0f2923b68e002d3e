import { splitTemplate } from "../expansion/split-template.ts";
import type { AgentFile } from "./agent-file.ts";

/** Keys whose values go to a model's endpoint with `$NAME` and `${NAME}` expanded. */
const SHORT_FORM_KEYS: readonly string[] = ["model", "models", "compaction_model", "base_url"];
const SHORT_FORM = /\$\{?(?:env\.)?([A-Za-z_]\w*)/g;

/**
 * The variables that an agent file reads, wherever and however it names them: what counts is what expansion will see,
 * not how the file spells it. Those in a toolset's `env` are left to whoever shows that whole.
 */
export function readVariables({ document, agents }: Pick<AgentFile, "document" | "agents">): string[] {
  const names = new Set<string>();
  // Instructions may have come from files beside this one.
  for (const { key, text } of textsIn([document.value, agents.map(({ instruction }) => instruction)])) {
    for (const part of splitTemplate(text)) if (part.kind === "expression") addVariables(part.expression, names);
    if (!SHORT_FORM_KEYS.includes(key)) continue;
    for (const [, name = ""] of text.matchAll(SHORT_FORM)) names.add(name);
  }
  return [...names];
}

/** Every text in a value, with the nearest key above it. */
function textsIn(root: unknown): { key: string; text: string }[] {
  const found: { key: string; text: string }[] = [];
  const seen = new Set<unknown>();
  const open: [key: string, value: unknown][] = [["", root]];
  for (const [key, value] of open) {
    if (typeof value === "string") found.push({ key, text: value });
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    const entries = Object.entries(value).map(([name, inner]) => [Array.isArray(value) ? key : name, inner] as const);
    for (const [name, inner] of entries) open.push([name, inner]);
  }
  return found;
}

function addVariables(node: unknown, names: Set<string>): void {
  if (typeof node !== "object" || node === null) return;
  if ("kind" in node && node.kind === "variable" && "name" in node) names.add(String(node.name));
  for (const inner of Object.values(node)) addVariables(inner, names);
}
