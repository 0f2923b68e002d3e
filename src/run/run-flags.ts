import type { CommandInput, FlagGroups } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { RESTRICTION_FLAGS } from "../cli/restriction-flag.ts";
import { SESSION_FLAGS } from "../cli/session-flags.ts";
import { SAFETY_MODES } from "../config/permissions/safety-modes.ts";
import { WATCH_FLAGS } from "../guard/watch/watch-options.ts";
import { HOOK_FLAGS, TRUST_FLAGS } from "../hooks/hook-flags.ts";
import { REPLAY_FLAGS } from "../hooks/lazy-model-client.ts";
import { LIMIT_FLAGS } from "./limit-flags.ts";

/** Which agent runs, and with which models. */
const AGENT_FLAGS = {
  agent: {
    kind: "value",
    alias: "a",
    hint: "NAME",
    description: "Start with this agent (default: root, else the first)",
  },
  model: {
    kind: "list",
    hint: "[AGENT=]MODEL",
    description: "Use provider/model, for all agents or one; can be repeated",
  },
  "env-from-file": {
    kind: "list",
    hint: "FILE",
    description: "Read keys from a file of NAME=VALUE lines; can be repeated",
  },
  "working-dir": {
    kind: "value",
    hint: "DIR",
    description: "Where tools and hooks run (default: the current directory)",
  },
  worktree: {
    kind: "optional",
    alias: "w",
    hint: "NAME",
    description: "Run in a new git worktree on the branch worktree-NAME (write --worktree=NAME, or no name)",
  },
} as const satisfies FlagSpecs;

/** Which session it is, and what the model gets to read. */
const CONVERSATION_FLAGS = {
  ...SESSION_FLAGS,
  attach: {
    kind: "list",
    hint: "FILE",
    description: "Send an image, a PDF or a text file with the first message; can be repeated",
  },
  "prompt-file": {
    kind: "list",
    hint: "NAME",
    description: "Another file name that add_prompt_files looks for; can be repeated",
  },
  exec: { kind: "switch", description: "Never open the prompt" },
} as const satisfies FlagSpecs;

/** What runs without asking, and what hooksh trusts. */
const SAFETY_FLAGS = {
  safety: { kind: "value", hint: "MODE", choices: SAFETY_MODES, description: "Which tools run without asking" },
  yolo: {
    kind: "switch",
    description:
      "Run tools without asking, unless a hook asks; hooks and deny rules still apply (same as --safety autonomous)",
  },
  ask: {
    kind: "value",
    hint: "ANSWER",
    choices: ["allow"],
    description:
      "Answer a hook that asks for your approval: allow runs the call (default: you are asked, or it is denied)",
  },
  ...TRUST_FLAGS,
  "trust-folder": {
    kind: "switch",
    description: "Trust the agent file that is found in the working directory, for this run",
  },
  ...RESTRICTION_FLAGS,
} as const satisfies FlagSpecs;

/** What a run prints, and how it exits. */
const OUTPUT_FLAGS = {
  json: { kind: "switch", description: "Print every event of the run as a line of JSON (see hooksh schema events)" },
  last: {
    kind: "switch",
    description:
      "Print only the final answer, or nothing if the run fails; with --json, as one JSON value. Never asks for approval",
  },
  "output-format": {
    kind: "value",
    hint: "FORMAT",
    choices: ["text", "json", "stream-json"],
    description:
      "What standard output has: text (default), json (one object at the end, with the answer), or stream-json (same as --json)",
  },
  print: {
    kind: "switch",
    alias: "p",
    description: "Print only the final answer, as --last does; standard error shows the calls as they happen",
  },
  "hide-tool-calls": {
    kind: "switch",
    description: "Without a terminal, print only the answer to each message; report denied calls on standard error",
  },
  "hide-tool-results": { kind: "switch", description: "Print tool calls without their results" },
  plain: {
    kind: "switch",
    description: "At a terminal: lines of text without escape sequences, for screen readers and logs",
  },
  "fail-on-denied": {
    kind: "switch",
    description: "Exit with 3 if a hook, a rule or the mode denied a tool call, or if nobody was there to approve it",
  },
  "no-github": {
    kind: "switch",
    description: "In a GitHub workflow: print no annotations, and write no outputs and no step summary",
  },
} as const satisfies FlagSpecs;

