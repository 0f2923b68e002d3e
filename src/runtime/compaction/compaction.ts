import { omitEmpty } from "../../lib/json.ts";
import type { Model } from "../../model/model.ts";
import { type Agent, compactionThreshold } from "../agent/agent.ts";
import type { RunEventBody } from "../events/run-events.ts";
import { conversationOf, sentPartsOf, summaryMessage } from "../prompt/conversation.ts";
import { estimateAll, estimateTokens, estimateTools, promptTokens } from "../prompt/estimate-tokens.ts";
import { definitionsOf, openingMessages } from "../prompt/prompt.ts";
import { type MessageItem, messagesOf, type Session, type SummaryItem } from "../session/session.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { meterIn } from "../stream/draw-from-budgets.ts";
import { modelNoticeListener } from "../stream/model-notices.ts";
import { recordItem, report } from "../stream/runtime.ts";
import { dispatchScopeOf, type OfferedTool, type Stream } from "../stream/stream-state.ts";
import { type CompactionPlan, planCompaction, type TokenBudget } from "./compaction-plan.ts";
import { reportUsage } from "./session-usage.ts";
import { writeSummary } from "./summary.ts";

/** Why a conversation is compacted. */
export interface CompactionCause {
  source: "auto" | "tool_overflow" | "overflow" | "manual";
  reason: "threshold" | "overflow" | "manual";
  /** The user's instructions for the summary. */
  instructions?: string;
  /** Estimated tokens of a request that a provider refused: the next one must be smaller. */
  refused?: number;
}

/** How a compaction ended. */
export type CompactionOutcome = "applied" | "skipped" | "failed" | "vetoed";

/** The conversation to compact. A `Turn` is one. */
export interface CompactionScope {
  stream: Stream;
  agent: Agent;
  model: Model;
  /** The tools that requests offer; those of the agent if absent. */
  tools?: readonly OfferedTool[];
}

/** The assumed window if it is unknown and the conversation must shrink. */
const ASSUMED_LIMIT = 128_000;
/** The part of the window that must stay free for a summary and an answer. */
const SPARE_SHARE = 1 / 8;
/** The part of the window by which a conversation must grow before its size causes another compaction. */
const GROWTH_SHARE = 1 / 20;
/** An estimate below this many tokens is too rough to compare with the provider's count. */
const LEAST_EVIDENCE = 512;
const [LEAST_SCALE, GREATEST_SCALE] = [0.75, 2];

/** Compacts if the session exceeds the threshold; items from `addedFrom` on are not in its counts yet. */
export async function compactIfFull(
  scope: CompactionScope,
  source: "auto" | "tool_overflow",
  addedFrom?: number,
): Promise<void> {
  const { agent, stream } = scope;
  const { session } = stream;
  const limit = windowOf(scope);
  if (!agent.compaction.enabled || limit <= 0) return;
  const added = addedFrom === undefined ? [] : messagesOf({ ...session, items: session.items.slice(addedFrom) });
  const estimate = estimateAll(added.map(({ message }) => message));
  const known = session.inputTokens + session.outputTokens;
  const threshold = Math.floor(limit * compactionThreshold(agent.compaction));
  if (known + estimate * GREATEST_SCALE <= threshold) return;
  // Tool results are the cause only if it is their estimate that crosses the threshold.
  const cause = known >= threshold ? "auto" : source;
  const room = roomOf(scope);
  const size = known + estimate * room.scale;
  if (size <= threshold || size <= stream.compactAbove || !canShrink(planCompaction(session, room), room)) return;
  const outcome = await compact(scope, { source: cause, reason: "threshold" });
  const now = outcome === "applied" ? room.overhead + estimateAll(conversationOf(session)) * room.scale : size;
  stream.compactAbove = now + limit * GROWTH_SHARE;
}

/**
 * Replaces the older part of the conversation with a summary, and cuts tool results that do not fit. The record keeps
 * the messages that are no longer sent. If anything fails, the session stays as it was.
 */
