import { errorText, type Help } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";

export const NOT_ONE_JSON_OBJECT: Help = {
  cause:
    "The hook printed log lines, several values, another encoding, or a key twice. Which of two values counts would be unclear, so none does.",
  cure: "Run the hook by hand and look at what it prints: `./hook.sh < event.json | cat -v`. Send logs to standard error (`>&2`), print one object with each key once, and build it with `jq -n` or a JSON library instead of `echo`.",
};

/** The standard output of a hook, by kind. */
export type StandardOutput =
  | { kind: "nothing" }
  | { kind: "object"; value: Record<string, unknown>; text: string }
  /** Starts like a JSON object but is not valid JSON. */
  | { kind: "broken"; text: string; error: string }
  /** Any other text. `doubt`: the part that may be intended as an answer, and how to write one. */
  | { kind: "text"; text: string; doubt?: string };

/** Reads the standard output of a hook that exited with 0. */
export function readStandardOutput(stdout: string): StandardOutput {
  const text = stdout.trim();
  if (text === "") return { kind: "nothing" };
  if (text.startsWith("{")) return readObject(text);
  const finding = jsonKind(text) ?? (holdsObject(text) ? "holds a JSON object behind other text" : undefined);
  if (finding === undefined) return { kind: "text", text };
  return { kind: "text", text, doubt: `${finding}: print one JSON object and nothing else, and log to standard error` };
}

readStandardOutput.help = NOT_ONE_JSON_OBJECT;

/**
 * The problem with the encoding of standard output, which must be UTF-8; undefined if there is none. `isUtf8` is false
 * if invalid bytes were replaced. UTF-16 text without accents is valid UTF-8, but has a NUL in every character.
 */
export function encodingProblem(stdout: string, isUtf8: boolean): string | undefined {
  if (!isUtf8) return "is not UTF-8 text: print UTF-8";
  const isUtf16 = stdout.includes("\0") && holdsObject(stdout.replaceAll("\0", ""));
  return isUtf16 ? "looks like UTF-16 text: print UTF-8" : undefined;
}

encodingProblem.help = NOT_ONE_JSON_OBJECT;

function readObject(text: string): StandardOutput {
  try {
    return { kind: "object", value: JSON.parse(text) as Record<string, unknown>, text };
  } catch (error) {
    const hasMore = hasTrailingData(text);
    return {
      kind: "broken",
      text,
      error: hasMore ? "hook output must contain a single JSON object" : `invalid hook output: ${errorText(error)}`,
    };
  }
}

/** Describes text that is JSON but not an object; undefined for other text. */
function jsonKind(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (Array.isArray(value)) return "is a JSON array";
  return `is JSON ${value === null ? "null" : `(a ${typeof value})`}, not an object`;
}

/**
 * True if a JSON object starts in the text: a brace followed by a key and a colon, or by a closing brace. A truncated
 * object counts, because it may have been an answer. Takes linear time.
 */
export function holdsObject(text: string): boolean {
  for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", at + 1)) {
    const start = skipBlanks(text, at + 1);
    if (text[start] === "}") return true;
    if (text[start] === '"' && text[skipBlanks(text, endOfString(text, start))] === ":") return true;
  }
  return false;
}

const BLANKS: ReadonlySet<string | undefined> = new Set([" ", "\t", "\n", "\r"]);

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (BLANKS.has(text[at])) at++;
  return at;
}

/** The index after the string that starts at `start`, or one past the text if the string does not end. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** True if text that is not valid JSON starts with a complete object and continues after it. */
function hasTrailingData(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at) - 1;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return isJsonObject(text.slice(0, at + 1));
  }
  return false;
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
