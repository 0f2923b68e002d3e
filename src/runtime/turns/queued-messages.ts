import { textOf } from "../../model/messages/message.ts";
import { type CompactionScope, compactIfFull } from "../compaction/compaction.ts";
import { openInvocation } from "../routing/open-invocation.ts";
import { userMessage } from "../session/attached-file.ts";
import { takeFollowUp, takeSteering } from "../session/queues.ts";
import { dispatch, type Verdict } from "../stream/dispatch-event.ts";
import type { Submission } from "../stream/invocation.ts";
import { dispatchInTurn, dispatchScopeOf, endBlockedStream, isRoot, type Turn } from "../stream/stream-state.ts";
import { recordUserMessage, reportUserMessage, withholdUserMessages } from "../stream/user-messages.ts";

/** What happened to the queued messages. */
export type InjectionOutcome = "nothing" | "injected" | "blocked";

/**
 * Adds all queued steering messages to the conversation with the user; sub-sessions have no queue. In a routed
 * conversation they wait until the work on the request is over.
 */
export async function injectSteering(scope: CompactionScope): Promise<InjectionOutcome> {
  const { stream, agent } = scope;
  const { runtime, session } = stream;
  const queued = isRoot(stream) && !runtime.invocations.has(session) ? takeSteering(runtime.queues) : [];
  if (queued.length === 0) return "nothing";
  const firstItem = session.items.length;
  for (const [index, { text, files }] of queued.entries()) {
    const recorded = index < queued.length - 1 ? `${text}\n` : text;
    recordUserMessage(runtime, session, agent, userMessage(recorded, files));
    reportUserMessage(stream, agent, textOf(userMessage(text, files)));
  }
  const payload = { steering_messages: queued.map(({ text, files }) => textOf(userMessage(text, files))) };
  const event = "user_steering_messages_submit";
  const result = await dispatch(dispatchScopeOf(stream), agent, event, payload);
  return settleInjection(scope, firstItem, { event, payload }, result);
}

/** Adds the oldest follow-up to the conversation with the user; sub-sessions have no queue. */
export async function injectFollowUp(turn: Turn): Promise<InjectionOutcome> {
  const { stream, agent } = turn;
  const queued = isRoot(stream) ? takeFollowUp(stream.runtime.queues) : undefined;
  if (queued === undefined) return "nothing";
  const message = userMessage(queued.text, queued.files);
  const text = textOf(message);
  const firstItem = stream.session.items.length;
  recordUserMessage(stream.runtime, stream.session, agent, message);
  reportUserMessage(stream, agent, text);
  const payload = { prompt: text };
  const event = "user_followup_submit";
  return settleInjection(turn, firstItem, { event, payload }, await dispatchInTurn(turn, event, payload));
}

async function settleInjection(
  scope: CompactionScope,
  firstItem: number,
  submission: Submission,
  result: Verdict<"user_steering_messages_submit"> | undefined,
): Promise<InjectionOutcome> {
  const { stream, agent } = scope;
  if (stream.signal.aborted) return "injected";
  if (result && !result.allowed) {
    withholdUserMessages(stream, firstItem);
    await endBlockedStream(stream, agent, result);
    return "blocked";
  }
  stream.promptContext = result?.additional_context ?? "";
  stream.guardRetries.clear();
  openInvocation(stream.runtime, stream.session, firstItem, submission);
  await compactIfFull(scope, "auto", firstItem);
  return "injected";
}
