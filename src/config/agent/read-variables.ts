import { splitTemplate } from "../expansion/split-template.ts";
import type { AgentFile } from "./agent-file.ts";

/** The keys in which `$NAME` and `${NAME}` are expanded, in addition to `${env.NAME}`. */
const SHORT_FORM_KEYS: readonly string[] = ["model", "models", "compaction_model", "base_url", "endpoint"];
const SHORT_FORM = /\$\{?(?:env\.)?([A-Za-z_]\w*)/g;

/**
 * Returns the names of the variables that an agent file reads, in any of its texts. Uses the same parser as
 * expansion, so that another spelling cannot hide one. Leaves out the `env` of toolsets, which `describeEffects`
 * prints in full.
 */
export function readVariables({ document, agents }: Pick<AgentFile, "document" | "agents">): string[] {
  const names = new Set<string>();
  // An instruction can be in a separate file, which the document does not contain.
  for (const { key, text } of textsIn([document.value, agents.map(({ instruction }) => instruction)])) {
    for (const part of splitTemplate(text)) if (part.kind === "expression") addVariables(part.expression, names);
    if (!SHORT_FORM_KEYS.includes(key)) continue;
    for (const [, name = ""] of text.matchAll(SHORT_FORM)) names.add(name);
  }
  return [...names];
}

/** Every string in a value, with the key that it is under. */
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
