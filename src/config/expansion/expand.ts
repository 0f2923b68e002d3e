import { expandVariables } from "../../model/catalog/expand-variables.ts";
import { type Expression, evaluate, type Scope, type ToolRequest, toText, UnknownNameError } from "./expression.ts";
import { splitTemplate } from "./split-template.ts";

/** A text after its expansion, and what there is to warn about. */
export interface Expanded {
  text: string;
  warnings: readonly string[];
}

/**
 * Expands `${…}` in `description`, `welcome_message`, `instruction`, headers and their like. What is no expression,
 * or names something unknown, stays as it is and spoils nothing else; `$NAME` and `${NAME}` stay with a warning.
 *
 * Source: config-and-cli 3.
 */
export function expandText(text: string, lookup: Scope["lookup"]): Expanded {
  if (!text.includes("$")) return { text, warnings: [] };
  const expanded = splitTemplate(text).map((part) => {
    return part.kind === "text" ? part.text : (evaluateNow(part.expression, { lookup }) ?? part.text);
  });
  return { text: expanded.join(""), warnings: warningsOf(text) };
}

/** What a slash command's text is expanded with. */
export interface CommandScope {
  lookup: Scope["lookup"];
  /** What was typed after the command. */
  typed: string;
  /** Runs one of the agent's tools through approval; undefined when there is no tool of that name. */
  callTool: (request: ToolRequest) => Promise<string | undefined>;
}

/**
 * Expands a slash command's text: `${…}` with `args` and tool calls, then `!tool(arg=value)`, then what was typed is
 * appended unless `args` were used. What a tool or a variable brought in is never evaluated again.
 *
 * Source: config-and-cli 3, 4.11.
 */
export async function expandCommand(text: string, { lookup, typed, callTool }: CommandScope): Promise<string> {
  const args = typed.split(/\s+/).filter((word) => word !== "");
  let usesArgs = false;
  const pieces: string[] = [];
  for (const part of splitTemplate(text)) {
    if (part.kind === "text") {
      pieces.push(await callLegacyTools(part.text, callTool));
      continue;
    }
    const value = await evaluateWithTools(part.expression, { lookup, args }, callTool);
    usesArgs ||= value !== undefined && mentionsArgs(part.expression);
    pieces.push(value ?? part.text);
  }
  const expanded = pieces.join("");
  if (usesArgs || typed.trim() === "") return expanded;
  return expanded === "" ? typed.trim() : `${expanded} ${typed.trim()}`;
}

/**
 * A toolset's `env` with `${env.NAME}`, `${NAME}` and `$NAME` expanded; `missing` names what is not set, which the
 * caller must treat as an error.
 *
 * Source: config-and-cli 3.
 */
export function expandToolsetEnv(
  values: Readonly<Record<string, string>>,
  lookup: Scope["lookup"],
): { env: Record<string, string>; missing: readonly string[] } {
  const expanded = Object.entries(values).map(([name, value]) => ({ name, ...expandVariables(value, lookup) }));
  return {
    env: Object.fromEntries(expanded.map(({ name, text }) => [name, text])),
    missing: [...new Set(expanded.flatMap(({ missing }) => missing))],
  };
}

/** The text of an expression without tool calls; undefined when it names something unknown. */
function evaluateNow(expression: Expression, scope: Scope): string | undefined {
  try {
    const step = evaluate(expression, scope).next();
    return step.done ? toText(step.value) : undefined;
  } catch (error) {
    if (error instanceof UnknownNameError) return undefined;
    throw error;
  }
}

async function evaluateWithTools(
  expression: Expression,
  scope: Scope,
  callTool: CommandScope["callTool"],
): Promise<string | undefined> {
  const steps = evaluate(expression, scope);
  try {
    for (let step = steps.next(); ; ) {
      if (step.done) return toText(step.value);
      const output = await callTool(step.value);
      if (output === undefined) return undefined;
      step = steps.next(output);
    }
  } catch (error) {
    if (error instanceof UnknownNameError) return undefined;
    throw error;
  }
}

function mentionsArgs(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  if ("kind" in node && ["args", "arg", "count", "join"].includes(String(node.kind))) return true;
  return Object.values(node).some(mentionsArgs);
}

const LEGACY_CALL = /!([A-Za-z_][\w-]{0,127})\(([^()\n]{0,4096})\)/g;

async function callLegacyTools(text: string, callTool: CommandScope["callTool"]): Promise<string> {
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(LEGACY_CALL)) {
    const output = await callTool({ tool: match[1] ?? "", input: legacyInput(match[2] ?? "") });
    pieces.push(text.slice(from, match.index), output ?? match[0]);
    from = match.index + match[0].length;
  }
  return [...pieces, text.slice(from)].join("");
}

/** `a=b, c="d, e"` as arguments. */
function legacyInput(text: string): Record<string, string> {
  const input: [string, string][] = [];
  for (const [, name = "", quoted, plain = ""] of text.matchAll(/([A-Za-z_]\w*)=(?:"([^"]*)"|([^,]*))/g)) {
    input.push([name, quoted ?? plain.trim()]);
  }
  return Object.fromEntries(input);
}

/** `$NAME` and `${NAME}`, which other fields understand and these do not. */
function warningsOf(text: string): string[] {
  const names = [...text.matchAll(/\$(?:\{([A-Z_][A-Z0-9_]*)\}|([A-Z_][A-Z0-9_]*))/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  return [...new Set(names)].map((name) => `$${name} is not expanded here; write \${env.${name}} for the variable`);
}
