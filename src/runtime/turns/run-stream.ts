import { textMessage, textOf } from "../../model/messages/message.ts";
import { traced } from "../../trace/active.ts";
import { ATTRIBUTES } from "../../trace/names.ts";
import type { Span, SpanStart } from "../../trace/span.ts";
import type { Agent } from "../agent/agent.ts";
import { compactIfFull } from "../compaction/compaction.ts";
import { workingAgent } from "../routing/activate.ts";
import { openInvocation } from "../routing/open-invocation.ts";
import { messagesOf, type Session } from "../session/session.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { duringTurn } from "../stream/draw-from-budgets.ts";
import { createLoopDetector } from "../stream/loop-detector.ts";
import { agentOf, type Runtime, report } from "../stream/runtime.ts";
import {
  dispatchScopeOf,
  endBlockedStream,
  isRoot,
  recordMessage,
  type Stream,
  type StreamError,
  type StreamOptions,
  type Turn,
  type TurnReason,
  uncancellableScopeOf,
} from "../stream/stream-state.ts";
import { reportUserMessage, withholdUserMessages } from "../stream/user-messages.ts";
import { checkBudgets } from "./check-budgets.ts";
import { checkIterationLimit } from "./iteration-limit.ts";
import { offeredTools } from "./offered-tools.ts";
import { injectSteering } from "./queued-messages.ts";
import { runTurn } from "./turn.ts";

/** How a stream ended. */
export interface StreamEnd {
  /** Why its last turn ended; `canceled` or `hook_blocked` if it had none. */
  reason: TurnReason;
  /** The error; absent if the stream ended without one, for example at the iteration limit. */
  error?: StreamError;
}

/**
 * Runs the loop on a session whose last message waits for an answer. Closes the stream even if it fails: in the
 * conversation with the user, `on_user_input` is dispatched at the end. See docs/design/turn.md#a-stream.
 */
export async function runStream(
  runtime: Runtime,
  session: Session,
  signal: AbortSignal,
  options?: StreamOptions,
): Promise<StreamEnd> {
  const agent = agentOf(runtime, session);
  const stream = createStream(runtime, session, signal, options);
  await traceStream(stream, agent, async () => {
    try {
      if (await open(stream, agent)) while (await iterate(stream));
    } finally {
      await close(stream);
    }
  });
  return { reason: reasonOf(stream), ...(stream.error ? { error: stream.error } : {}) };
}

/** Returns a stream that has not started. */
export function createStream(
  runtime: Runtime,
  session: Session,
  signal: AbortSignal,
  { delegationChain, excludedTools = [], skill }: StreamOptions = {},
): Stream {
  const agent = agentOf(runtime, session);
  session.maxIterations = agent.limits.maxIterations;
  return {
    runtime,
    session,
    signal,
    delegationChain: delegationChain ?? [agent.name],
    excludedTools,
    skill,
    iteration: 0,
    maxIterations: session.maxIterations,
    overflowCompactions: 0,
    refused: undefined,
    compactAbove: 0,
    mediaRefusals: 0,
    promptContext: "",
    loopDetector: createLoopDetector(agent.limits.maxConsecutiveToolCalls),
    guardRetries: new Map(),
    nextModel: undefined,
    previousAgent: undefined,
    followsToolCalls: false,
    lastReason: undefined,
    stopRequest: undefined,
    error: undefined,
  };
}

/** Does everything before the first turn. Returns false if a hook blocked the prompt. */
async function open(stream: Stream, agent: Agent): Promise<boolean> {
  const { runtime, session } = stream;
  report(runtime, agent, {
    type: "team_info",
    available_agents: [...runtime.team.agents.keys()],
    current_agent: agent.name,
  });
  reportTools(stream, agent, offeredTools(stream, agent, runStream).length);
  if (isRoot(stream) && !(await submitPrompt(stream, agent))) return false;
  report(runtime, agent, { type: "stream_started", session_id: session.id });
  return true;
}

async function submitPrompt(stream: Stream, agent: Agent): Promise<boolean> {
  const { session } = stream;
  const last = messagesOf(session).at(-1);
  if (!last) return true;
  const text = textOf(last.message);
  reportUserMessage(stream, agent, text);
  if (last.message.role !== "user" || last.implicit) return true;
  const result = await dispatch(dispatchScopeOf(stream), agent, "user_prompt_submit", { prompt: text });
  if (stream.signal.aborted) return true;
  if (result && !result.allowed) {
    withholdUserMessages(stream, session.items.lastIndexOf(last));
    await endBlockedStream(stream, agent, result);
    return false;
  }
  stream.promptContext = result?.additional_context ?? "";
  const submission = { event: "user_prompt_submit", payload: { prompt: text } } as const;
  openInvocation(stream.runtime, session, session.items.lastIndexOf(last), submission);
  return true;
}

