import type { CommandRow } from "./cli/define-command.ts";
import { dispatchExitCode } from "./dispatch/exit-codes.ts";

/** Every verb of the command line, in the order of the usage text. Each is loaded when it is called. */
export const COMMANDS = {
  run: { summary: "Run an agent and the hooks around it", load: () => import("./run.ts") },
  dispatch: {
    summary: "Run the hooks of JSON events from standard input, print verdicts",
    load: () => import("./dispatch.ts"),
    exitCode: dispatchExitCode,
  },
  validate: {
    summary: "Check agent files and hooks files, print every problem with its place",
    load: () => import("./validate.ts"),
  },
  redact: {
    summary: "Replace the secrets of a text, or tell where files hold some",
    load: () => import("./redact.ts"),
  },
  hooks: {
    summary: "List the hooks in force, or explain which of them an event would run",
    load: () => import("./hooks.ts"),
  },
  schema: {
    summary: "Print the JSON Schema of agent files, hooks files, or what hooks read and answer",
    load: () => import("./schema.ts"),
  },
  sessions: { summary: "List, show, remove or export stored sessions", load: () => import("./sessions.ts") },
  snapshots: {
    summary: "List what agents changed, and reset files to what they were",
    load: () => import("./snapshots.ts"),
  },
  undo: { summary: "Restore the files an agent changed last", load: () => import("./undo.ts") },
  pull: { summary: "Fetch an agent from a registry into a file", load: () => import("./pull.ts") },
  push: { summary: "Store an agent file in a registry", load: () => import("./push.ts") },
  share: { summary: "The long names of push and pull", load: () => import("./share.ts") },
  alias: { summary: "Keep short names for agents", load: () => import("./alias.ts") },
  trust: { summary: "Say which agents from elsewhere may run things here", load: () => import("./trust.ts") },
  doctor: {
    summary: "Tell what stands in the way of a run: directories, keys, programs, configuration",
    load: () => import("./doctor.ts"),
  },
  completion: {
    summary: "Print a script that completes command lines in a shell",
    load: () => import("./completion.ts"),
  },
  version: { summary: "Print the version", load: () => import("./version.ts") },
} as const satisfies Record<string, CommandRow>;
