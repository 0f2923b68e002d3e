/**
 * The verbs of the command line: a file for each, and their table, from which help, completion and reference follow.
 * Nothing imports it but the program.
 *
 * @packageDocumentation
 */
import type { CommandRow } from "../cli/define-command.ts";
import { endDispatch } from "../guard/dispatch/exit-codes.ts";

/** Every verb of the command line, in the order of `hooksh --help`. A verb's file is loaded when the verb is called. */
export const COMMANDS = {
  init: {
    group: "start",
    summary: "Write an agent file with a guard and its tests, for what this directory has",
    load: () => import("./init.ts"),
  },
  run: {
    group: "start",
    summary: "Run an agent, with hooks around everything it does",
    load: () => import("./run.ts"),
    failed: async (words, problem, code) =>
      (await import("../run/headless/end-run.ts")).endFailedRun(words, problem, code),
  },
  test: { group: "start", summary: "Test hooks: run them on the events of a file", load: () => import("./test.ts") },
  install: {
    group: "start",
    summary: "Register hooksh in the configuration of another agent",
    load: () => import("./install.ts"),
  },
  status: {
    group: "start",
    summary: "Show where hooksh is registered, which hooks are in force, and when each ran last",
    load: () => import("./status.ts"),
  },
  explain: {
    group: "start",
    summary: "Show what would judge a command line or an event: hooks, rules, the safety mode; runs nothing",
    load: () => import("./explain.ts"),
  },
  audit: {
    group: "start",
    summary: "Show what hooks decided; verify or export the log of it",
    load: () => import("./audit.ts"),
  },
  trace: {
    group: "start",
    summary: "Show what a run and its hooks did, and how long it took",
    load: () => import("./trace.ts"),
  },
  doctor: {
    group: "start",
    summary: "Check directories, keys, programs and configuration for problems",
    load: () => import("./doctor.ts"),
  },
  help: { group: "start", summary: "Describe a command and its flags", load: () => import("./help.ts") },
  validate: {
    group: "hooks",
    summary: "Check agent files and hooks files; print each problem with its line and column",
    load: () => import("./validate.ts"),
  },
  hooks: {
    group: "hooks",
    summary: "List the hooks in effect, or the places that hooks come from",
    load: () => import("./hooks.ts"),
  },
  rules: {
    group: "hooks",
    summary: "List, explain and compare rules, prove what they stop, and propose new ones",
    load: () => import("./rules.ts"),
  },
  dispatch: {
    group: "hooks",
    summary: "Read JSON events, run their hooks, print verdicts",
    load: () => import("./dispatch.ts"),
    exitCode: endDispatch,
    failed: async (words, problem) => (await import("../guard/dispatch/fail-closed.ts")).failClosed(words, problem),
  },
  serve: { group: "hooks", summary: "Answer the events that agents post over HTTP", load: () => import("./serve.ts") },
  replay: {
    group: "hooks",
    summary: "Judge recorded events again and print the verdicts that change",
    load: () => import("./replay.ts"),
  },
  redact: {
    group: "hooks",
    summary: "Replace the secrets in a text, or report where files contain some",
    load: () => import("./redact.ts"),
  },
  schema: {
    group: "hooks",
    summary: "Print the JSON Schema of agent files, hooks files, or what hooks read and print",
    load: () => import("./schema.ts"),
  },
  uninstall: {
    group: "agents",
    summary: "Remove hooksh from the configuration of another agent",
    load: () => import("./uninstall.ts"),
  },
  canary: {
    group: "agents",
    summary: "Test with a harmless call whether the guard of an agent is in force",
    load: () => import("./canary.ts"),
  },
  import: {
    group: "agents",
    summary: "Turn another agent's hooks into a hooks file; take over docker-agent's sessions and settings",
    load: () => import("./import.ts"),
  },
  export: {
    group: "agents",
    summary: "Turn hooks into the configuration of another agent",
    load: () => import("./export.ts"),
  },
  diff: {
    group: "agents",
    summary: "Show where the configuration of other agents differs from your hooks",
    load: () => import("./diff.ts"),
  },
  capture: {
    group: "agents",
    summary: "Keep what an agent sends to its hooks, as files without secrets",
    now: "dispatch --capture DIR",
    load: () => import("./capture.ts"),
    exitCode: () => 0, // as a hook, it must never block
  },
  sessions: {
    group: "records",
    summary: "List, show, remove or export stored sessions",
    load: () => import("./sessions.ts"),
  },
  undo: {
    group: "records",
    summary: "Restore the files that an agent changed, or list what can be restored",
    load: () => import("./undo.ts"),
  },
  stats: {
    group: "records",
    summary: "Show how often hooks ran, how long they took, and how often they failed or denied",
    load: () => import("./stats.ts"),
  },
  agent: {
    group: "sharing",
    summary: "Fetch agents from a registry, store them there, and manage short names for agents",
    load: () => import("./agent.ts"),
  },
  trust: {
    group: "sharing",
    summary: "Manage which agents from elsewhere may run on this machine",
    load: () => import("./trust.ts"),
  },
  demo: {
    group: "program",
    summary: "Run a recorded agent that meets its guard; needs no model and no key",
    load: () => import("./demo.ts"),
  },
  completion: {
    group: "program",
    summary: "Print a completion script for your shell",
    load: () => import("./completion.ts"),
  },
  version: { group: "program", summary: "Print the version", load: () => import("./version.ts") },
} as const satisfies Record<string, CommandRow>;

/** Earlier names of commands, and what they are now. They keep working, with a notice. */
export const RENAMED: Readonly<Record<string, string>> = {
  "hooks explain": "explain",
  snapshots: "undo",
  pull: "agent pull",
  push: "agent push",
  share: "agent",
  alias: "agent alias",
};
