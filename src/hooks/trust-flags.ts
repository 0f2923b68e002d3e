import type { FlagSpecs } from "../cli/flags.ts";

/** The flags that say which agents from elsewhere a run trusts; see docs/agents-from-elsewhere.md#trust. */
export const TRUST_FLAGS = {
  trust: {
    kind: "list",
    hint: "DIGEST",
    description: "Trust an agent from elsewhere that has this digest, for this run; can be repeated",
  },
  "trust-all": { kind: "switch", description: "Trust every agent from elsewhere, for this run, whatever it executes" },
} as const satisfies FlagSpecs;
