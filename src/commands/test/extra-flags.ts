import { DIALECTS } from "../../dialects/names.ts";
import type { FlagSpecs } from "../cli/flags.ts";

/** The flags of `hooksh test` that do more than run the tests of files. */
export const EXTRA_FLAGS = {
  attacks: {
    kind: "optional",
    hint: "CATEGORY",
    description: "Show the hooks a list of dangerous tool calls instead, and print which ones pass; runs none of them",
  },
  agent: {
    kind: "value",
    alias: "a",
    hint: "NAME",
    description: "--attacks, --init: the agent in the file (default: the first)",
  },
  coverage: {
    kind: "optional",
    hint: "MIN",
    description: "Print which hooks, matchers and answers no test showed; exit 1 below MIN percent",
  },
  budget: {
    kind: "optional",
    hint: "LIMIT",
    description:
      "Exit 1 if the 95th percentile of a hook's durations is above LIMIT: 200ms, or 50% of its timeout (default: 80%)",
  },
  fuzz: {
    kind: "value",
    hint: "N",
    description:
      "Also try up to N other spellings of each item under each that must be denied; a spelling that is not denied fails",
  },
  seed: {
    kind: "value",
    hint: "S",
    description: "--fuzz: try the same spellings again (default: random, and printed)",
  },
  "fuzz-skip": { kind: "list", hint: "NAME", description: "--fuzz: leave out a spelling, such as 'full-width word'" },
  dialect: {
    kind: "value",
    hint: "NAME",
    choices: [...Object.keys(DIALECTS), "all"],
    description: "Send the events as another agent does, and read the answers as it does; all: every agent in turn",
  },
  init: { kind: "value", hint: "AGENT", description: "Write a first AGENT.hooktest.yaml from what is configured" },
  json: { kind: "switch", description: "Print JSON, one object per line" },
} as const satisfies FlagSpecs;
