import { omitEmpty } from "../../lib/omit-empty.ts";
import type { Message } from "../../model/messages/message.ts";
import type { Model } from "../../model/model.ts";
import type { EventName, EventPayload } from "../../protocol/events.ts";
import type { DecidingHook } from "../../protocol/fields.ts";
import type { Tool } from "../../tools/tool.ts";
import { announceError, type DispatchScope, dispatch, type Verdict } from "../dispatch-event.ts";
import type { ErrorCode } from "../run-events.ts";
import { type Runtime, recordItem, report } from "../runtime.ts";
import type { MessageItem, Session } from "../session/session.ts";
import type { SkillScope } from "../skills/skill.ts";
import type { Agent } from "../team/agent.ts";
import type { LoopDetector } from "../tool-calls/loop-detector.ts";

/** Why a turn ended. Source: runtime 3.6. */
export type TurnReason =
  | "normal"
  | "continue"
  | "steered"
  | "error"
  | "canceled"
  | "hook_blocked"
  | "loop_detected"
  | "force_handoff";

/** The verdict of hooks that ends a stream. */
export type StopVerdict = Pick<Verdict<"post_tool_use">, "message" | "deciders">;

/** What ended a stream before its time. */
export interface StreamError {
  message: string;
  code?: ErrorCode;
}

/** What the stream of a sub-session begins with. */
export interface StreamOptions {
  /** Names of the agents that delegated to each other to get here; the last one works in the stream. */
  delegationChain?: readonly string[];
  /** Names of tools that are not offered, here and in every session below. */
  excludedTools?: readonly string[];
  skill?: SkillScope;
}

/** One activation of the loop on one session, while it lasts. Source: runtime 2. */
export interface Stream {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly signal: AbortSignal;
  /** See {@link StreamOptions}. */
  readonly delegationChain: readonly string[];
  readonly excludedTools: readonly string[];
  readonly skill: SkillScope | undefined;
  iteration: number;
  /** Iterations after which the user is asked; 0 for no bound. */
  maxIterations: number;
  /** Compactions forced by an overflow since the last call that succeeded. */
  overflowCompactions: number;
  /** The size, in tokens, that the conversation must exceed before it is compacted for its size again. */
  compactAbove: number;
  /** Requests refused because of the files in them since the last call that succeeded. */
  mediaRefusals: number;
  /** What the hooks said to the message that is being answered. */
  promptContext: string;
  loopDetector: LoopDetector;
  /** The model of the next call alone. */
  nextModel: Model | undefined;
  /** The agent of the previous iteration. */
  previousAgent: string | undefined;
  followsToolCalls: boolean;
  lastReason: TurnReason | undefined;
  /** The verdict of a `post_tool_use` hook that ended the stream from within a call of the runtime's own. */
  stopRequest: StopVerdict | undefined;
  /** The first error reported. */
  error: StreamError | undefined;
}

/** A tool as it is offered in a turn. */
export interface OfferedTool {
  tool: Tool;
  /** Run by the runtime itself: a text cannot call it, and no `post_tool_use` follows unless `observed` is set. */
  isOfRuntime: boolean;
  /** A managed tool that `post_tool_use` follows, because it brings text from outside into the conversation. */
  hasPostToolUse?: true;
}

/** One iteration from `turn_start` to `turn_end`. */
export interface Turn {
  readonly stream: Stream;
  /** The agent whose hooks, tools and model the turn uses to its end, a handoff notwithstanding. */
  readonly agent: Agent;
  readonly model: Model;
  readonly tools: readonly OfferedTool[];
}

/** True for a stream of the conversation with the user, false for a sub-session's. */
export function isRoot(stream: Stream): boolean {
  return stream.session.parentId === undefined;
}

/** Where a cancellable dispatch of a stream is made. */
export function dispatchScopeOf(stream: Stream): DispatchScope {
  return { runtime: stream.runtime, session: stream.session, signal: stream.signal };
}

/** Where a dispatch is made that a cancel must not end. */
export function uncancellableScopeOf(stream: Stream): DispatchScope {
  return { runtime: stream.runtime, session: stream.session };
}

/** Dispatches an event of a turn. */
export function dispatchInTurn<E extends EventName>(
  turn: Turn,
  event: E,
  payload: EventPayload<E>,
): Promise<Verdict<E> | undefined> {
  return dispatch(dispatchScopeOf(turn.stream), turn.agent, event, payload);
}

/** Appends a message to the record and says so. */
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

/** Ends the stream with an error that is reported to hooks, log and front end; `hooks` are those that asked for it. */
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
