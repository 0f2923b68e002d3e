import { print } from "../../cli/print.ts";
import { EXIT_CODES } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import { shownCondition } from "../../rules/prove/shown-condition.ts";
import type { PastEvent, RuleHistory } from "../../rules/rule.ts";
import { loadRulesFor, onlyAgent, sourcesOf } from "./load-rules.ts";
import type { RulesInput } from "./rules-input.ts";
import { folded } from "./rules-text.ts";

/** `hooksh rules list`: every rule in force. */
export async function listRules(input: RulesInput, words: readonly string[]): Promise<number> {
  const { rules } = await loadRulesFor(input, onlyAgent("list", words));
  const sources = await sourcesOf(rules);
  const listed = rules.map(({ name, verdict, message, on, observe, when, if: expression, agents, history }, index) => ({
    name,
    source: sources[index] ?? "",
    verdict,
    message,
    on,
    mode: observe ? "observe" : "enforce",
    ...omitEmpty({ when: when && shownCondition(when), if: expression, agents, ...shownHistory(history) }),
  }));
  if (input.flags.json) await print(JSON.stringify(listed, undefined, 2));
  else if (listed.length === 0) await print("no rules are in force");
  else
    await print(
      listed
        .map(({ name, source, verdict, message, on, mode, ...rest }) => {
          const conditions = Object.entries(rest).map(
            ([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`,
          );
          const notes = [
            ...(mode === "observe" ? ["only observes"] : []),
            ...(String(on) === "pre_tool_use" ? [] : [`on ${on.join(", ")}`]),
          ];
          return [
            `${name} (${source})`,
            folded(`${verdict}: ${message}`),
            ...[...conditions, ...notes].map(folded),
          ].join("\n");
        })
        .join("\n"),
    );
  return EXIT_CODES.ok;
}

/** The conditions on the past, as they are written. */
function shownHistory({ after = [], unlessAfter = [], moreThan }: RuleHistory): Record<string, unknown> {
  const written = (events: readonly PastEvent[]) => events.map((event) => event.written).join(" or ");
  return {
    after: written(after),
    unless_after: written(unlessAfter),
    more_than: moreThan && {
      n: moreThan.n,
      per: moreThan.perText ?? "session",
      ...(moreThan.sameCall ? { same_call: true } : {}),
    },
  };
}