/** What a run writes besides its output. */
const RECORD_FLAGS = {
  snapshot: {
    kind: "switch",
    description:
      "Record what each turn changes, for hooksh undo (default: settings.snapshot; else, at a terminal, only turns that may write)",
  },
  ...WATCH_FLAGS,
  record: {
    kind: "optional",
    hint: "[KIND:]FILE",
    kinds: { ...WATCH_FLAGS.record.kinds, models: "record" },
    description:
      "Record, without secrets: events:DIR (events and verdicts), trace:FILE, models:FILE (answers of models, for --replay; " +
      "also --record=FILE, or --record for a new file); can be repeated",
  },
} as const satisfies FlagSpecs;

/** How to try a run without a model. */
const TRIAL_FLAGS = {
  "dry-run": {
    kind: "switch",
    description:
      "Check the configuration and the keys, start and fetch nothing, print a summary; exit 1 if a run could not begin for them",
  },
  "strict-version": { kind: "switch", description: "Treat a key that is newer than the file's version as an error" },
  ...REPLAY_FLAGS,
  "replay-stream": {
    kind: "optional",
    hint: "MS",
    description: "Wait between the pieces of a replayed answer (write --replay-stream=MS; 15 ms without a value)",
  },
  "fake-stream": {
    kind: "optional",
    hint: "MS",
    sets: "replay-stream",
    now: "--replay-stream",
    description: "Wait between the pieces of a replayed answer",
  },
} as const satisfies FlagSpecs;

export const RUN_FLAGS = {
  ...AGENT_FLAGS,
  ...CONVERSATION_FLAGS,
  ...SAFETY_FLAGS,
  ...HOOK_FLAGS,
  ...LIMIT_FLAGS,
  ...OUTPUT_FLAGS,
  ...RECORD_FLAGS,
  ...TRIAL_FLAGS,
} as const satisfies FlagSpecs;

export const RUN_FLAG_GROUPS: FlagGroups = {
  "Agent and models": AGENT_FLAGS,
  Conversation: CONVERSATION_FLAGS,
  Safety: SAFETY_FLAGS,
  Hooks: HOOK_FLAGS,
  Limits: LIMIT_FLAGS,
  "Output and exit code": OUTPUT_FLAGS,
  Records: RECORD_FLAGS,
  "Checks and replays": TRIAL_FLAGS,
};

export type RunFlags = CommandInput<typeof RUN_FLAGS>["flags"];

/** Returns the flag that says that a program reads standard output; undefined if none does. The run then asks nobody. */
export function flagForProgram(flags: OutputFlags): string | undefined {
  const name = (["json", "last", "print"] as const).find((flag) => flags[flag] === true);
  return name === undefined && isForProgram(flags) ? "--output-format" : name && `--${name}`;
}

/** True if a program reads standard output: the run then asks nobody. */
export function isForProgram(flags: OutputFlags): boolean {
  return hasEventOutput(flags) || hasOneOutput(flags);
}

/** True if standard output gets every event as a line of JSON. */
export function hasEventOutput({ json, last, "output-format": format }: OutputFlags): boolean {
  return (json === true && !last) || format === "stream-json";
}

/** True if tool calls are shown only if they are denied. */
export function hidesCalls({ last, "output-format": format, "hide-tool-calls": hide }: RunFlags): boolean {
  return last === true || format === "json" || hide === true;
}

type OutputFlags = Pick<RunFlags, "json" | "last" | "print" | "output-format">;

/** True if standard output gets nothing before the run has ended. */
export function hasOneOutput({ last, print, "output-format": format }: OutputFlags): boolean {
  return last === true || print === true || format === "json";
}

/** The messages of a run: given in advance, or typed at the prompt. */
export type RunMessages = { kind: "given"; texts: readonly string[] } | { kind: "prompt" };
