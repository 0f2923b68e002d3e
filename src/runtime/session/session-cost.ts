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
