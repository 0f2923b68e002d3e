import type { Model } from "../model/model.ts";
import type { Agent } from "./agent.ts";
import { compactionThreshold } from "./compaction-settings.ts";
import type { RunEventBody } from "./events.ts";
import { report, type Runtime } from "./runtime.ts";
import type { Session } from "./session.ts";

type UsageReport = Extract<RunEventBody, { type: "token_usage" }>["usage"];

/** Reports where the session stands: its size, the window, what it cost, and what the last call used. */
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
      cost: session.cost,
      compaction_threshold: compactionThreshold(agent.compaction),
      ...(lastMessage ? { last_message: lastMessage } : {}),
    },
  });
  runtime.journal?.update(session);
}
