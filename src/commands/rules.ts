import { defineCommand } from "../cli/define-command.ts";
import { SOURCE_FLAGS } from "../hooks/load-hooks.ts";
import { UsageError } from "../lib/errors.ts";
import { nearestName } from "../lib/text/nearest.ts";
import { ACTION_FLAGS, RULES_FLAGS, type RulesInput } from "./rules/rules-input.ts";

/** `hooksh rules`: what rules say, about one call and about all. */
export const command = defineCommand({
  positionals: "list|explain|prove|compare|suggest [ARG...]",
  description:
    "list [AGENT] prints the rules in force. explain [AGENT] LINE prints what a command line does and which rules hit; with -\n" +
    "it reads an event as JSON, with --tool NAME the input of another tool. prove [AGENT] --never-passes WHEN says whether a\n" +
    "call with these facts can pass all rules, and shows one (exit 0 proved, 2 refuted, 3 undecided). compare OLD NEW shows a\n" +
    "call for everything that one file stops and the other does not (exit 2 if NEW is weaker, 3 undecided). suggest proposes\n" +
    "rules for what was approved again and again. Runs no hook and no command.",
  flags: RULES_FLAGS,
  flagGroups: { Rules: ACTION_FLAGS, Sources: SOURCE_FLAGS },
  run: runRules,
});

const ACTIONS = {
  list: async (input: RulesInput, words: readonly string[]) =>
    (await import("./rules/list-rules.ts")).listRules(input, words),
  explain: async (input: RulesInput, words: readonly string[]) =>
    (await import("./rules/explain-call.ts")).explainCall(input, words),
  prove: async (input: RulesInput, words: readonly string[]) =>
    (await import("./rules/prove-rules.ts")).proveRules(input, words),
  compare: async (input: RulesInput, words: readonly string[]) =>
    (await import("./rules/compare-files.ts")).compareFiles(input, words),
  suggest: async (input: RulesInput, words: readonly string[]) =>
    (await import("./rules/suggest-rules.ts")).suggestRules(input, words),
} as const;

/** The flags that belong to one action. */
const ACTION_OF = {
  tool: "explain",
  "never-passes": "prove",
  "ask-passes": "prove",
  since: "suggest",
  write: "suggest",
} as const satisfies Partial<Record<keyof typeof ACTION_FLAGS, keyof typeof ACTIONS>>;

async function runRules(input: RulesInput): Promise<number> {
  const { flags, positionals } = input;
  const [action = "", ...words] = positionals;
  if (!isAction(action)) {
    const close = nearestName(action, Object.keys(ACTIONS));
    const advice = close === undefined ? "" : `; did you mean ${close}?`;
    const given = action === "" ? "" : `, not ${JSON.stringify(action)}${advice}`;
    throw new UsageError(`rules takes list, explain, prove, compare or suggest${given}`);
  }
  for (const [flag, owner] of Object.entries(ACTION_OF) as [keyof typeof ACTION_OF, string][])
    if (flags[flag] !== undefined && flags[flag] !== false && owner !== action)
      throw new UsageError(`--${flag} is a flag of rules ${owner}`);
  return ACTIONS[action](input, words);
}

function isAction(text: string): text is keyof typeof ACTIONS {
  return Object.hasOwn(ACTIONS, text);
}
