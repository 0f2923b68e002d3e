import type { FlagSpecs } from "./flags.ts";

/** The flags by which a verb that runs things is told whom to trust. Source: config-and-cli 7.7 (trust). */
export const TRUST_FLAGS = {
  trust: {
    kind: "list",
    hint: "DIGEST",
    description: "Trust an agent from elsewhere with this content, this time; may repeat",
  },
  "trust-all": { kind: "switch", description: "Trust every agent from elsewhere, this time, whatever it executes" },
} as const satisfies FlagSpecs;
