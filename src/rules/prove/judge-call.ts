import { eventFacts } from "../../facts/event-facts.ts";
import type { EventFacts } from "../../facts/facts.ts";
import type { Place } from "../../facts/place.ts";
import { withStated } from "../../facts/stated-facts.ts";
import { type CompiledRules, compileRules } from "../compile.ts";
import { judgeRules } from "../judge.ts";
import type { Rule } from "../rule.ts";
import type { History, Judge, Witness } from "./call.ts";

const known = new WeakMap<readonly Rule[], CompiledRules>();

/** Judges calls as a dispatch in a place does. */
export function judgeAt(place: Place): Judge {
  return (call) => {
    const facts = factsOfCall(call, place);
    return {
      async hits(rules, history: History) {
        let compiled = known.get(rules);
        if (!compiled) {
          compiled = compileRules(rules.map(asDenial));
          known.set(rules, compiled);
        }
        const answers = rules.map(history);
        const { hits } = await judgeRules(compiled, facts, {
          place,
          history: { holds: (rule) => ({ truth: answers[Number(rule.name)] ?? false, says: [] }) },
        });
        const names = new Set(hits.map(({ name }) => name));
        return rules.map((_, index) => names.has(String(index)));
      },
    };
  };
}

/** A rule under the number by which its hit is recognized. */
function asDenial(rule: Rule, index: number) {
  return {
    ...rule,
    name: String(index),
    verdict: "deny" as const,
    message: "no",
    observe: false,
    if: undefined,
    when: rule.when ?? ALWAYS,
    source: async () => "",
  };
}

const ALWAYS = { kind: "all", of: [] } as const;

/** The facts of a call on `pre_tool_use`, with those of the event that the call states. */
export function factsOfCall({ tool, input, facts: stated = {} }: Witness, place: Place): EventFacts {
  const payload = { hook_event_name: "pre_tool_use", tool_name: tool, tool_input: { ...input }, cwd: place.cwd };
  const facts = eventFacts("pre_tool_use", payload, { toolNames: [], host: undefined, place });
  return withStated(facts, stated);
}
