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
    description: "--attacks: the agent in the file (default: the first)",
  },
  json: { kind: "switch", description: "Print JSON, one object per line" },
} as const satisfies FlagSpecs;
