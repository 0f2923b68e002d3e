import type { CommandInput } from "../../cli/define-command.ts";
import type { FlagSpecs } from "../../cli/flags.ts";
import { SOURCE_FLAGS } from "../../hooks/load-hooks.ts";

/** The flags of single actions. */
export const ACTION_FLAGS = {
  tool: { kind: "value", hint: "NAME", description: "explain: a call of this tool; its input is JSON" },
  "never-passes": {
    kind: "value",
    hint: "WHEN",
    description: "prove: the conditions, as the when of a rule in one line",
  },
  "ask-passes": { kind: "switch", description: "prove: treat calls that need approval as passing" },
  since: { kind: "value", hint: "TIME", description: "suggest: approvals since then (default: 30d)" },
  write: { kind: "value", hint: "FILE", description: "suggest: write the rules to this file" },
  json: { kind: "switch", description: "Print JSON" },
} as const satisfies FlagSpecs;

/** The flags of `hooksh rules`. */
export const RULES_FLAGS = { ...ACTION_FLAGS, ...SOURCE_FLAGS } as const satisfies FlagSpecs;

/** The input of `hooksh rules`. */
export type RulesInput = CommandInput<typeof RULES_FLAGS>;
