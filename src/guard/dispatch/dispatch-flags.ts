import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { FlagGroups } from "../../cli/define-command.ts";
import type { FlagSpecs } from "../../cli/flags.ts";
import { keepAnswer } from "../../cli/print.ts";
import { RESTRICTION_FLAGS } from "../../cli/restriction-flag.ts";
import { TRUST_FLAGS } from "../../hooks/hook-flags.ts";
import { MODEL_FLAGS } from "../../hooks/lazy-model-client.ts";
import { SOURCE_FLAGS } from "../../hooks/load-hooks.ts";
import { UsageError } from "../../lib/errors.ts";
import { parseDuration } from "../../lib/text/duration.ts";
import type { Host } from "../host.ts";
import { WATCH_FLAGS } from "../watch/watch-options.ts";
import { VERDICT_FORMATS } from "./verdicts.ts";

const INPUT_FLAGS = {
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
  input: { kind: "value", hint: "FILE", description: "Read events from a file instead of standard input (-)" },
  "input-timeout": {
    kind: "value",
    hint: "DURATION",
    description: "Stop reading after this long without input: 2s, 500ms (default: read to the end of the input)",
  },
  stream: { kind: "switch", isIgnored: true, description: "No effect: dispatch always reads to the end of the input" },
} as const satisfies FlagSpecs;

const OUTPUT_FLAGS = {
  output: {
    kind: "value",
    hint: "FORMAT",
    choices: VERDICT_FORMATS,
    description: "hook (what a hook would print), result (everything), text (default: hook)",
  },
  details: { kind: "switch", description: "Add the outcome of each hook" },
  "fail-fast": { kind: "switch", description: "Stop after the first blocked event" },
  proof: {
    kind: "switch",
    description:
      "For the command line that hooksh install registers: answer an agent in three lines that end with proof",
  },
} as const satisfies FlagSpecs;

const ANSWER_FLAGS = {
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
} as const satisfies FlagSpecs;

const RECORD_FLAGS = {
  ...WATCH_FLAGS,
  capture: {
    kind: "value",
    hint: "DIR",
    description: "Also keep what an agent sends, as files without secrets (default: HOOKSH_CAPTURE)",
  },
  "host-version": {
    kind: "value",
    hint: "VERSION",
    description: "With --capture: the agent's version, for the name of the folder",
  },
} as const satisfies FlagSpecs;

/** The flag that says where hooks run. */
export const WORKING_DIR_FLAG = {
  "working-dir": { kind: "value", hint: "DIR", description: "Where hooks run (default: the current directory)" },
} as const satisfies FlagSpecs;

/** The flags of the verbs that answer agents. */
export const ANSWERING_FLAGS = {
  ...ANSWER_FLAGS,
  ...SOURCE_FLAGS,
  ...WORKING_DIR_FLAG,
  ...MODEL_FLAGS,
  ...TRUST_FLAGS,
  ...RESTRICTION_FLAGS,
  ...RECORD_FLAGS,
} as const satisfies FlagSpecs;

/** The headings of the flags that choose hooks, as in {@link ANSWERING_FLAGS}. */
export const HOOK_FLAG_GROUPS: FlagGroups = {
  Hooks: { ...SOURCE_FLAGS, ...WORKING_DIR_FLAG },
  "Hooks that ask a model": MODEL_FLAGS,
  Trust: { ...TRUST_FLAGS, ...RESTRICTION_FLAGS },
};

export const ANSWERING_FLAG_GROUPS: FlagGroups = {
  Answers: ANSWER_FLAGS,
  ...HOOK_FLAG_GROUPS,
  Records: RECORD_FLAGS,
};

export const DISPATCH_FLAGS = { ...INPUT_FLAGS, ...OUTPUT_FLAGS, ...ANSWERING_FLAGS } as const satisfies FlagSpecs;

export const DISPATCH_FLAG_GROUPS: FlagGroups = {
  Input: INPUT_FLAGS,
  Output: OUTPUT_FLAGS,
  ...ANSWERING_FLAG_GROUPS,
};

/** Returns the directory in which hooks run and against which relative paths are resolved. Throws a {@link UsageError}. */
export function workingDirOf(given: string | undefined): string {
  const path = resolve(given ?? ".");
  if (given === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`--working-dir ${given}: no such directory`);
}

/** Keeps the answer to a host for `--proof`. Throws a {@link UsageError} if no host waits for one. Returns the host. */
export function withProof(
  host: Host | undefined,
  { proof, output }: { proof?: boolean | undefined; output?: string | undefined },
) {
  if (!proof) return host;
  if (host === undefined || (output ?? "hook") !== "hook")
    throw new UsageError("--proof is for an answer to another agent: name it with --dialect, and leave --output out");
  keepAnswer();
  return host;
}

/** Returns the milliseconds of a flag that takes a duration. Throws a {@link UsageError}. */
export function durationOf(duration: string | undefined, flag: string): number | undefined {
  if (duration === undefined) return undefined;
  const milliseconds = parseDuration(duration);
  if (milliseconds) return milliseconds;
  throw new UsageError(`--${flag} takes a duration such as 2s or 500ms, not ${JSON.stringify(duration)}`);
}
