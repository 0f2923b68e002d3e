import type { Model, ModelRequest, Reply } from "../../model/model.ts";
import { type Agent, compactionThreshold } from "../agent/agent.ts";
import type { RunEventBody } from "../events/run-events.ts";
import { estimateAll, estimateTokens, estimateTools, promptTokens } from "../prompt/estimate-tokens.ts";
import type { Session } from "../session/session.ts";
import { isCostPartial, knownCost } from "../session/session-cost.ts";
import { type Runtime, report } from "../stream/runtime.ts";

type UsageReport = Extract<RunEventBody, { type: "token_usage" }>["usage"];

/**
 * Sets the size of a session after a call: the provider's count, or else an estimate. Some servers report zero for what
 * they do not count.
 */
export function updateSessionSize(
  session: Session,
  { messages, tools }: Pick<ModelRequest, "messages" | "tools">,
  reply: Reply,
): void {
  const { usage = {}, blocks } = reply;
  const counted = promptTokens(usage);
  session.inputTokens = counted || estimateAll(messages) + estimateTools(tools);
  session.outputTokens = usage.output_tokens || estimateTokens({ role: "assistant", blocks });
  if (counted > 0) delete session.tokensAreEstimated;
  else session.tokensAreEstimated = true;
}

/** Reports the session's size, context window and cost, and the usage of the last call. */
export function reportUsage(
  runtime: Runtime,
  session: Session,
  agent: Agent,
  model: Model,
  lastMessage?: NonNullable<UsageReport["last_message"]>,
): void {
  report(runtime, agent, {
    type: "token_usage",
    session_id: session.id,
    usage: {
      input_tokens: session.inputTokens,
      output_tokens: session.outputTokens,
      context_length: session.inputTokens + session.outputTokens,
      context_limit: model.contextLimit,
      ...(session.tokensAreEstimated ? { estimated: true } : {}),
      cost: knownCost(session.cost, isCostPartial(session.items)),
      compaction_threshold: compactionThreshold(agent.compaction),
      ...(lastMessage ? { last_message: lastMessage } : {}),
    },
  });
  runtime.journal?.update(session);
}