export async function compact(scope: CompactionScope, cause: CompactionCause): Promise<CompactionOutcome> {
  const { stream, agent } = scope;
  const { runtime, session, signal } = stream;
  const limit = meterIn(stream, agent).reachedCost();
  if (limit) {
    const message = `the conversation is not compacted because of ${limit.flag}: ${limit.message}`;
    report(runtime, agent, { type: "warning", message });
    return "vetoed";
  }
  const verdict = await dispatch(dispatchScopeOf(stream), agent, "pre_compact", { source: cause.source });
  if (verdict && !verdict.allowed) {
    if (verdict.message) report(runtime, agent, { type: "warning", message: verdict.message });
    return "vetoed";
  }
  const counts = omitEmpty({
    input_tokens: session.inputTokens || undefined,
    output_tokens: session.outputTokens || undefined,
    context_limit: windowOf(scope) || undefined,
    compaction_reason: cause.reason,
  });
  const before = await dispatch(dispatchScopeOf(stream), agent, "before_compaction", counts);
  if (signal.aborted || (before && !before.allowed)) return "vetoed";
  report(runtime, agent, { type: "session_compaction", session_id: session.id, status: "started" });
  const instructions = [cause.instructions, verdict?.additional_context].filter(Boolean).join("\n\n");
  const outcome = await replaceOlder(scope, { ...cause, instructions }, before?.summary || undefined);
  if (outcome.kind !== "applied") return endCompaction(scope, outcome.kind);
  const summary = omitEmpty({ summary: outcome.summary });
  await dispatch(dispatchScopeOf(stream), agent, "after_compaction", { ...counts, ...summary });
  return endCompaction(scope, "applied", outcome.sizes);
}

/** What a summary replaced, and its size, in estimated tokens. */
type Sizes = Pick<
  Extract<RunEventBody, { type: "session_compaction" }>,
  "replaced_messages" | "replaced_tokens" | "summary_tokens"
>;

function endCompaction(
  { stream: { runtime, session }, agent, model }: CompactionScope,
  outcome: "applied" | "skipped" | "failed",
  sizes: Sizes = {},
) {
  const ended = { session_id: session.id, status: "completed", outcome, ...sizes } as const;
  report(runtime, agent, { type: "session_compaction", ...ended });
  if (outcome === "applied") reportUsage(runtime, session, agent, model);
  return outcome;
}

/** How the replacement ended; without a summary if only tool results were cut. */
type Replacement = { kind: "applied"; summary?: string; sizes?: Sizes } | { kind: "skipped" | "failed" };

type Cause = CompactionCause & { instructions: string };

async function replaceOlder(scope: CompactionScope, cause: Cause, given?: string): Promise<Replacement> {
  const { session } = scope.stream;
  const planned = roomOf(scope, cause.refused);
  const plan = planCompaction(session, planned);
  // The estimate of a short request is too rough to say whether it would fit.
  const isEvidence = cause.refused === undefined || cause.refused >= LEAST_EVIDENCE;
  const room = isEvidence ? planned : roomOf(scope);
  const hasWork = plan.toSummarise.length > 0 || plan.cuts.size > 0;
  if (given === undefined && !hasWork && cause.reason !== "overflow") return { kind: "skipped" };
  // Whether a summary helps is known once it is written, unless the rest alone fills the window.
  const mayHelp = plan.toSummarise.length > 0 ? plan.remainingTokens < room.limit : canShrink(plan, room);
  if (!mayHelp && given === undefined) return fail(scope, tooLong(scope, plan, room));
  if (given === undefined && plan.toSummarise.length === 0) {
    cutResults(scope, plan, room);
    session.inputTokens = Math.ceil(plan.remainingTokens);
    session.outputTokens = 0;
    scope.stream.runtime.journal?.update(session);
    return { kind: "applied" };
  }
  const earlier = sentPartsOf(session).summary;
  const { summary, cost, problem } =
    given === undefined ? await summarise(scope, cause, plan, room) : { summary: { text: given } };
  session.cost += cost ?? 0;
  if (!summary) return problem === undefined ? { kind: "failed" } : fail(scope, problem);
  const item: SummaryItem = {
    kind: "summary",
    agent: scope.agent.name,
    firstKept: plan.firstKept,
    ...(plan.kept.length > 0 ? { kept: plan.kept } : {}),
    ...summary,
    ...(cost === undefined ? {} : { cost }),
  };
  const next = plan.remainingTokens + estimateTokens(summaryMessage(item)) * room.scale;
  if (next >= room.limit) return fail(scope, "the summary is too long");
  cutResults(scope, plan, room);
  apply(scope, item);
  const replaced = plan.toSummarise.filter((message) => message !== earlier);
  const sizes = {
    replaced_messages: replaced.length,
    replaced_tokens: estimateAll(plan.toSummarise),
    summary_tokens: estimateTokens(summaryMessage(item)),
  };
  return { kind: "applied", summary: summary.text, sizes };
}

function summarise(
  scope: CompactionScope,
  { instructions }: Cause,
  plan: CompactionPlan,
  { limit, scale }: TokenBudget,
) {
  const {
    stream: { runtime, session, signal },
    agent,
  } = scope;
  const model = agent.compaction.model ?? scope.model;
  const { toSummarise, remainingTokens } = plan;
  const listener = { onDelta: () => {}, ...modelNoticeListener(runtime, session, agent) };
  return writeSummary({
    agent,
    model,
    toSummarise,
    instructions,
    limit,
    freeTokens: limit - remainingTokens,
    scale,
    listener,
    signal,
    meter: meterIn(scope.stream, agent),
  });
}

