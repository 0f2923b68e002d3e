import type { AuditEntry, AuditHook } from "../../audit/entry.ts";

const COLUMNS = {
  time: ({ time }) => time,
  source: ({ source }) => source,
  session: ({ session }) => session,
  agent: ({ agent }) => agent,
  host: ({ host }) => host,
  host_event: ({ host_event: event }) => event,
  event: ({ event }) => event,
  tool: ({ tool }) => tool,
  call: ({ call }) => call,
  cwd: ({ cwd }) => cwd,
  decision: ({ decision }) => decision,
  reason: ({ reason }) => reason,
  approval_source: ({ approval_source: source }) => source,
  hooks: ({ hooks }) => hooks.map(hookText).join("; "),
  ms: ({ ms }) => ms,
  input: ({ input }) => input,
  enforced: ({ enforced }) => enforced,
  sent: ({ sent }) => sent,
  trace_id: ({ trace_id: id }) => id,
  prev: ({ prev }) => prev,
  route: ({ route }) => route,
  path: ({ path }) => path,
  content: ({ content }) => content,
} as const satisfies Record<string, (entry: AuditEntry) => string | number | undefined>;

/** CSV (RFC 4180) with a header. Lines end with CR LF; the printer adds the LF. */
export const CSV = {
  header: `${Object.keys(COLUMNS).join(",")}\r`,
  line: ({ entry }: { entry: AuditEntry }): string =>
    `${Object.values(COLUMNS)
      .map((column) => cell(column(entry)))
      .join(",")}\r`,
};

function hookText({ name, outcome, decision, would }: AuditHook): string {
  return [name, outcome, decision, would && `would ${would}`].filter(Boolean).join(" ");
}

/** Spreadsheets run a cell that begins with one of these as a formula; they show one that begins with ' as text. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

function cell(value: string | number | undefined): string {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
