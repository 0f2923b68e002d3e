import type { ToolRequest } from "../../config/expansion/expression.ts";
import { UserError } from "../../lib/errors.ts";
import { type Agent, type AgentCommand, cannotRun } from "../agent/agent.ts";
import type { AgentSkill } from "../agent/skill.ts";
import type { SentMessage } from "../session/attached-file.ts";
import type { Session } from "../session/session.ts";
import { skillText } from "../skills/skill-text.ts";
import { agentNamed, agentOf, type Runtime } from "../stream/runtime.ts";
import { endBlockedStream, type Turn } from "../stream/stream-state.ts";
import { callToolFromText } from "../tool-calls/tool-call.ts";
import { offeredTools } from "../turns/offered-tools.ts";
import { createStream, runStream, type StreamEnd } from "../turns/run-stream.ts";
import { findPrompt, textOfPrompt } from "./server-prompts.ts";
import { submitMessage } from "./session-lifecycle.ts";

/** A message after slash commands and skill names are resolved. */
export type ResolvedMessage =
  | { kind: "send"; text: string }
  /** Show the text, which an MCP server gave, and send it. */
  | { kind: "prompt"; server: string; prompt: string; text: string }
  /** Show the URL to the user; nothing is sent. */
  | { kind: "url"; url: string }
  /** The current agent has changed; nothing is sent. */
  | { kind: "switched"; agent: string }
  /** The user cancelled, or a hook on one of its tool calls blocked it; nothing is sent. */
  | { kind: "ended"; end: StreamEnd };

/**
 * Resolves a message of the form `/name text`, where the name is a slash command, a skill or an MCP prompt of the agent that
 * answers now. Any other message, including one with an unknown name, is sent as it is. Tool calls in a command's text go
 * through approval and hooks. Throws a `UserError` if a skill cannot be read or a guard rejects it, and
 * if an MCP server does not give its prompt.
 */
export async function resolveMessage(
  runtime: Runtime,
  session: Session,
  text: string,
  signal: AbortSignal,
): Promise<ResolvedMessage> {
  const [, name = "", rest = ""] = /^\/(\S+)([^]*)$/.exec(text) ?? [];
  const typed = rest.trim();
  const agent = agentOf(runtime, session);
  const command = agent.commands?.get(name);
  const skill = agent.skills?.find((one) => one.name === name);
  if (command?.url !== undefined) return { kind: "url", url: withSession(command.url, session) };
  if (!command && !skill) return resolvePrompt(agent, { name, typed, text }, signal);
  const objection = command?.agent === undefined ? undefined : cannotRun(agentNamed(runtime, command.agent));
  if (objection) throw new UserError(`/${name}: ${objection}`);
  const stream = createStream(runtime, session, signal);
  const turn: Turn = { stream, agent, model: agent.chooseModel(), tools: offeredTools(stream, agent, runStream) };
  const expanding = command ? expand(turn, command, typed) : skill ? skillMessage(turn, skill, typed) : text;
  const expanded = await unlessAborted(expanding, signal);
  if (signal.aborted) return { kind: "ended", end: { reason: "canceled" } };
  if (stream.stopRequest !== undefined) {
    await endBlockedStream(stream, agent, stream.stopRequest);
    return { kind: "ended", end: { reason: "hook_blocked", ...(stream.error ? { error: stream.error } : {}) } };
  }
  if (command?.agent === undefined) return { kind: "send", text: expanded };
  runtime.currentAgent = command.agent;
  return expanded.trim() === "" ? { kind: "switched", agent: command.agent } : { kind: "send", text: expanded };
}

/** Resolves a message that may name an MCP prompt. Its text is sent as it is: a server's text runs no command. */
async function resolvePrompt(
  agent: Agent,
  { name, typed, text }: { name: string; typed: string; text: string },
  signal: AbortSignal,
): Promise<ResolvedMessage> {
  const offered = await findPrompt(agent, name, signal);
  if (!offered) return { kind: "send", text };
  const got = await unlessAborted(textOfPrompt(offered, typed, signal), signal);
  if (signal.aborted) return { kind: "ended", end: { reason: "canceled" } };
  return { kind: "prompt", server: offered.server.name, prompt: offered.prompt.name, text: got };
}

/** A resolved message that the user is shown: nothing is sent, or what an MCP server gave. */
export type ShownMessage = Extract<ResolvedMessage, { kind: "url" | "switched" | "prompt" }>;

/**
 * Submits a line that the user typed, which may be a slash command or name a skill or an MCP prompt, with files. Calls
 * `show` if nothing is sent, and before an MCP prompt is. Throws a `UserError` for a command whose text is blank.
 */
export async function submitInput(
  runtime: Runtime,
  session: Session,
  { text, files }: SentMessage,
  signal: AbortSignal,
  show: (message: ShownMessage) => void,
): Promise<StreamEnd> {
  const message = await resolveMessage(runtime, session, text, signal);
  if (message.kind === "send") {
    if (message.text.trim() === "")
      throw new UserError(`${text.split(/\s/, 1)[0]}: the text of this command is empty, so nothing is sent`);
    return submitMessage(runtime, session, message.text, signal, files);
  }
  if (message.kind === "ended") return message.end;
  show(message);
  if (message.kind === "prompt") return submitMessage(runtime, session, message.text, signal, files);
  return { reason: "normal" };
}

/** Returns the text; if the user cancelled meanwhile, an empty one instead of the error of a guard that was stopped. */
async function unlessAborted(text: string | Promise<string>, signal: AbortSignal): Promise<string> {
  try {
    return await text;
  } catch (error) {
    if (!signal.aborted) throw error;
    return "";
  }
}

function expand(turn: Turn, command: AgentCommand, typed: string): Promise<string> {
  return command.expand(typed, async ({ tool, input }: ToolRequest) => {
    if (turn.stream.signal.aborted || turn.stream.stopRequest !== undefined) return undefined;
    return (await callToolFromText(turn, tool, input))?.text;
  });
}

/** Returns the message for a skill that the user named; a forked skill is run by the model. */
async function skillMessage(turn: Turn, skill: AgentSkill, typed: string): Promise<string> {
  if (skill.fork) return `Run the skill "${skill.name}" with the run_skill tool.${typed && ` Task: ${typed}`}`;
  const content = `<skill name=${JSON.stringify(skill.name)}>\n${await skillText(turn, skill)}\n</skill>`;
  return [content, typed || `Follow the skill "${skill.name}".`].join("\n\n");
}

function withSession(url: string, session: Session): string {
  return url.replaceAll("{{session_id}}", () => encodeURIComponent(session.id));
}
