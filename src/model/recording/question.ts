import { isObject } from "../../lib/json.ts";

/** The question of a request to a model, independent of the API. */
export interface Question {
  /** The last text of the user, without ids of sessions and tool calls, which differ between runs. */
  text: string;
  /** The number of tool results after that text. */
  toolResults: number;
}

/**
 * Reads the question from the body of a request to Chat Completions, Responses, Messages or Gemini. Undefined for a
 * body without a text of the user.
 */
export function questionOf(body: string): Question | undefined {
  let text: string | undefined;
  let toolResults = 0;
  for (const part of conversationParts(parse(body))) {
    if (part === TOOL_RESULT) toolResults++;
    else [text, toolResults] = [part, 0];
  }
  return text === undefined ? undefined : { text: withoutVolatile(text), toolResults };
}

const TOOL_RESULT = Symbol("tool result");

/** Returns the user's texts and the tool results, in order. */
function conversationParts(body: unknown): (string | typeof TOOL_RESULT)[] {
  if (!isObject(body)) return [];
  const items = body["messages"] ?? body["input"] ?? body["contents"];
  if (typeof items === "string") return [items];
  return Array.isArray(items) ? items.filter(isObject).flatMap(partsOf) : [];
}

function partsOf(item: Record<string, unknown>): (string | typeof TOOL_RESULT)[] {
  const { role, type } = item;
  if (role === "tool" || type === "function_call_output") return [TOOL_RESULT];
  if (role !== "user" && role !== "function") return [];
  const content = item["content"] ?? item["parts"];
  if (typeof content === "string") return [content];
  return Array.isArray(content) ? content.filter(isObject).flatMap(contentOf) : [];
}

function contentOf(part: Record<string, unknown>): (string | typeof TOOL_RESULT)[] {
  if (part["type"] === "tool_result" || "functionResponse" in part) return [TOOL_RESULT];
  return typeof part["text"] === "string" ? [part["text"]] : [];
}

const VOLATILE: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "UUID"],
  [/\b(call|toolu)_\w+/g, "CALL"],
];

function withoutVolatile(text: string): string {
  return VOLATILE.reduce((kept, [pattern, stable]) => kept.replace(pattern, stable), text)
    .replace(/\s+/g, " ")
    .trim();
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // not JSON: no question
  }
}