/** Runs one pass of the loop. Returns true if another one follows. */
async function iterate(stream: Stream): Promise<boolean> {
  const { signal } = stream;
  if (signal.aborted) return false;
  const agent = await workingAgent(stream);
  if (!agent) return false;
  if (stream.previousAgent !== undefined && stream.previousAgent !== agent.name) {
    stream.nextModel = undefined;
    stream.followsToolCalls = false;
  }
  stream.previousAgent = agent.name;
  const tools = offeredTools(stream, agent, runStream);
  reportTools(stream, agent, tools.length);
  if (!(await checkIterationLimit(stream, agent)) || signal.aborted) return false;
  if (!(await checkBudgets(stream, agent)) || signal.aborted) return false;
  if (!(await checkRunLimits(stream, agent))) return false;
  stream.iteration++;
  const model = stream.nextModel ?? stream.skill?.model ?? agent.chooseModel();
  stream.nextModel = undefined;
  const turn: Turn = { stream, agent, model, tools };
  reportAgent(turn);
  return duringTurn(stream, agent, async () => {
    await compactIfFull(turn, "auto");
    if ((await injectSteering(turn)) === "blocked" || signal.aborted) return false;
    return runTurn(turn);
  });
}

function reportTools({ runtime }: Stream, agent: Agent, count: number): void {
  report(runtime, agent, { type: "toolset_info", available_tools: count, loading: false });
}

function reportAgent({ stream: { runtime }, agent, model }: Turn): void {
  const { description, welcomeMessage } = agent;
  report(runtime, agent, {
    type: "agent_info",
    model: model.id,
    description,
    ...(welcomeMessage === undefined ? {} : { welcome_message: welcomeMessage }),
    context_limit: model.contextLimit,
  });
}

/** Ends the work on the request, dispatches `on_user_input` because it is the user's turn, then reports the end of the stream. */
async function close(stream: Stream): Promise<void> {
  const { runtime, session, signal } = stream;
  runtime.invocations.delete(session);
  const agent = agentOf(runtime, session);
  if (isRoot(stream) && (!signal.aborted || runtime.interactive)) {
    await dispatch(uncancellableScopeOf(stream), agent, "on_user_input", {});
  }
  report(runtime, agent, { type: "stream_stopped", session_id: session.id, reason: reasonOf(stream) });
}

function reasonOf({ signal, error, lastReason }: Stream): TurnReason {
  if (signal.aborted) return "canceled";
  if (error?.code === "hook_blocked") return "hook_blocked";
  return lastReason ?? "normal";
}

/**
 * Counts the model turn that is about to start. Returns false if a limit of the run forbids it; the session then holds
 * a message that says so, which is also the answer of a sub-agent. The front end learns of it from the meter at the end
 * of the run, and at a prompt, which stays open, from a warning.
 */
async function checkRunLimits(stream: Stream, agent: Agent): Promise<boolean> {
  const { runtime } = stream;
  const limit = runtime.meter.startTurn();
  if (!limit) return true;
  const text = `stopped by ${limit.flag}: ${limit.message}`;
  if (runtime.interactive) report(runtime, agent, { type: "warning", message: text });
  await dispatch(dispatchScopeOf(stream), agent, "notification", {
    notification_level: "warning",
    notification_message: text,
  });
  recordMessage(stream, agent, textMessage("assistant", `Execution ${text}.`), { implicit: true });
  return false;
}

/** Runs a stream, in a span `invoke_agent NAME` if tracing is on. */
function traceStream(stream: Stream, agent: Agent, work: () => Promise<void>): Promise<void> {
  return traced(
    () => agentSpan(stream, agent),
    async (span) => {
      await work();
      if (span) describeEnd(span, stream);
    },
  );
}

function agentSpan({ session }: Stream, { name, description }: Agent): SpanStart {
  return {
    name: `invoke_agent ${name}`,
    attributes: {
      [ATTRIBUTES.operation]: "invoke_agent",
      [ATTRIBUTES.agentName]: name,
      [ATTRIBUTES.agentDescription]: description,
      [ATTRIBUTES.conversation]: session.id,
    },
  };
}

function describeEnd(span: Span, { signal, error, lastReason }: Stream): void {
  span.set(ATTRIBUTES.outcome, lastReason);
  if (signal.aborted) span.fail("canceled");
  else if (error) span.fail(error.code ?? "_OTHER", error.message);
}
