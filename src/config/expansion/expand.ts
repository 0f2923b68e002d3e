import { expandVariables } from "../../model/catalog/expand-variables.ts";
import { type Expression, evaluate, type Scope, type ToolRequest, toText, UnknownNameError } from "./expression.ts";
import { splitTemplate } from "./split-template.ts";

/** An expanded text, and warnings about it. */
export interface Expanded {
  text: string;
  warnings: readonly string[];
}

/**
 * Expands `${…}` in `description`, `welcome_message`, `instruction`, headers and similar texts. An invalid
 * expression, or one with an unknown name, stays as written. `$NAME` and `${NAME}` stay too, with a warning.
 */
export function expandText(text: string, lookup: Scope["lookup"]): Expanded {
  if (!text.includes("$")) return { text, warnings: [] };
  const expanded = splitTemplate(text).map((part) => {
    return part.kind === "text" ? part.text : (evaluateNow(part.expression, { lookup }) ?? part.text);
  });
  return { text: expanded.join(""), warnings: warningsOf(text) };
}

/** The values with which {@link expandCommand} expands a slash command. */
export interface CommandScope {
  lookup: Scope["lookup"];
  /** The text that the user typed after the command. */
  typed: string;
  /** Runs one of the agent's tools, subject to approval. Returns undefined if the agent has no tool of that name. */
  callTool: (request: ToolRequest) => Promise<string | undefined>;
}

/**
 * Expands the text of a slash command: `${…}` with `args` and tool calls, and `!tool(arg=value)`. Appends the typed
 * text unless the command uses `args`. Never expands the output of a tool or the value of a variable.
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
 * Expands `${env.NAME}`, `${NAME}` and `$NAME` in the `env` of a toolset. `missing` lists the variables that are not
 * set; the caller must treat them as an error.
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

/** Evaluates an expression without tool calls. Returns undefined if it has a tool call or an unknown name. */
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

/** Parses `a=b, c="d, e"` into arguments. */
function legacyInput(text: string): Record<string, string> {
  const input: [string, string][] = [];
  for (const [, name = "", quoted, plain = ""] of text.matchAll(/([A-Za-z_]\w*)=(?:"([^"]*)"|([^,]*))/g)) {
    input.push([name, quoted ?? plain.trim()]);
  }
  return Object.fromEntries(input);
}

/** Warns of `$NAME` and `${NAME}`, which other fields expand and these do not. */
function warningsOf(text: string): string[] {
  const names = [...text.matchAll(/\$(?:\{([A-Z_][A-Z0-9_]*)\}|([A-Z_][A-Z0-9_]*))/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  return [...new Set(names)].map(
    (name) => `$${name} is not expanded in this field; write \${env.${name}} to insert the variable`,
  );
}
