import { isObject } from "../../lib/json.ts";
import { withText } from "../calls/structured-text.ts";
import { toolCallsOf } from "../messages/message.ts";
import { type Reply, replyText, type ToolDefinition } from "../model.ts";

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";

/**
 * Converts tool calls that a model wrote as text, `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, to calls.
 * The reply must end with such elements, and all must name offered tools: a model stops after a call, but continues
 * after a quoted one.
 */
export function readTextToolCalls(reply: Reply, tools: readonly ToolDefinition[]): Reply {
  const text = replyText(reply);
  const start = text.indexOf(OPEN);
  if (start < 0 || tools.length === 0 || toolCallsOf(reply).length > 0 || reply.finishReason !== "stop") return reply;
  const elements = readElements(text.slice(start));
  const calls = elements?.map(readCall);
  if (!calls?.every((call) => call !== undefined && tools.some((tool) => tool.name === call.name))) return reply;
  const blocks = calls
    .filter((call) => call !== undefined)
    .map((call) => ({
      type: "tool_call" as const,
      id: `call_${crypto.randomUUID().replaceAll("-", "")}`,
      ...call,
    }));
  const rest = withText(reply, text.slice(0, start).trimEnd());
  return { ...rest, finishReason: "tool_calls", blocks: [...rest.blocks, ...blocks] };
}

/** Returns the contents of the `<tool_call>` elements in a text; undefined if it holds anything else. */
function readElements(text: string): string[] | undefined {
  const elements: string[] = [];
  for (let rest = text.trim(); rest !== ""; ) {
    const end = rest.indexOf(CLOSE);
    if (!rest.startsWith(OPEN) || end < 0) return undefined;
    elements.push(rest.slice(OPEN.length, end));
    rest = rest.slice(end + CLOSE.length).trim();
  }
  return elements;
}

function readCall(text: string): { name: string; arguments: string } | undefined {
  try {
    const call: unknown = JSON.parse(text);
    if (!isObject(call) || typeof call["name"] !== "string") return undefined;
    const input = call["arguments"] ?? call["parameters"] ?? {};
    return { name: call["name"], arguments: typeof input === "string" ? input : JSON.stringify(input) };
  } catch {
    return undefined; // not a call: the text stays as it is
  }
}
