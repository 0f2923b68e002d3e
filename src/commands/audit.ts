import { AUDIT_DECISIONS } from "../audit/entry.ts";
import { UsageError } from "../lib/errors.ts";
import { SINCE_FORMS } from "../lib/text/parse-since.ts";
import type { AuditInput } from "./audit/audit-input.ts";
import { defineCommand } from "./cli/define-command.ts";
import type { FlagSpecs } from "./cli/flags.ts";

const EXPORT_FORMATS = ["jsonl", "csv", "ocsf"] as const;

/** The flags of `audit`. */
export const AUDIT_FLAGS = {
  since: { kind: "value", hint: "TIME", description: `Only entries since then: ${SINCE_FORMS}` },
  until: { kind: "value", hint: "TIME", description: "Only entries before then, in the same forms" },
  denied: { kind: "switch", description: "Only what was denied or blocked" },
  decision: { kind: "value", hint: "D", choices: AUDIT_DECISIONS, description: "Only this decision" },
  session: { kind: "value", hint: "ID", description: "Only this session" },
  hook: {
    kind: "value",
    hint: "NAME",
    description: "Only where the hook with this name, or that runs this script, ran",
  },
  tool: { kind: "value", hint: "NAME", description: "Only calls of this tool" },
  event: { kind: "value", hint: "EVENT", description: "Only this event; tool_call_approval: the approvals of a run" },
  agent: { kind: "value", alias: "a", hint: "NAME", description: "Only what the agent with this name did" },
  host: { kind: "value", hint: "HOST", description: "Only events of this coding agent, such as claude" },
  limit: {
    kind: "value",
    hint: "N",
    description: "Only the newest N entries; 0 prints all (default: 100, with --json and --since all)",
  },
  follow: { kind: "switch", alias: "f", description: "Print new entries as they are written, until Ctrl+C" },
  json: { kind: "switch", description: "Print the lines of the log; verify: print JSON" },
  expect: {
    kind: "value",
    hint: "DIGEST",
    description: "verify: also fail unless a line has this digest, sha256:HEX, the head that an earlier verify printed",
  },
  format: {
    kind: "value",
    hint: "FORMAT",
    choices: EXPORT_FORMATS,
    description: "export: the format (default: jsonl)",
  },
} as const satisfies FlagSpecs;

type FlagName = keyof typeof AUDIT_FLAGS;

const FILTERS = [
  "since",
  "until",
  "denied",
  "decision",
  "session",
  "hook",
  "tool",
  "event",
  "agent",
  "host",
] as const satisfies FlagName[];

interface Verb {
  flags: readonly FlagName[];
  takesFiles: boolean;
  load: () => Promise<(input: AuditInput, files: readonly string[]) => Promise<number>>;
}

const VERBS: Readonly<Record<string, Verb>> = {
  list: {
    flags: [...FILTERS, "limit", "follow", "json"],
    takesFiles: false,
    load: async () => (await import("./audit/list-entries.ts")).listEntries,
  },
  verify: {
    flags: ["expect", "json"],
    takesFiles: true,
    load: async () => (await import("./audit/verify-log.ts")).verifyLog,
  },
  export: {
    flags: [...FILTERS, "limit", "format"],
    takesFiles: false,
    load: async () => (await import("./audit/export-entries.ts")).exportEntries,
  },
};

/** `hooksh audit`: what hooks decided. */
export const command = defineCommand({
  positionals: "[list | verify [FILE...] | export]",
  description:
    "Prints the decisions in the audit log, newest last: time, agent, event, tool, decision, the hooks behind it, reason.\n" +
    "verify checks that each line of the log, or of some of its files, still continues the line before it; it names the\n" +
    "first break and exits 1. export prints entries as JSON lines, as CSV, or as OCSF events for a SIEM.",
  flags: AUDIT_FLAGS,
  async run(input) {
    const [word = "list", ...rest] = input.positionals;
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb === undefined) throw new UsageError(`audit takes list, verify or export, not ${JSON.stringify(word)}`);
    if (!verb.takesFiles && rest.length > 0) throw new UsageError(`audit ${word} takes no ${JSON.stringify(rest[0])}`);
    for (const name of Object.keys(AUDIT_FLAGS) as FlagName[]) {
      if (input.flags[name] !== undefined && !verb.flags.includes(name))
        throw new UsageError(`--${name} is not a flag of audit ${word}`);
    }
    return (await verb.load())(input, rest);
  },
});
