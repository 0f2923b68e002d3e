import { sha256 } from "../lib/platform.ts";

/** The version of the format, in the field `v` of each line. */
export const AUDIT_VERSION = 1;

/** A line of the audit log: the decision about one event, or the final approval of one tool call. Absent means empty. */
export interface AuditEntry {
  v: typeof AUDIT_VERSION;
  /** When the line was written: RFC 3339 in UTC, with milliseconds. The decision took `ms` before that. */
  time: string;
  /** The digest of the line before it; {@link NO_LINE} in the very first. */
  prev: string;
  /** The part of hooksh that dispatched the event. */
  source: AuditSource;
  session: string;
  agent?: string;
  /** The agent that called hooksh, such as `claude`, and its name of the event. */
  host?: string;
  host_event?: string;
  /** The event, or {@link TOOL_CALL_APPROVAL}. */
  event: string;
  tool?: string;
  /** Another agent's tool that hooksh does not know: only hooks whose matcher fits its name judged it. */
  unknown_tool?: true;
  /** The id of the tool call. */
  call?: string;
  cwd?: string;
  /** The digest of what the event is about. */
  input?: string;
  /** The file whose text guards judged, and the digest of the text itself. */
  path?: string;
  content?: string;
  /**
   * The digest of the same after the hooks rewrote it: `enforced` where that took effect, `sent` where another agent was
   * not seen to obey it, or has no place for it.
   */
  enforced?: string;
  sent?: string;
  /** The rules that hit, in the order of their sources. */
  rules?: AuditRule[];
  /** The hooks that ran, in configuration order. */
  hooks: AuditHook[];
  decision: AuditDecision;
  /** Redacted, and at most {@link TEXT_LIMIT} characters long. */
  reason?: string;
  /** What approved or denied a tool call in the end: a rule, a hook, the user ... */
  approval_source?: string;
  /** The agent that a hook routed to, and what the hooks of such an event said about their choice, redacted. */
  route?: string;
  metadata?: Record<string, unknown>;
  ms: number;
  trace_id?: string;
  /** The event itself, redacted; only with `audit.payload: redacted`. */
  payload?: Record<string, unknown>;
  /** The field that the hooks rewrote, with its new value, redacted; only with `audit.payload: redacted`. */
  rewritten?: Record<string, unknown>;
  /** The number of characters of the payload's JSON text; only if the payload was cut because it is too long. */
  payload_cut?: number;
}

/** Returns what the hooks did to what the event is about, and which of them did; undefined if they left it as it was. */
export function changeOf(entry: AuditEntry): { verb: string; by: string[] } | undefined {
  const { event, enforced, sent, hooks, decision } = entry;
  if ((enforced ?? sent) === undefined || decision === "deny" || decision === "block") return undefined;
  const by = hooks.filter(({ rewrote }) => rewrote).map(({ name }) => name);
  return { verb: event === "tool_response_transform" ? "redacted" : "rewritten", by };
}

/** In place of an event: the final approval of a tool call in `hooksh run`, after rules, hooks and the user. */
export const TOOL_CALL_APPROVAL = "tool_call_approval";

export interface AuditRule {
  name: string;
  /** Where it is written: `hooks.yaml:4`. */
  source: string;
  verdict: string;
  /** Whether the rule hits for certain, or depending on an expansion. */
  sure: string;
  /** It decided nothing. */
  mode?: "observe";
}

export interface AuditHook {
  name: string;
  /** Where it is configured: `/path/hooks.yaml: hooks.pre_tool_use[0].hooks[1]`, a flag or a setting. */
  source: string;
  type: string;
  stage: string;
  /** `answered`, `blocked`, `said`, `silent`, `failed` or `timed_out`. */
  outcome: string;
  ms: number;
  /** Its timeout in seconds, if it took 80 % of it or more. */
  timeout_s?: number;
  exit_code?: number;
  /** Its own opinion. */
  decision?: string;
  /** It rewrote what the event is about. */
  rewrote?: true;
  /** Its verdict was only reported; `would` is that verdict. */
  mode?: "observe";
  would?: string;
  /** Redacted, and at most {@link TEXT_LIMIT} characters long. */
  message?: string;
}

/**
 * Returns the file of a hook's source: `/p/hooks.yaml` for `/p/hooks.yaml: hooks.stop[0]` and for `/p/hooks.yaml:4`. A
 * hook that moves within its file is still the same hook. Returns other sources, such as a flag, unchanged.
 */
export function fileOf(source: string): string {
  return source.replace(/: (?:hooks|settings|agents)\b.*$|(?::\d+){1,2}$/, "");
}

/** The parts of hooksh that write entries. */
export const AUDIT_SOURCES = ["run", "dispatch", "serve", "library"] as const;
export type AuditSource = (typeof AUDIT_SOURCES)[number];

/**
 * The decisions. `deny`: a tool call must not run; `block`: any other event must not happen; `none`: no hook had an
 * opinion.
 */
export const AUDIT_DECISIONS = ["none", "allow", "ask", "deny", "block"] as const;
export type AuditDecision = (typeof AUDIT_DECISIONS)[number];

/** Characters of a reason or message that are kept. */
export const TEXT_LIMIT = 2048;

/** The digest in the first line of a log, which has no line before it. */
export const NO_LINE = `sha256:${"0".repeat(64)}`;

/** Returns the digest of a text or of bytes, as the log writes it. */
export function digestOf(content: string | Uint8Array): string {
  return `sha256:${sha256(content)}`;
}

export function isDigest(text: unknown): text is string {
  return typeof text === "string" && /^sha256:[0-9a-f]{64}$/.test(text);
}
