import { AUDIT_DECISIONS } from "../../audit/entry.ts";
import type { FlagGroups } from "../../cli/define-command.ts";
import type { FlagSpecs } from "../../cli/flags.ts";
import { SINCE_FORMS } from "../../lib/text/parse-since.ts";

const EXPORT_FORMATS = ["jsonl", "csv", "ocsf"] as const;

const FILTER_FLAGS = {
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
} as const satisfies FlagSpecs;

const OUTPUT_FLAGS = {
  follow: { kind: "switch", alias: "f", description: "Print new entries as they are written, until Ctrl+C" },
  details: { kind: "switch", description: "Also print what hooks rewrote, before and after" },
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

export const AUDIT_FLAGS = { ...FILTER_FLAGS, ...OUTPUT_FLAGS } as const satisfies FlagSpecs;

export const AUDIT_FLAG_GROUPS: FlagGroups = { "Which entries": FILTER_FLAGS, "Output and exit code": OUTPUT_FLAGS };
