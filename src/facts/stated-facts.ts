import type { EventFacts } from "./facts.ts";

/** Facts of an event, with those that are stated in place of what it says. */
export function withStated(facts: EventFacts, stated: Readonly<Record<string, unknown>>): EventFacts {
  const text = (name: string): string | undefined => (typeof stated[name] === "string" ? stated[name] : undefined);
  const number = (name: string): number | undefined => (typeof stated[name] === "number" ? stated[name] : undefined);
  const { branch, dirty } = facts;
  return {
    event: facts.event,
    call: facts.call,
    branch: () => text("branch") ?? branch(),
    dirty: async () => (typeof stated["dirty"] === "boolean" ? stated["dirty"] : dirty()),
    agent: text("agent") ?? facts.agent,
    depth: number("depth") ?? facts.depth,
    source: text("source") ?? facts.source,
    cost: number("cost") ?? facts.cost,
    calls: number("calls") ?? facts.calls,
    text: text("text") ?? facts.text,
    ok: typeof stated["ok"] === "boolean" ? stated["ok"] : facts.ok,
    now: facts.now,
    payload: facts.payload,
  };
}
