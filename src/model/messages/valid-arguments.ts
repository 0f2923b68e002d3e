import { isObject } from "../../lib/json.ts";
import { memoize } from "../../lib/once.ts";
import type { Block, Message, ToolCallBlock } from "./message.ts";

/**
 * Replaces tool call arguments that are not JSON objects by `{}`. Many servers parse the arguments of earlier calls and
 * would refuse every later request of the conversation. The result of such a call tells the model about its error.
 * Returns the same message if nothing is replaced.
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
    return false; // malformed JSON
  }
}
