import { defineCommand } from "../cli/define-command.ts";
import { UsageError } from "../lib/errors.ts";
import { AUDIT_FLAG_GROUPS, AUDIT_FLAGS } from "../records/audit/audit-flags.ts";
import type { AuditInput } from "../records/audit/audit-input.ts";

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
    flags: [...FILTERS, "limit", "follow", "details", "json"],
    takesFiles: false,
    load: async () => (await import("../records/audit/list-entries.ts")).listEntries,
  },
  verify: {
    flags: ["expect", "json"],
    takesFiles: true,
    load: async () => (await import("../records/audit/verify-log.ts")).verifyLog,
  },
  export: {
    flags: [...FILTERS, "limit", "format"],
    takesFiles: false,
    load: async () => (await import("../records/audit/export-entries.ts")).exportEntries,
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
  flagGroups: AUDIT_FLAG_GROUPS,
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
