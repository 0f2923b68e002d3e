import { isObject } from "../../lib/json.ts";
import { memoize } from "../../lib/memoize.ts";
import type { Block, Message, ToolCallBlock } from "./message.ts";

/**
 * The message with arguments that every server can read in its tool calls: many parse those of earlier calls, and refuse
 * each request of a conversation in which a model once wrote broken ones. The result of such a call says what was wrong.
 * The same message if all of them are JSON objects.
 */
export const withValidArguments = memoize((message: Message): Message => {
  const blocks = message.blocks.map((block): Block => (block.type === "tool_call" ? readable(block) : block));
  return blocks.every((block, place) => block === message.blocks[place]) ? message : { ...message, blocks };
});

function readable(call: ToolCallBlock): ToolCallBlock {
  if (call.arguments.trim() === "") return { ...call, arguments: "{}" };
  if (isJsonObject(call.arguments)) return call;
  const { origin: _signed, ...rest } = call;
  return { ...rest, arguments: "{}" };
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false; // the answer to the question
  }
}
