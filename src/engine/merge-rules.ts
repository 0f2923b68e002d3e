import { contractOf, type EventName } from "../protocol/events.ts";
import type { AnyResult } from "../protocol/result.ts";
import type { RulesVerdict } from "./rules.ts";

/**
 * Adds the verdict of rules to the result of the hooks of an event. A denial of any wins, then an ask of any. Warnings and
 * context of rules stand before those of hooks.
 */
export function mergeRules(event: EventName, result: AnyResult, verdict: RulesVerdict): AnyResult {
  const contract = contractOf(event);
  return {
    ...decided(contract.verdict, result, verdict),
    ...joined("system_message", verdict.warnings, result),
    ...(contract.context === undefined ? {} : joined("additional_context", verdict.contexts, result)),
  };
}

function joined(key: "system_message" | "additional_context", texts: readonly string[], result: AnyResult) {
  const all = [...texts, result[key]].filter((text) => text !== undefined && text !== "");
  return all.length === 0 ? {} : { [key]: all.join("\n") };
}

/** What an answer of a hook or rule means on the event: see `verdict` of a contract. */
type Meaning = "decision" | "permission" | undefined;

function decided(meaning: Meaning, result: AnyResult, verdict: RulesVerdict): AnyResult {
  const [reason] = verdict.messages;
  const because = reason === undefined ? {} : { decision_reason: reason };
  const hooks = result.allowed ? result.decision : "deny";
  switch (verdict.decision) {
    case "stop":
    case "deny": {
      const message = [...verdict.messages, ...(result.message === undefined ? [] : [result.message])].join("\n");
      const { permission_allowed: _overruled, ...rest } = result;
      const denied = { ...rest, allowed: false, message };
      return meaning === "decision" ? { ...denied, decision: "deny", ...because } : denied;
    }
    case "ask":
      return hooks === "deny" ? result : { ...result, decision: "ask", ...because };
    case "allow":
      if (hooks === "deny" || hooks === "ask") return result;
      return meaning === "permission"
        ? { ...result, permission_allowed: true, ...because }
        : { ...result, decision: "allow", ...because };
    default:
      return result;
  }
}

const STRICTNESS: readonly RulesVerdict["decision"][] = ["allow", undefined, "ask", "deny", "stop"];

/** Returns the stricter of the verdicts before and after a rewrite, with what both say besides. */
export function tightened(before: RulesVerdict, after: RulesVerdict): RulesVerdict {
  const isStricter = STRICTNESS.indexOf(after.decision) > STRICTNESS.indexOf(before.decision);
  const { decision, messages } = isStricter ? after : before;
  const union = (key: "warnings" | "contexts") => [...new Set([...before[key], ...after[key]])];
  const seen = new Set(before.hits.map(hitKey));
  return {
    decision,
    messages,
    warnings: union("warnings"),
    contexts: union("contexts"),
    hits: [...before.hits, ...after.hits.filter((hit) => !seen.has(hitKey(hit)))],
  };
}

function hitKey({ name, source, facts }: RulesVerdict["hits"][number]): string {
  return JSON.stringify([name, source, facts]);
}
