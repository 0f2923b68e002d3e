import type { CallFacts, EventFacts } from "../../src/facts/facts.ts";
import type { HoldsAt } from "../../src/rules/history/session-history.ts";
import {
  CERTAIN,
  type Condition,
  NO,
  OPAQUE,
  type PastEvent,
  POSSIBLE,
  type Rule,
  type RuleHistory,
  type RuleVerdict,
} from "../../src/rules/rule.ts";

const NO_SETS = { paths: {}, hosts: {} };

/** A condition that holds of calls with this command, and possibly of those with a `$`. */
export function command(text: string): Condition {
  return { kind: "fact", fact: "command", test: { in: [text] } };
}

/** Tests a command against conditions of {@link command}, and results against `ok`. */
export const holdsAt: HoldsAt = (condition, facts) => {
  if (condition.kind !== "fact") throw new Error("only facts");
  const { fact, test } = condition;
  if (fact === "ok") return (facts.ok ?? false) === test.is ? CERTAIN : NO;
  const given = String(facts.call?.input["cmd"] ?? facts.text);
  if (given.includes("!")) throw new Error("cannot be tested");
  if (given.includes("%")) return OPAQUE;
  if (given.includes("$")) return POSSIBLE;
  return test.in?.includes(given) ? CERTAIN : NO;
};

export function past(when: Condition | undefined, more: Partial<PastEvent> = {}): PastEvent {
  const written = when?.kind === "fact" ? `${when.fact} ${when.test.in?.join()}` : "";
  return { when, event: "tool calls", written, ...more };
}

export function rule(verdict: RuleVerdict, history: RuleHistory, more: Partial<Rule> = {}): Rule {
  return {
    name: "rule",
    verdict,
    message: "no",
    on: ["pre_tool_use"],
    agents: undefined,
    observe: false,
    when: undefined,
    if: undefined,
    history,
    examples: undefined,
    sets: NO_SETS,
    path: ["rules", 0],
    ...more,
  };
}

/** The facts of an event: of a call of `shell`, unless it has a `text`. */
export function facts(event: string, cmd: string, more: Partial<EventFacts> & { id?: string } = {}): EventFacts {
  const { id, ...rest } = more;
  const call: CallFacts = {
    tools: ["shell"],
    class: "runs-commands",
    server: undefined,
    input: { cmd },
    steps: [],
    readable: true,
    exact: true,
    safety: "unknown",
    secrets: () => [],
  };
  return {
    event,
    call: event.endsWith("tool_use") || event === "permission_request" ? call : undefined,
    branch: () => undefined,
    dirty: () => Promise.resolve(false),
    agent: "root",
    depth: 0,
    source: undefined,
    cost: undefined,
    calls: undefined,
    text: cmd,
    ok: event === "post_tool_use" ? true : undefined,
    now: Date.now(),
    payload: id === undefined ? {} : { tool_use_id: id },
    ...rest,
  };
}

export const before = (cmd: string, id?: string, more: Partial<EventFacts> = {}) =>
  facts("pre_tool_use", cmd, { ...more, ...(id === undefined ? {} : { id }) });
export const result = (cmd: string, id?: string, more: Partial<EventFacts> = {}) =>
  facts("post_tool_use", cmd, { ...more, ...(id === undefined ? {} : { id }) });
