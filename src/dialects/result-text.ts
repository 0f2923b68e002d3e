import { isObject } from "../lib/json.ts";

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
