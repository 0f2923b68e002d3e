import type { FlagSpecs } from "../cli/flags.ts";
import { RESTRICTION_FLAGS } from "../cli/restriction-flag.ts";
import { TRUST_FLAGS } from "../cli/trust-flags.ts";
import { SOURCE_FLAGS } from "../hooks/load-hooks.ts";
import { WATCH_FLAGS } from "../watch/watch-flags.ts";
import { MODEL_FLAGS } from "./lazy-model-client.ts";
import { VERDICT_FORMATS } from "./verdicts.ts";

/** The flags of `hooksh dispatch`. */
export const DISPATCH_FLAGS = {
  ...SOURCE_FLAGS,
  ...MODEL_FLAGS,
  ...TRUST_FLAGS,
  ...RESTRICTION_FLAGS,
  ...WATCH_FLAGS,
  dialect: {
    kind: "value",
    hint: "NAME",
    description: "The agent that sends the events, such as claude (default: auto, which recognises it)",
  },
  event: {
    kind: "value",
    hint: "EVENT",
    description: "Event name, in the agent's spelling, for objects that name none",
  },
  ask: {
    kind: "value",
    hint: "ANSWER",
    choices: ["deny", "allow"],
    description: "What an ask becomes for an agent that cannot ask: a denial, or no opinion (default: deny)",
  },
  deadline: {
    kind: "value",
    hint: "DURATION",
    description:
      "Answer an agent within this time: a verdict that takes longer is a denial (default: below the agent's timeout)",
  },
  capture: {
    kind: "value",
    hint: "DIR",
    description: "Also keep what an agent sends, as files without secrets (default: HOOKSH_CAPTURE)",
  },
  input: { kind: "value", hint: "FILE", description: "Read events from a file instead of standard input (-)" },
  output: {
    kind: "value",
    hint: "FORMAT",
    choices: VERDICT_FORMATS,
    description: "hook (what a hook would print), result (everything), text (default: hook)",
  },
  details: { kind: "switch", description: "Add the outcome of each hook" },
  "fail-fast": { kind: "switch", description: "Stop after the first blocked event" },
  "input-timeout": {
    kind: "value",
    hint: "DURATION",
    description: "Stop reading after this long without input: 2s, 500ms (default: read to the end of the input)",
  },
  stream: { kind: "switch", description: "No effect: dispatch always reads to the end of the input" },
  "working-dir": { kind: "value", hint: "DIR", description: "Where hooks run (default: the current directory)" },
} as const satisfies FlagSpecs;
