import { memoize } from "../../lib/memoize.ts";
import { type Message, textMessage } from "../../model/messages/message.ts";
import type { ToolDefinition } from "../../model/model.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Session } from "../session/session.ts";
import type { Agent, Team } from "../team/agent.ts";
import type { OfferedTool } from "../turns/stream-state.ts";
import { cleanConversation } from "./clean-up.ts";
import { conversationOf } from "./conversation.ts";

/** What hooks added for one model call. */
export interface Contexts {
  /** From the message that is being answered. */
  prompt: string;
  /** From `turn_start`. */
  turn: string;
  /** From `post_tool_use` and `stop`, in the order it was said. */
  carryOver: readonly string[];
}

/**
 * The message list of a model call: who the agent is, what hooks said, then the conversation, then what hooks said
 * about the last tools and the last answer. Nothing but the conversation is part of the record.
 */
export function assembleMessages(team: Team, agent: Agent, session: Session, contexts: Contexts): Message[] {
  return [
    ...openingMessages(team, agent, session, contexts),
    ...cleanConversation(conversationOf(session), agent.limits),
    ...systemMessages(contexts.carryOver),
  ];
}

/** The part of a request before the conversation: who the agent is, and what hooks said. */
export function openingMessages(
  team: Team,
  agent: Agent,
  session: Session,
  contexts: Omit<Contexts, "carryOver">,
): Message[] {
  return [
    ...markEnd(systemMessages(systemTexts(team, agent))),
    ...markEnd(systemMessages([session.startContext, contexts.prompt, contexts.turn])),
  ];
}

const definitionOf = memoize(
  ({ name, description, parameters }: Tool): ToolDefinition => ({ name, description, parameters }),
);

/** The definitions of a turn's tools in a request. The same object for the same tool. */
export function definitionsOf(tools: readonly OfferedTool[]): ToolDefinition[] {
  return tools.map(({ tool }) => definitionOf(tool));
}

function systemMessages(texts: readonly string[]): Message[] {
  return texts.filter((text) => text.trim() !== "").map((text) => textMessage("system", text));
}

/** Marks the end of a stretch for providers that cache marked stretches: the agent's texts change less often than those of hooks. */
function markEnd(messages: readonly Message[]): Message[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, cacheControl: true } : message,
  );
}

const TRANSFER_INTRODUCTION =
  "You can hand a task to one of these agents with the transfer_task tool. It works alone " +
  "and sees nothing of this conversation, so the task must say everything it needs to know.";
const HANDOFF_INTRODUCTION =
  "You can hand this whole conversation to one of these agents with the handoff tool. It " + "goes on in your place.";

function systemTexts(team: Team, agent: Agent): string[] {
  return [
    listOfAgents(team, agent.subAgents, TRANSFER_INTRODUCTION),
    listOfAgents(team, agent.handoffs, HANDOFF_INTRODUCTION),
    agent.instruction,
    ...agent.toolsets.map(({ instructions }) => instructions ?? ""),
  ];
}

function listOfAgents(team: Team, names: readonly string[], introduction: string): string {
  if (names.length === 0) return "";
  const lines = names.map((name) => `- ${name}: ${team.agents.get(name)?.description ?? ""}`);
  return [introduction, "", ...lines].join("\n");
}
