import type { FlagGroups } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { jobsFlag } from "../cli/jobs-flag.ts";
import { DIALECTS } from "../dialects/names.ts";
import { MODEL_FLAGS } from "../hooks/lazy-model-client.ts";

/** How tests run. */
const RUN_FLAGS = {
  run: { kind: "value", hint: "REGEX", description: "Run only the tests whose name matches the regular expression" },
  dialect: {
    kind: "value",
    hint: "NAME",
    choices: [...Object.keys(DIALECTS), "all"],
    description: "Send the events as another agent does, and read the answers as it does; all: every agent in turn",
  },
  ...jobsFlag("N tests"),
  "fail-fast": { kind: "switch", description: "Stop at the first test that fails" },
  watch: { kind: "switch", alias: "w", description: "Run again whenever tests, hooks or their scripts change" },
  update: { kind: "switch", alias: "u", description: "Write the verdicts of recorded events to their files" },
} as const satisfies FlagSpecs;

/** What is checked besides the tests. */
const CHECK_FLAGS = {
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
} as const satisfies FlagSpecs;

/** What `hooksh test` does instead of running tests. */
const INSTEAD_FLAGS = {
  attacks: {
    kind: "optional",
    hint: "CATEGORY",
    description: "Show the hooks a list of dangerous tool calls instead, and print which ones pass; runs none of them",
  },
  init: { kind: "value", hint: "AGENT", description: "Write a first AGENT.hooktest.yaml from what is configured" },
  agent: {
    kind: "value",
    alias: "a",
    hint: "NAME",
    description: "--attacks, --init: the agent in the file (default: the first)",
  },
} as const satisfies FlagSpecs;

const OUTPUT_FLAGS = {
  json: { kind: "switch", description: "Print JSON, one object per line" },
  junit: { kind: "value", hint: "FILE", description: "Also write the results as JUnit XML" },
} as const satisfies FlagSpecs;

export const TEST_FLAGS = {
  ...RUN_FLAGS,
  ...CHECK_FLAGS,
  ...INSTEAD_FLAGS,
  ...OUTPUT_FLAGS,
  ...MODEL_FLAGS,
} as const satisfies FlagSpecs;

export const TEST_FLAG_GROUPS: FlagGroups = {
  "How tests run": RUN_FLAGS,
  "More checks": CHECK_FLAGS,
  "Instead of tests": INSTEAD_FLAGS,
  Output: OUTPUT_FLAGS,
  "Hooks that ask a model": MODEL_FLAGS,
};
