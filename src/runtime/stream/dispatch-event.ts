import { auditedName } from "../../audit/entry-of-record.ts";
import type { HookDetail } from "../../engine/dispatch-record.ts";
import { selectHooks } from "../../engine/match.ts";
import type { RulesVerdict, SessionState } from "../../engine/rules.ts";
import { omitEmpty } from "../../lib/json.ts";
import { once } from "../../lib/once.ts";
import type { Evaluation } from "../../model/evaluators/evaluator.ts";
import { type EventName, type EventPayload, type Lane, lanesOf } from "../../protocol/events.ts";
import type { DecidingHook } from "../../protocol/fields.ts";
import type { Result } from "../../protocol/result.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { Agent } from "../agent/agent.ts";
import { redactedResult } from "../agent/agent-redaction.ts";
import { messagesOf, type Session } from "../session/session.ts";
import { noteRejectedFile, type Runtime, recordItem, report } from "./runtime.ts";

/** Where and how an event is dispatched. */
export interface DispatchScope {
  runtime: Runtime;
  session: Session;
  /** Stops hooks when the stream is cancelled; absent for events that always run to completion. */
  signal?: AbortSignal;
  lane?: Lane;
  skipJudges?: boolean;
  /** What rules say about the event, if they were asked already. */
  judged?: RulesVerdict;
  /** How many agents delegated to this one. */
  depth?: number;
  /** Identities of hooks that are left out; without any other hook on the event, nothing is dispatched. */
  seen?: ReadonlySet<string>;
}

/** Loads the hooks that gave a verdict. Finding where they are configured may load a parser. */
export type DecidingHooks = () => Promise<DecidingHook[]>;

/**
 * The result of a dispatch, and the hooks behind its verdict: those that blocked, else those with the winning decision.
 */
export type Verdict<E extends EventName> = Result<E> & {
  readonly deciders: DecidingHooks;
  /** The hooks whose rewrite was applied. */
  readonly rewriters: DecidingHooks;
  /** What the rules say about the event; absent if no rule applies to it. */
  readonly rules?: RulesVerdict;
};

/** Events that are dispatched too often, or too late in a run, to be reported. */
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
 * Dispatches an event to an agent's hooks and waits for all of them. Returns undefined if the agent has no hook for the
 * event, or if the stream was already cancelled. Fills in the session, its directory and the agent's name, and reports
 * every system message as a warning.
 */
export async function dispatch<E extends EventName>(
  scope: DispatchScope,
  agent: Agent,
  event: E,
  payload: EventPayload<E>,
): Promise<Verdict<E> | undefined> {
  const { runtime, session, signal, lane, skipJudges, judged: ruled, seen } = scope;
  if (signal?.aborted || !agent.hooks.has(event, lane)) return undefined;
  if (seen && agent.hooks.hooks?.every(({ entry, identity }) => entry.event !== event || seen.has(identity())))
    return undefined;
  const input = inputOf(session, agent, payload);
  const warnings: string[] = [];
  let judged: Verdict<"prompt_file_guard"> | undefined;
  const options = {
    warn: (message: string) => void warnings.push(message),
    evaluated: (evaluation: Evaluation) => recordEvaluation(runtime, session, agent, evaluation),
    details: true as const,
    session: () => sessionState(scope),
    judgeFile: async (file: EventPayload<"prompt_file_guard">) =>
      (judged = await dispatch({ runtime, session, ...(signal && { signal }) }, agent, "prompt_file_guard", file)),
    ...(signal && { signal }),
    ...(lane && { lane }),
    ...(skipJudges && { skipJudges }),
    ...(ruled && { judged: ruled }),
    ...(seen && { seen }),
  };
  const isUnreported = UNREPORTED.includes(event) || agent.hooks.hasOnlyImplicitHooks?.(event);
  const shown = isUnreported ? undefined : lane === "preempt" ? `${event}_pre_yolo` : event;
  if (shown)
    report(runtime, agent, {
      type: "hook_started",
      session_id: session.id,
      hook_event: shown,
      ...omitEmpty({ hooks: await Promise.all(namesOfHooks(agent, event, lane, payload).map(auditedName)) }),
    });
  const started = performance.now();
  const answer = await agent.hooks.dispatch(event, input, options);
  const { rejection } = answer;
  const guards: DecidingHooks = async () => (judged?.allowed === false ? judged.deciders() : []);
  const rejected = rejection === undefined ? undefined : { message: rejection, deciders: guards };
  noteRejectedFile(runtime, session, event, rejected);
  const result = await redactedResult(agent, answer.result);
  for (const message of warnings) {
    const warning = await redactedResult(agent, { message });
    report(runtime, agent, { type: "warning", ...warning, hook_event: event });
  }
  const shownHooks = async (hooks: HookDetail[]) =>
    Promise.all(hooks.map(({ stage: _stage, ...hook }) => redactedResult(agent, { event, ...hook })));
  const deciders = once(() => answer.deciders().then(shownHooks));
  const rewriters = once(async () => shownHooks((await answer.rewriters?.()) ?? []));
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
  const { rules } = answer;
  return { ...result, deciders, rewriters, ...(rules && { rules }) };
}

