import { isObject } from "../../lib/json.ts";
import type { ScriptEnd } from "./script.ts";

/** The prefix of a line that holds an answer among other output. */
const CONTROL = "HOOK_CONTROL\t";

/** Maximum number of places at which to look for an object; output with more is not an answer. */
const MAX_STARTS = 1000;

/** Returns the last JSON object in the output: in a control line, else anywhere; else the output. */
export function lastObject({ stdout }: ScriptEnd): string {
  const control = stdout.split("\n").findLast((line) => line.startsWith(CONTROL));
  if (control !== undefined) return control.slice(CONTROL.length);
  let last: string | undefined;
  let at = stdout.indexOf("{");
  for (let starts = 0; at >= 0; starts++) {
    const end = starts < MAX_STARTS ? endOfObject(stdout, at) : undefined;
    if (end === undefined) return stdout; // incomplete or too long: not an answer
    const object = objectIn(stdout.slice(at, end));
    last = object ?? last;
    at = stdout.indexOf("{", object === undefined ? at + 1 : end);
  }
  return last ?? stdout;
}

/** The index after the brace that closes the one at `start`; undefined if none does. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}

/** The index of the quote that closes the one at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function objectIn(text: string): string | undefined {
  try {
    return isObject(JSON.parse(text)) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the output without lines that only report progress. */
export function withoutProgress({ stdout }: ScriptEnd): string {
  const isProgress = (line: string): boolean => {
    if (!line.trimStart().startsWith("{")) return false;
    try {
      const value: unknown = JSON.parse(line);
      return isObject(value) && value["type"] === "progress";
    } catch {
      return false;
    }
  };
  return stdout
    .split("\n")
    .filter((line) => !isProgress(line))
    .join("\n");
}
