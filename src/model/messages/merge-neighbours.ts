import { isSystem, type Message } from "./message.ts";

/** Joins adjacent instructions and adjacent user messages; a blank line separates their texts. */
export function mergeNeighbours(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const previous = merged.at(-1);
    const joins =
      previous && ((isSystem(previous) && isSystem(message)) || (previous.role === "user" && message.role === "user"));
    if (!previous || !joins) merged.push(message);
    else merged[merged.length - 1] = joinMessages(previous, message);
  }
  return merged;
}

function joinMessages(first: Message, second: Message): Message {
  const [last, next] = [first.blocks.at(-1), second.blocks[0]];
  if (last?.type !== "text" || next?.type !== "text")
    return { role: first.role, blocks: [...first.blocks, ...second.blocks] };
  const text = [last.text, next.text].filter(Boolean).join("\n\n");
  return {
    role: first.role,
    blocks: [...first.blocks.slice(0, -1), { type: "text", text }, ...second.blocks.slice(1)],
  };
}
