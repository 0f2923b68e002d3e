import { isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";

/** Returns the value at a path such as `tool_info.file_path` or `workspaceRoots.0`; undefined if it is absent or null. */
export function valueAt(payload: Payload, path: string): unknown {
  let value: unknown = payload;
  for (const key of path.split(".")) {
    if ((!isObject(value) && !Array.isArray(value)) || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value ?? undefined;
}

/** Returns the first value that is present at one of the paths, not counting empty texts. */
export function firstAt(payload: Payload, paths: readonly string[]): unknown {
  for (const path of paths) {
    const value = valueAt(payload, path);
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** Returns tool input as an object. Some hosts send it as JSON text; any other text becomes the value of `input`. */
export function inputObject(input: unknown): Payload {
  if (isObject(input)) return input;
  if (typeof input !== "string") return input === undefined ? {} : { input };
  try {
    const parsed: unknown = JSON.parse(input);
    if (isObject(parsed)) return parsed;
  } catch {
    // not JSON: hooks see the text itself
  }
  return { input };
}

/** Joins the texts of a prompt that is a list of parts, one per line. */
export function promptText(prompt: unknown): unknown {
  if (!Array.isArray(prompt)) return prompt;
  const texts = prompt.map((part: unknown) => (isObject(part) ? part["text"] : part));
  return texts.filter((text) => typeof text === "string").join("\n");
}

/**
 * Returns the result of a host's tool as text: text itself, the two streams of a shell, the text that the host gives the
 * model, or else JSON.
 */
export function resultText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (!isObject(value)) return JSON.stringify(value);
  if (typeof value["stdout"] === "string") return streams(value["stdout"], value["stderr"]);
  for (const key of ["llmContent", "textResultForLlm", "text_result_for_llm"]) {
    const text = value[key];
    if (typeof text === "string") return text;
  }
  for (const key of ["result", "llmContent"]) {
    const parts = value[key];
    if (Array.isArray(parts)) return parts.map((part: unknown) => partText(part) ?? "").join("\n");
  }
  return JSON.stringify(value);
}

function streams(stdout: string, stderr: unknown): string {
  return typeof stderr === "string" && stderr !== "" ? `${stdout}\n${stderr}` : stdout;
}

function partText(part: unknown): string | undefined {
  return isObject(part) && typeof part["text"] === "string" ? part["text"] : resultText(part);
}