/**
 * Judges an event by the rules of an agent alone, without running or reporting anything; the dispatch of the event gets the
 * verdict as `judged`. Returns undefined if no rule is on the event.
 */
export async function ruleVerdict<E extends EventName>(
  scope: DispatchScope,
  agent: Agent,
  event: E,
  payload: EventPayload<E>,
): Promise<RulesVerdict | undefined> {
  if (scope.signal?.aborted) return undefined;
  const input = inputOf(scope.session, agent, payload);
  return agent.hooks.judgeByRules?.(event, input, { session: () => sessionState(scope) });
}

/** Adds a call that was approved to what the rules of an agent know of the session. */
export async function recordCall(
  scope: DispatchScope,
  agent: Agent,
  payload: EventPayload<"pre_tool_use">,
): Promise<void> {
  const input = inputOf<"pre_tool_use">(scope.session, agent, payload);
  await agent.hooks.recordForRules?.("pre_tool_use", input, { session: () => sessionState(scope) });
}

/** What rules may ask about a session and no payload has. */
function sessionState({ session, depth = 0 }: Pick<DispatchScope, "session" | "depth">): SessionState {
  const { parentId: parent, cost } = session;
  const calls = messagesOf(session).filter(({ message }) => message.role === "tool").length;
  return { cost, calls, depth, source: parent === undefined ? "user" : "agent", ...(parent && { parent }) };
}

function inputOf<E extends EventName>(session: Session, agent: Agent, payload: EventPayload<E>): EventPayload<E> {
  return { session_id: session.id, cwd: session.workingDir, agent_name: agent.name, ...payload };
}

/** Returns the names of the hooks that run for an event, without those that hooksh added itself. */
function namesOfHooks({ hooks: { hooks = [] } }: Agent, event: EventName, lane: Lane | undefined, payload: Payload) {
  const names = [payload["tool_name"], payload["tool_qualified_name"]].filter((name) => typeof name === "string");
  return (lane === undefined ? lanesOf(event) : [lane])
    .flatMap((each) => selectHooks(hooks, event, each, names))
    .filter(({ entry }) => entry.implicit === undefined)
    .map(({ name }) => name());
}

/** Returns a text field that only the results of some events have. */
function textIn(result: object, key: string): string | undefined {
  const value = Object.entries(result).find(([name]) => name === key)?.[1];
  return typeof value === "string" ? value : undefined;
}

/** Dispatches an error to the hooks on `notification`, then to those on `on_error`, with the same text. */
export async function announceError(scope: DispatchScope, agent: Agent, message: string): Promise<void> {
  const payload = { notification_level: "error", notification_message: message } as const;
  await dispatch(scope, agent, "notification", payload);
  await dispatch(scope, agent, "on_error", payload);
}

/** Stores a request to an evaluator with its session, adds its cost, and warns once in a run if that is unknown. */
function recordEvaluation(runtime: Runtime, session: Session, agent: Agent, sent: Evaluation): void {
  const evaluation = { ...sent, agent_name: agent.name };
  const { evaluator, usage, cost } = evaluation;
  session.cost += cost ?? 0;
  recordItem(runtime, session, { kind: "evaluation", agent: agent.name, evaluation });
  report(runtime, agent, { type: "evaluation_usage", session_id: session.id, evaluation });
  const name = `evaluator ${evaluator}`;
  if (cost === undefined && !runtime.meter.unpriced.has(name)) {
    const message = `the cost of ${name} is unknown: the service reported no tokens, or its model has no price; cost sets one, {} means free`;
    report(runtime, agent, { type: "warning", message });
  }
  for (const meter of [runtime.meter, ...(agent.budgets ?? [])]) meter.addCall(name, usage, cost);
}