/** True if a plan shrinks the conversation and leaves ample room for a summary and an answer. */
function canShrink({ toSummarise, cuts, remainingTokens }: CompactionPlan, { limit }: TokenBudget): boolean {
  return (toSummarise.length > 0 || cuts.size > 0) && remainingTokens <= limit * (1 - SPARE_SHARE);
}

function fail({ stream: { runtime, session }, agent }: CompactionScope, problem: string): Replacement {
  const error = `the conversation is not compacted: ${problem}; nothing is lost`;
  report(runtime, agent, { type: "error", session_id: session.id, error });
  return { kind: "failed" };
}

function tooLong(
  scope: CompactionScope,
  { remainingTokens, newestMessageTokens }: CompactionPlan,
  { overhead }: TokenBudget,
): string {
  const window = windowOf(scope);
  const isKnown = window > 0 && remainingTokens >= window;
  const holds = isKnown ? `and the context window of ${scope.model.id} holds ${window}` : "which the provider refuses";
  return (
    `at least about ${Math.ceil(remainingTokens)} tokens must be sent (instructions and tools ${Math.ceil(overhead)}, the ` +
    `newest message ${Math.ceil(newestMessageTokens)}), ${holds}: shorten the message or use a model with a larger window`
  );
}

/** Marks the tool results that must be cut when they are sent; the record keeps them whole. */
function cutResults(
  { stream: { runtime, session }, agent }: CompactionScope,
  { cuts }: CompactionPlan,
  { scale }: TokenBudget,
): void {
  if (cuts.size === 0) return;
  for (const [at, tokens] of cuts) {
    const item = session.items[at];
    if (item?.kind === "message") session.items[at] = { ...item, cutTo: Math.floor(tokens / scale) };
  }
  const least = Math.floor(Math.min(...cuts.values()));
  const what = cuts.size === 1 ? "a tool result is" : `${cuts.size} tool results are`;
  const message = `${what} cut to about ${least} tokens to fit the context window`;
  report(runtime, agent, { type: "warning", message });
}

function apply({ stream: { runtime, session }, agent }: CompactionScope, item: SummaryItem): void {
  const { text, firstKept, cost, model, usage } = item;
  session.inputTokens = usage?.output_tokens || estimateTokens(summaryMessage(item));
  session.outputTokens = 0;
  recordItem(runtime, session, item);
  report(runtime, agent, {
    type: "session_summary",
    session_id: session.id,
    summary: text,
    first_kept_entry: firstKept,
    ...omitEmpty({ model, usage }),
    ...(cost === undefined ? {} : { cost }),
  });
}

/** Returns the budget of the next request; `refused` is the estimated size of a request that did not fit. */
function roomOf(scope: CompactionScope, refused?: number): TokenBudget {
  const {
    stream: { runtime, session, promptContext },
    agent,
    tools,
  } = scope;
  const opening = openingMessages(runtime.team, agent, session, { prompt: promptContext, turn: "" });
  const offered =
    tools ?? agent.toolsets.flatMap((toolset) => toolset.tools.map((tool) => ({ tool, isOfRuntime: false })));
  const overhead = estimateAll(opening) + estimateTools(definitionsOf(offered));
  const scale = scaleOf(session, scope.model.id, overhead);
  const window = windowOf(scope) || ASSUMED_LIMIT;
  return {
    limit: refused === undefined ? window : Math.min(window, refused * scale),
    overhead: overhead * scale,
    scale,
  };
}

/**
 * Returns the provider's token count divided by the estimate, for the last request to a model since the last summary.
 */
function scaleOf(session: Session, modelId: string, overhead: number): number {
  const at = session.items.findLastIndex((item) => item.kind === "summary" || isReportBy(item, modelId));
  const item = session.items[at];
  if (item?.kind !== "message") return 1;
  const estimate = overhead + estimateAll(conversationOf(session, at));
  if (estimate < LEAST_EVIDENCE) return 1;
  return Math.min(GREATEST_SCALE, Math.max(LEAST_SCALE, promptTokens(item.message.usage ?? {}) / estimate));
}

function isReportBy(item: Session["items"][number], modelId: string): item is MessageItem {
  return item.kind === "message" && item.message.model === modelId && promptTokens(item.message.usage ?? {}) > 0;
}

/** Returns the smallest window that must hold the conversation; 0 if unknown. */
function windowOf({ agent, model }: CompactionScope): number {
  const summariser = agent.compaction.model?.contextLimit ?? 0;
  return summariser > 0 && summariser < model.contextLimit ? summariser : model.contextLimit;
}
