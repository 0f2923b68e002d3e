import { errorText } from "../src/lib/errors.ts";
import { isObject } from "../src/lib/json.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";

/**
 * Keeps the named top-level fields of a tool response that is one JSON object, sorted by name and without white space.
 * Their values stay as written, because a parsed number can lose digits. Does nothing to a failed call.
 */
export const run = defineBuiltin(({ hook_event_name: event, tool_error: failed, tool_response: text }, names) => {
  if (event !== "tool_response_transform" || failed || names.length === 0) return undefined;
  if (typeof text !== "string") throw new Error("transform_json: expected JSON text");
  checkObject(text);
  const fields = topLevelFields(text);
  const kept = [...new Set(names)].sort().flatMap((name) => {
    const value = fields.get(name);
    return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`];
  });
  return { hook_specific_output: { hook_event_name: event, updated_tool_response: `{${kept.join(",")}}` } };
});

function checkObject(text: string): void {
  const value = parse(text);
  if (value === null) throw new Error("transform_json: expected a JSON object");
  if (!isObject(value)) throw new Error("transform_json: decode response: it is JSON, but not an object");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`transform_json: decode response: ${errorText(error)}`, { cause: error });
  }
}

/** Returns the values of a valid JSON object as written, without white space. Of a key given twice, the last counts. */
function topLevelFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  let value: string[] = [];
  for (const token of tokensOf(text)) {
    if (token === "}" || token === "]") depth--;
    if (depth === 0 || (depth === 1 && token === ",")) {
      if (key !== undefined) fields.set(key, value.join(""));
      key = undefined;
      value = [];
    } else if (key === undefined) key = JSON.parse(token) as string;
    else if (depth > 1 || token !== ":") value.push(token);
    if (token === "{" || token === "[") depth++;
  }
  return fields;
}

/** Yields strings, punctuation marks, and numbers and words. A pattern could overflow the stack on a long string. */
function* tokensOf(text: string): Generator<string> {
  const other = /\s*([{}[\],:]|[^\s"{}[\],:]+)|\s*/y;
  for (let at = 0; at < text.length; ) {
    if (text[at] === '"') {
      const start = at++;
      while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
      yield text.slice(start, ++at);
      continue;
    }
    other.lastIndex = at;
    const [, token] = other.exec(text) ?? [];
    at = other.lastIndex;
    if (token !== undefined) yield token;
  }
}
