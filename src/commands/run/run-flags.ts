import { SAFETY_MODES } from "../../config/permissions/safety-modes.ts";
import type { CommandInput } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { HOOK_FLAGS } from "../cli/hook-flags.ts";
import { RESTRICTION_FLAGS } from "../cli/restriction-flag.ts";
import { SESSION_FLAGS } from "../cli/session-flags.ts";
import { TRUST_FLAGS } from "../cli/trust-flags.ts";

/** The flags of `hooksh run`. Source: config-and-cli 9.3. */
export const RUN_FLAGS = {
  agent: {
    kind: "value",
    alias: "a",
    hint: "NAME",
    description: "Start with this agent (default: root, else the first)",
  },
  yolo: {
    kind: "switch",
    description: "Run tools without asking; hooks and deny rules still hold (same as --safety autonomous)",
  },
  safety: { kind: "value", hint: "MODE", choices: SAFETY_MODES, description: "What runs without asking" },
  model: { kind: "list", hint: "[AGENT=]MODEL", description: "Use provider/model, for all agents or one; may repeat" },
  ...SESSION_FLAGS,
  ...TRUST_FLAGS,
  ...RESTRICTION_FLAGS,
  "working-dir": {
    kind: "value",
    hint: "DIR",
    description: "Where tools and hooks run (default: the current directory)",
  },
  worktree: {
    kind: "optional",
    alias: "w",
    hint: "NAME",
    description: "Run in a new git worktree, on the branch worktree-NAME; a name only behind =",
  },
  "env-from-file": { kind: "list", hint: "FILE", description: "Take keys from a file of NAME=VALUE lines; may repeat" },
  "prompt-file": {
    kind: "list",
    hint: "NAME",
    description: "Add a file to what add_prompt_files looks for; may repeat",
  },
  ...HOOK_FLAGS,
  snapshot: {
    kind: "switch",
    description: "Record what each turn changes, for hooksh undo (default: settings.snapshot)",
  },
  "max-iterations": { kind: "value", hint: "N", description: "In place of the agent's max_iterations" },
  json: { kind: "switch", description: "Print every event of the run as a line of JSON" },
  "hide-tool-calls": {
    kind: "switch",
    description: "Print neither tool calls nor their results; calls that were kept from running go to standard error",
  },
  "hide-tool-results": { kind: "switch", description: "Print tool calls without their results" },
  exec: { kind: "switch", description: "Never open the prompt" },
  "dry-run": { kind: "switch", description: "Load everything, start nothing, print a summary" },
  fake: { kind: "value", hint: "FILE", description: "Replay a recording in place of every model: no network, no key" },
  "fake-stream": {
    kind: "optional",
    hint: "MS",
    description: "Wait between the pieces of a replayed answer; alone, 15 ms; a value only behind =",
  },
  "fake-loose": {
    kind: "switch",
    description: "With --fake: answer a question that is not recorded with the next answer",
  },
  record: { kind: "optional", hint: "FILE", description: "Record the traffic with models" },
  "strict-version": { kind: "switch", description: "A key newer than the file's version is an error" },
} as const satisfies FlagSpecs;

/** The flags of a run. */
export type RunFlags = CommandInput<typeof RUN_FLAGS>["flags"];

/** What a run is to answer: given messages in order, or whatever is typed at the prompt. */
export type RunMessages = { kind: "given"; texts: readonly string[] } | { kind: "prompt" };
