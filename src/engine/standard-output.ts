import { errorText } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";

/** What a hook has printed. */
export type StandardOutput =
  | { kind: "nothing" }
  | { kind: "object"; value: Record<string, unknown>; text: string }
  /** Begins like a JSON object and is not one. */
  | { kind: "broken"; text: string; error: string }
  /** Any other text. `doubt` says what in it may have been meant as an answer, and how to write one. */
  | { kind: "text"; text: string; doubt?: string };

/** Sorts the standard output of a hook that succeeded. */
export function readStandardOutput(stdout: string): StandardOutput {
  const text = stdout.trim();
  if (text === "") return { kind: "nothing" };
  if (text.startsWith("{")) return readObject(text);
  const what = jsonKind(text) ?? (holdsObject(text) ? "holds a JSON object behind other text" : undefined);
  if (what === undefined) return { kind: "text", text };
  return { kind: "text", text, doubt: `${what}: print one JSON object and nothing else, and log to standard error` };
}

/**
 * What is wrong with the encoding of a standard output that had to be UTF-8; undefined if nothing is. `isUtf8` is false
 * if invalid bytes were replaced in it. UTF-16 text without accents is valid UTF-8, and betrays itself by its zeros.
 */
export function encodingProblem(stdout: string, isUtf8: boolean): string | undefined {
  if (!isUtf8) return "is not UTF-8 text: print UTF-8";
  const isUtf16 = stdout.includes("\0") && holdsObject(stdout.replaceAll("\0", ""));
  return isUtf16 ? "looks like UTF-16 text: print UTF-8" : undefined;
}

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

/** What a text is if it is JSON and no object. */
function jsonKind(text: string): string | undefined {
  if (!/^["[\-0-9tfn]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value)
      ? "is a JSON array"
      : `is JSON ${value === null ? "null" : `(a ${typeof value})`}, not an object`;
  } catch {
    return undefined;
  }
}

/**
 * True for a text in which a JSON object begins: a brace and then a key with its colon, or a brace at once closed. One
 * that is cut off counts, because it may have been an answer. Linear in the text.
 */
export function holdsObject(text: string): boolean {
  for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", at + 1)) {
    const start = skipBlanks(text, at + 1);
    if (text[start] === "}") return true;
    if (text[start] === '"' && text[skipBlanks(text, endOfString(text, start))] === ":") return true;
  }
  return false;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && " \t\n\r".includes(text[at] ?? "")) at++;
  return at;
}

/** The index behind the string that begins at `start`; the text's length if it never ends. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** True when a text that is not valid JSON begins with a complete object and goes on after it. */
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
