import type { EventName } from "../../protocol/events.ts";
import type { Agent } from "../agent/agent.ts";
import { type DispatchScope, dispatch, type Verdict } from "../stream/dispatch-event.ts";
import type { Invocation, Submission } from "../stream/invocation.ts";
import { agentNamed, agentOf, type Runtime } from "../stream/runtime.ts";
import { dispatchScopeOf, endBlockedStream, type Stream } from "../stream/stream-state.ts";
import { withholdUserMessages } from "../stream/user-messages.ts";
import { select } from "./transition.ts";

/**
 * Returns the agent that works in the next turn. In a routed conversation, an agent is first set to work: its
 * `before_agent_run` hooks may route to another one. Returns undefined if the stream has ended.
 */
export async function workingAgent(stream: Stream): Promise<Agent | undefined> {
  const { runtime, session } = stream;
  const invocation = runtime.invocations.get(session);
  if (!invocation || invocation.isActive) return agentOf(runtime, session);
  for (;;) {
    const agent = agentOf(runtime, session);
    invocation.activations++;
    const selected = await select(stream, agent, invocation, "before_agent_run");
    if (selected.kind === "ended") {
      stream.lastReason = selected.reason;
      return undefined;
    }
    if (selected.kind === "routed") continue;
    invocation.isActive = true;
    return (await introduce(stream, agent, invocation)) ? agent : undefined;
  }
}

/**
 * Dispatches `session_start`, and the event that brought the request, to those hooks of an agent that have not run for
 * them. Returns false if a hook blocked the request, or if the stream was canceled.
 */
async function introduce(
  stream: Stream,
  agent: Agent,
  { seenBy, submission, firstItem }: Invocation,
): Promise<boolean> {
  const { runtime, session } = stream;
  const started = runtime.started.get(session);
  if (started) {
    const seen = seenHooks(runtime, started.names, "session_start");
    started.names.add(agent.name);
    const { source } = started;
    const result = await dispatch({ ...dispatchScopeOf(stream), seen }, agent, "session_start", { source });
    session.startContext = joined(session.startContext, result?.additional_context);
  }
  const scope = { ...dispatchScopeOf(stream), seen: seenHooks(runtime, seenBy, submission.event) };
  seenBy.add(agent.name);
  const result = await submit(scope, agent, submission);
  if (stream.signal.aborted) return false;
  if (result && !result.allowed) {
    withholdUserMessages(stream, firstItem);
    await endBlockedStream(stream, agent, result);
    return false;
  }
  stream.promptContext = joined(stream.promptContext, result?.additional_context);
  return true;
}

function submit(
  scope: DispatchScope,
  agent: Agent,
  { event, payload }: Submission,
): Promise<Verdict<Submission["event"]> | undefined> {
  return dispatch<Submission["event"]>(scope, agent, event, payload);
}

function joined(before: string, more: string | undefined): string {
  return [before, more].filter(Boolean).join("\n");
}

/** Returns the identities of the hooks that agents have on an event. */
export function seenHooks(runtime: Runtime, agents: Iterable<string>, event: EventName): Set<string> {
  const hooks = [...agents].flatMap((name) => agentNamed(runtime, name).hooks.hooks ?? []);
  return new Set(hooks.filter(({ entry }) => entry.event === event).map(({ identity }) => identity()));
}
