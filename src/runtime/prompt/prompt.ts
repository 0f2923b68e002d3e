import { memoize } from "../../lib/once.ts";
import { type Message, textMessage } from "../../model/messages/message.ts";
import type { ToolDefinition } from "../../model/model.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Agent, Team } from "../agent/agent.ts";
import type { Session } from "../session/session.ts";
import type { OfferedTool } from "../stream/stream-state.ts";
import { cleanConversation } from "./clean-up.ts";
import { conversationOf } from "./conversation.ts";

/** The context from hooks for one model call. */
export interface Contexts {
  /** From the hooks on the message that is being answered. */
  prompt: string;
  /** From `turn_start`. */
  turn: string;
  /** From `post_tool_use` and `stop`, oldest first. */
  carryOver: readonly string[];
}

/**
 * Returns the messages of a model call: the agent's instructions, context from hooks, the conversation, then context
 * from hooks on the last tools and the last answer. Only the conversation is part of the record.
 */
export function assembleMessages(team: Team, agent: Agent, session: Session, contexts: Contexts): Message[] {
  return [
    ...openingMessages(team, agent, session, contexts),
    ...cleanConversation(conversationOf(session), agent.limits),
    ...systemMessages(contexts.carryOver),
  ];
}

/** Returns the part of a request before the conversation: the agent's instructions and context from hooks. */
export function openingMessages(
  team: Team,
  agent: Agent,
  session: Session,
  contexts: Omit<Contexts, "carryOver">,
): Message[] {
  return [
    ...markEnd(instructionMessages(team, agent)),
    ...markEnd(systemMessages([session.startContext, contexts.prompt, contexts.turn])),
  ];
}

/** Returns the context from hooks in a request, without the agent's instructions. */
export function hookMessages(session: Session, { prompt, turn, carryOver }: Contexts): Message[] {
  return systemMessages([session.startContext, prompt, turn, ...carryOver]);
}

/** Returns the agent's instructions in a request: its own, those of its toolsets, and the agents it may work with. */
export function instructionMessages(team: Team, agent: Agent): Message[] {
  return systemMessages(systemTexts(team, agent));
}

const definitionOf = memoize(
  ({ name, description, parameters }: Tool): ToolDefinition => ({ name, description, parameters }),
);

/** Returns the definitions of a turn's tools for a request. The same tool gives the same object. */
export function definitionsOf(tools: readonly OfferedTool[]): ToolDefinition[] {
  return tools.map(({ tool }) => definitionOf(tool));
}

function systemMessages(texts: readonly string[]): Message[] {
  return texts.filter((text) => text.trim() !== "").map((text) => textMessage("system", text));
}

/**
 * Marks the last message, up to which providers may cache the request. Instructions and contexts are marked separately
 * because contexts change more often.
 */
function markEnd(messages: readonly Message[]): Message[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, cacheControl: true } : message,
  );
}

const TRANSFER_INTRODUCTION =
  "You can hand a task to one of these agents with the transfer_task tool. It works alone " +
  "and sees nothing of this conversation, so the task must say everything it needs to know.";
const HANDOFF_INTRODUCTION =
  "You can hand this whole conversation to one of these agents with the handoff tool. It continues in your place.";

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
