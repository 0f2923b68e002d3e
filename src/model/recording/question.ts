import { isObject } from "../../lib/json.ts";

/** What a request to a model asks, whatever the API. */
export interface Question {
  /** The last text of the user, without the ids of sessions and tool calls, which differ between two runs. */
  text: string;
  /** How many results of tools follow that text. */
  toolResults: number;
}

/**
 * The question in the body of a request to Chat Completions, Responses, Messages or Gemini. Undefined for a body in
 * which no user says anything.
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

/** The user's texts and the tools' results, in order. */
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
    return undefined; // not JSON: no question either
  }
}
