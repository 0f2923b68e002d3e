import type { Usage } from "../../model/messages/message.ts";
import type { Session } from "./session.ts";

/** What tells whether a part of a session has a known cost: an item as it is kept in memory, stored or exported. */
interface CostlyItem {
  kind: string;
  message?: { role: string; model?: string | undefined; cost?: number | undefined };
  evaluation?: { cost?: number | undefined };
  model?: string | undefined;
  cost?: number | undefined;
}

/**
 * True if a call to a model or an evaluator has no known cost, because the model has no price or the service reported no
 * tokens: the cost of the session is then too low.
 */
export function isCostPartial(items: readonly object[]): boolean {
  return (items as readonly CostlyItem[]).some(({ kind, message, evaluation, model, cost }) => {
    if (kind === "evaluation") return evaluation?.cost === undefined;
    if (kind === "summary") return model !== undefined && cost === undefined;
    return message?.role === "assistant" && message.model !== undefined && message.cost === undefined;
  });
}

/** Returns a cost as a number for programs; null if nothing of it is known. */
export function knownCost(cost: number, isPartial: boolean): number | null {
  return isPartial && cost === 0 ? null : cost;
}

/** Returns a cost for people: `$0.1234`, `over $0.1234` if only a part is known, or `unknown`. */
export function costText(cost: number, isPartial: boolean, digits = 4): string {
  if (knownCost(cost, isPartial) === null) return "unknown";
  return `${isPartial ? "over " : ""}$${cost.toFixed(digits)}`;
}

/** What an agent has asked of one model. */
export interface CostShare {
  agent: string;
  model: string;
  calls: number;
  /** Tokens that the provider reported, cached ones included. */
  inputTokens: number;
  outputTokens: number;
  cost: number;
  /** True if the cost of a call is unknown. */
  isPartial: boolean;
}

/** Returns what each agent has asked of each model in a session and its sub-sessions, in the order of the first calls. */
export function costShares(session: Session): CostShare[] {
  const shares = new Map<string, CostShare>();
  const add = (agent: string, model: string, usage: Usage | undefined, cost: number | undefined) => {
    const key = JSON.stringify([agent, model]);
    const share = shares.get(key) ?? { ...NOTHING, agent, model };
    const { input_tokens = 0, cached_input_tokens = 0, cached_write_tokens = 0, output_tokens = 0 } = usage ?? {};
    shares.set(key, {
      ...share,
      calls: share.calls + 1,
      inputTokens: share.inputTokens + input_tokens + cached_input_tokens + cached_write_tokens,
      outputTokens: share.outputTokens + output_tokens,
      cost: share.cost + (cost ?? 0),
      isPartial: share.isPartial || cost === undefined,
    });
  };
  const visit = ({ items }: Session) => {
    for (const item of items) {
      if (item.kind === "subsession") visit(item.session);
      else if (item.kind === "summary" && item.model !== undefined) add(item.agent, item.model, item.usage, item.cost);
      else if (item.kind === "evaluation") {
        const { agent_name: agent, model, usage, cost } = item.evaluation;
        add(agent, model, usage, cost);
      } else if (item.kind === "message" && item.message.role === "assistant" && item.message.model !== undefined) {
        const { model, usage, cost } = item.message;
        add(item.agent, model, usage, cost);
      }
    }
  };
  visit(session);
  return [...shares.values()];
}

const NOTHING = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, isPartial: false };

/** Returns the cost of a session with its sub-sessions, also of calls that are no longer in its record. */
export function costWithChildren({ cost, items }: Session): number {
  return items.reduce((sum, item) => (item.kind === "subsession" ? sum + costWithChildren(item.session) : sum), cost);
}
