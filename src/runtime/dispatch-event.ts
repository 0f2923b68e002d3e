import { omitEmpty } from "../lib/omit-empty.ts";
import type { EventName, EventPayload, Lane } from "../protocol/events.ts";
import type { DecidingHook } from "../protocol/fields.ts";
import type { Result } from "../protocol/result.ts";
import { type Runtime, report } from "./runtime.ts";
import type { Session } from "./session/session.ts";
import type { Agent } from "./team/agent.ts";

/** Where and how an event is dispatched. */
export interface DispatchScope {
  runtime: Runtime;
  session: Session;
  /** Ends hooks when the stream is cancelled; absent for the events that always run to completion. */
  signal?: AbortSignal;
  lane?: Lane;
  skipJudges?: boolean;
}

/** Reads which hooks gave a verdict. Reading where they are configured may load a parser. */
export type DecidingHooks = () => Promise<DecidingHook[]>;

/** The result of a dispatch, and the hooks that gave its verdict: those that blocked, else those with the winning decision. */
export type Verdict<E extends EventName> = Result<E> & { readonly deciders: DecidingHooks };

/** Events whose dispatches are too frequent or too late to be shown. Source: runtime 4, the sink column. */
const UNREPORTED: readonly EventName[] = [
  "before_llm_call",
  "after_llm_call",
  "on_tool_approval_decision",
  "session_end",
  "on_user_input",
  "notification",
  "on_error",
  "on_max_iterations",
  "on_session_resume",
  "on_agent_switch",
  "subagent_stop",
];

/**
 * Asks an agent's hooks about an event and waits for all of them. Undefined when there is nobody to ask, or when the
 * stream was cancelled before. Fills in the session, its directory and the agent's name, and shows every system message
 * as a warning.
 *
 * Source: runtime 1.
 */
export async function dispatch<E extends EventName>(
  scope: DispatchScope,
  agent: Agent,
  event: E,
  payload: EventPayload<E>,
): Promise<Verdict<E> | undefined> {
  const { runtime, session, signal, lane, skipJudges } = scope;
  if (signal?.aborted || !agent.hooks.has(event, lane)) return undefined;
  const input = { session_id: session.id, cwd: session.workingDir, agent_name: agent.name, ...payload };
  const warn = (message: string) => report(runtime, agent, { type: "warning", message, hook_event: event });
  const options = {
    warn,
    details: true as const,
    ...(signal && { signal }),
    ...(lane && { lane }),
    ...(skipJudges && { skipJudges }),
  };
  const isUnreported = UNREPORTED.includes(event) || agent.hooks.hasOnlyImplicitHooks?.(event);
  const shown = isUnreported ? undefined : lane === "preempt" ? `${event}_pre_yolo` : event;
  if (shown) report(runtime, agent, { type: "hook_started", session_id: session.id, hook_event: shown });
  const started = performance.now();
  const answer = await agent.hooks.dispatch(event, input, options);
  const { result } = answer;
  let found: Promise<DecidingHook[]> | undefined;
  const deciders: DecidingHooks = () =>
    (found ??= answer.deciders().then((hooks) => hooks.map(({ stage: _stage, ...hook }) => ({ event, ...hook }))));
  if (shown) {
    const isEventful = !result.allowed || textIn(result, "decision") === "ask";
    report(runtime, agent, {
      type: "hook_finished",
      session_id: session.id,
      hook_event: shown,
      duration_ms: Math.round(performance.now() - started),
      allowed: result.allowed,
      ...omitEmpty({
        decision: textIn(result, "decision"),
        message: textIn(result, "message"),
        redacted: answer.redacted,
      }),
      ...(isEventful ? omitEmpty({ hooks: await deciders() }) : {}),
    });
  }
  if (result.system_message) {
    report(runtime, agent, { type: "warning", message: result.system_message, hook_event: event });
  }
  return { ...result, deciders };
}

/** A field that only the results of some events have. */
function textIn(result: object, key: string): string | undefined {
  const value = Object.entries(result).find(([name]) => name === key)?.[1];
  return typeof value === "string" ? value : undefined;
}

/**
 * Reports an error to everybody who watches: the front end, then `notification`, then `on_error`, with one text.
 *
 * Source: hooks 9.7.
 */
export async function announceError(scope: DispatchScope, agent: Agent, message: string): Promise<void> {
  const payload = { notification_level: "error", notification_message: message } as const;
  await dispatch(scope, agent, "notification", payload);
  await dispatch(scope, agent, "on_error", payload);
}
