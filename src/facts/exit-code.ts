import type { HostCall } from "../dialects/dialect.ts";
import { isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";

/** Fields in which agents give the exit code of a command. */
const CODE_FIELDS = ["exit_code", "exitCode", "exit_status", "exitStatus", "returncode", "exit"] as const;
/** Fields that hold those fields. */
const HOLDERS = ["metadata", "result", "output", "tool_output", "tool_response", "toolResult", "tool_result"] as const;

/**
 * How agents say the exit code in the text of a result, by dialect. Each stands where the output of the command itself does not:
 * before it, or behind it at the end.
 */
const IN_TEXT: Readonly<Record<string, RegExp>> = {
  codex: /^(?:[^\n]{0,200}\n){0,4}?(?:Exit code:|Process exited with code) (-?\d+)\n(?:[^\n]{0,200}\n){0,4}?Output:/,
  copilot: /<[^<>\n]*exit(?:ed with)?(?: exit)? code:? (-?\d+)>\s*$/,
  droid: /\[Process exited with code (-?\d+)\]\s*$/,
  gemini:
    /\nExit Code: (-?\d+)(?:\n(?:Signal|Error|Background PIDs|Process Group PGID): [^\n]*)*(?:\n<\/untrusted_context>)?\s*$/,
  hooksh: /^(?:Error executing command: (?:exit status (\d+)|[^\n]*)|Command timed out after [^\n]*)\nOutput:(?: |$)/,
};

const SAME_TEXT: Readonly<Record<string, string>> = { "copilot-pascal": "copilot", qwen: "gemini" };

/** The exit code of a command, where the result has it. `text`: the result as text. */
export function exitCodeOf(payload: Payload, host: HostCall | undefined, text: string | undefined): number | undefined {
  const inFields = codeIn(host?.payload ?? payload, 0);
  if (inFields !== undefined) return inFields;
  const name = host?.dialect.name ?? "hooksh";
  const pattern = IN_TEXT[SAME_TEXT[name] ?? name];
  const found = pattern?.exec(ends(text));
  // A signal or a timeout has no exit code, and is a failure.
  return found ? Number(found[1] ?? -1) : undefined;
}

/** A result may be long; the exit code stands at one of its ends. */
function ends(text = ""): string {
  return text.length <= 2 * END ? text : `${text.slice(0, END)}\n${text.slice(-END)}`;
}

const END = 2048;

/** No agent nests it deeper: `tool_response.result[0].exit_status`. */
const MAX_DEPTH = 4;

function codeIn(value: unknown, depth: number): number | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return failed(value.map((item: unknown) => codeIn(item, depth + 1)));
  if (!isObject(value)) return undefined;
  for (const field of CODE_FIELDS) {
    const code = value[field];
    if (typeof code === "number") return code;
    if (typeof code === "string" && /^-?\d+$/.test(code)) return Number(code);
  }
  return failed(HOLDERS.map((field) => codeIn(value[field], depth + 1)));
}

/** Of several codes one that is a failure counts. */
function failed(codes: readonly (number | undefined)[]): number | undefined {
  const known = codes.filter((code) => code !== undefined);
  return known.find((code) => code !== 0) ?? known[0];
}
