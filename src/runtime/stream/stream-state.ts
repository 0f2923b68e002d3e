import { omitEmpty } from "../../lib/json.ts";
import type { Message } from "../../model/messages/message.ts";
import type { Model } from "../../model/model.ts";
import type { EventName, EventPayload } from "../../protocol/events.ts";
import type { DecidingHook } from "../../protocol/fields.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Agent } from "../agent/agent.ts";
import type { SkillScope } from "../agent/skill.ts";
import type { ErrorCode } from "../events/run-events.ts";
import type { MessageItem, Session } from "../session/session.ts";
import { announceError, type DispatchScope, dispatch, type Verdict } from "./dispatch-event.ts";
import type { LoopDetector } from "./loop-detector.ts";
import { type Runtime, recordItem, report } from "./runtime.ts";

/** Why a turn ended. */
export type TurnReason =
  | "normal"
  | "continue"
  | "steered"
  | "error"
  | "canceled"
  | "hook_blocked"
  | "loop_detected"
  | "force_handoff"
  | "budget_exceeded";

/** Why a turn ended, and whether another one follows. */
export interface TurnEnd {
  reason: TurnReason;
  continues: boolean;
}

/** A verdict of hooks that ends a stream. */
export type StopVerdict = Pick<Verdict<"post_tool_use">, "message" | "deciders">;

/** The error that ended a stream. */
export interface StreamError {
  message: string;
  code?: ErrorCode;
}

/** Settings of the stream of a sub-session. */
export interface StreamOptions {
  /** Names of the agents that delegated to each other; the last one works in the stream. */
  delegationChain?: readonly string[];
  /** Names of tools that are not offered, neither here nor in any session below. */
  excludedTools?: readonly string[];
  skill?: SkillScope;
}

/** The state of one activation of the loop on one session; see docs/design/turn.md#a-stream. */
export interface Stream {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly signal: AbortSignal;
  /** See {@link StreamOptions}. */
  readonly delegationChain: readonly string[];
  readonly excludedTools: readonly string[];
  readonly skill: SkillScope | undefined;
  iteration: number;
  /** Iterations after which the user is asked; 0 means no limit. */
  maxIterations: number;
  /** Compactions after an overflow since the last successful model call. */
  overflowCompactions: number;
  /** The conversation that a model refused as too long and no compaction could shorten: it is not sent again. */
  refused: { tokens: number; error: StreamError } | undefined;
  /** Tokens that the conversation must exceed before its size causes another compaction. */
  compactAbove: number;
  /** Requests refused because of their files since the last successful model call. */
  mediaRefusals: number;
  /** Context from the hooks on the message that is being answered. */
  promptContext: string;
  loopDetector: LoopDetector;
  /** How often guards sent agents back since the user's last message, by guard and agent. */
  readonly guardRetries: Map<string, number>;
  /** The model of the next call only. */
  nextModel: Model | undefined;
  /** The agent of the previous iteration. */
  previousAgent: string | undefined;
  /** True if the previous turn made tool calls. */
  followsToolCalls: boolean;
  lastReason: TurnReason | undefined;
  /** The verdict of a `post_tool_use` hook that ended the stream during a call that the runtime made itself. */
  stopRequest: StopVerdict | undefined;
  /** The first error reported. */
  error: StreamError | undefined;
}

/** A tool that a turn offers to the model. */
export interface OfferedTool {
  tool: Tool;
  /** Run by the runtime itself: texts cannot call it, and it dispatches no `post_tool_use` unless `hasPostToolUse`. */
  isOfRuntime: boolean;
  /**
   * Set for a tool of the runtime that dispatches `post_tool_use`, because it adds outside text to the conversation.
   */
  hasPostToolUse?: true;
}

/** One iteration from `turn_start` to `turn_end`. */
export interface Turn {
  readonly stream: Stream;
  /** The agent whose hooks, tools and model the turn uses until its end, even after a handoff. */
  readonly agent: Agent;
  readonly model: Model;
  readonly tools: readonly OfferedTool[];
}

/** True for the conversation with the user, false for a sub-session. */
export function isRoot(stream: Stream): boolean {
  return stream.session.parentId === undefined;
}

/** Returns the scope of a dispatch that is cancelled with the stream. */
export function dispatchScopeOf(stream: Stream): DispatchScope {
  return { ...uncancellableScopeOf(stream), signal: stream.signal };
}

/** Returns the scope of a dispatch that runs even if the stream is cancelled. */
export function uncancellableScopeOf(stream: Stream): DispatchScope {
  return { runtime: stream.runtime, session: stream.session, depth: stream.delegationChain.length - 1 };
}

export function dispatchInTurn<E extends EventName>(
  turn: Pick<Turn, "stream" | "agent">,
  event: E,
  payload: EventPayload<E>,
): Promise<Verdict<E> | undefined> {
  return dispatch(dispatchScopeOf(turn.stream), turn.agent, event, payload);
}

/** Appends a message to the record and reports it. */
export function recordMessage(
  stream: Stream,
  agent: Agent,
  message: Message,
  flags: Pick<MessageItem, "implicit"> = {},
): void {
  const stamped = { ...message, createdAt: new Date().toISOString() };
  recordItem(stream.runtime, stream.session, { kind: "message", agent: agent.name, message: stamped, ...flags });
  report(stream.runtime, agent, { type: "message_added", session_id: stream.session.id });
}

/** Ends the stream with an error, which is recorded and reported to the front end and hooks. `hooks` caused it. */
export async function failStream(
  stream: Stream,
  agent: Agent,
  error: StreamError,
  hooks: readonly DecidingHook[] = [],
): Promise<void> {
  stream.error ??= error;
  const code = error.code === undefined ? {} : { code: error.code };
  const { runtime, session } = stream;
  recordItem(runtime, session, { kind: "error", agent: agent.name, text: error.message, ...code });
  const named = omitEmpty({ hooks: [...hooks] });
  report(runtime, agent, { type: "error", session_id: session.id, error: error.message, ...code, ...named });
  await announceError(dispatchScopeOf(stream), agent, error.message);
}

/** Ends the stream because hooks blocked it. */
export async function endBlockedStream(
  stream: Stream,
  agent: Agent,
  { message, deciders }: StopVerdict,
): Promise<void> {
  const error = { code: "hook_blocked", message: message || "Agent terminated by a hook." } as const;
  return failStream(stream, agent, error, await deciders());
}
