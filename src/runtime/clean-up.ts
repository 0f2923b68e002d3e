import type { Message } from "../protocol/fields.ts";
import type { AgentLimits } from "./agent.ts";
import { textOf } from "./session.ts";

const CHARACTERS_A_TOKEN = 4;

/**
 * A conversation as a provider accepts it, within the agent's limits: what was interrupted is closed, what is empty or
 * without a partner is left out.
 *
 * Source: runtime 5.2.
 */
export function cleanConversation(messages: readonly Message[], limits: AgentLimits): Message[] {
  const recent = limits.historyItems > 0 ? dropOldest(messages, limits.historyItems) : messages;
  const shortened = limits.oldToolCallTokens > 0 ? truncateOldTools(recent, limits.oldToolCallTokens) : recent;
  const paired = pairToolResults(shortened.map(trimMessage).filter((message) => !isEmpty(message)));
  return limits.toolResultTokens > 0 ? paired.map((message) => capResult(message, limits.toolResultTokens)) : paired;
}

/** Drops the oldest messages of assistant and tools until the count fits; what the user and the system said stays. */
function dropOldest(messages: readonly Message[], limit: number): Message[] {
  const excess = messages.filter(({ role }) => role !== "system").length - limit;
  let dropped = 0;
  return messages.filter(({ role }) => {
    if (dropped >= excess || role === "system" || role === "user") return true;
    dropped++;
    return false;
  });
}

function truncateOldTools(messages: readonly Message[], tokens: number): Message[] {
  let budget = tokens * CHARACTERS_A_TOKEN;
  return messages.toReversed().map((message) => {
    budget -= toolCharacters(message);
    return budget >= 0 ? message : withoutToolText(message);
  }).toReversed();
}

function toolCharacters(message: Message): number {
  if (message.role === "tool") return textOf(message).length;
  return (message.tool_calls ?? []).reduce((sum, call) => sum + call.function.arguments.length, 0);
}

function withoutToolText(message: Message): Message {
  if (message.role === "tool") {
    const { multi_content: _parts, ...rest } = message;
    return { ...rest, role: "tool", content: "[truncated: an old tool result]" };
  }
  if (!message.tool_calls) return message;
  const emptied = message.tool_calls.map((call) => ({
    ...call, function: { ...call.function, arguments: '{"truncated":true}' },
  }));
  return { ...message, tool_calls: emptied };
}

function trimMessage(message: Message): Message {
  if (message.role !== "assistant" || message.content === undefined) return message;
  return { ...message, content: message.content.trimEnd() };
}

function isEmpty(message: Message): boolean {
  const { role, tool_calls = [], multi_content = [] } = message;
  return role !== "tool" && tool_calls.length === 0 && multi_content.length === 0 && textOf(message).trim() === "";
}

/** Puts every tool result behind its call; a call without one gets an error result, a result without a call goes. */
function pairToolResults(messages: readonly Message[]): Message[] {
  const paired: Message[] = [];
  messages.forEach((message, index) => {
    if (message.role === "tool") return;
    paired.push(message);
    const { tool_calls: calls = [] } = message;
    if (calls.length === 0) return;
    const results = resultsAfter(messages, index);
    for (const { id } of calls) paired.push(results.get(id)?.shift() ?? interruptedResult(id));
  });
  return paired;
}

/** The tool results up to the next message of the assistant, by the id of their call. */
function resultsAfter(messages: readonly Message[], index: number): Map<string, Message[]> {
  const results = new Map<string, Message[]>();
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at];
    if (!message || message.role === "assistant") break;
    if (message.role !== "tool") continue;
    const id = message.tool_call_id ?? "";
    results.set(id, [...(results.get(id) ?? []), message]);
  }
  return results;
}

function interruptedResult(id: string): Message {
  return {
    role: "tool", content: "The tool call was interrupted before it gave a result.", tool_call_id: id, is_error: true,
  };
}

function capResult(message: Message, tokens: number): Message {
  const limit = tokens * CHARACTERS_A_TOKEN;
  const text = textOf(message);
  if (message.role !== "tool" || text.length <= limit) return message;
  const half = Math.floor(limit / 2);
  const notice = `[... ${text.length - 2 * half} characters cut ...]`;
  return { ...message, content: [text.slice(0, half), notice, text.slice(text.length - half)].join("\n") };
}
