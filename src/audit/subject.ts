import { canonicalJson, isObject, omitEmpty } from "../lib/json.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { type AuditEntry, digestOf } from "./entry.ts";

/** The event of another agent, as far as entries name it. */
interface Host {
  dialect: { name: string };
  event: string;
  tool?: { class?: string | undefined } | undefined;
}

/** The fields of an entry that say what an event is about; `input` is its {@link subjectDigest}. */
export function subjectFields(event: EventName, payload: Payload, host: Host | undefined, input: string | undefined) {
  return {
    session: textOf(payload, "session_id"),
    ...omitEmpty({
      agent: textOf(payload, "agent_name"),
      host: host?.dialect.name,
      host_event: host?.event,
    }),
    event,
    ...omitEmpty({
      tool: textOf(payload, "tool_name"),
      unknown_tool: host?.tool && host.tool.class === undefined ? (true as const) : undefined,
      call: textOf(payload, "tool_use_id"),
      cwd: textOf(payload, "cwd"),
      input,
      ...judgedText(payload),
    }),
  };
}

/** The fields of every event. */
const COMMON_FIELDS: readonly string[] = ["session_id", "cwd", "hook_event_name", "agent_name"];

/** What an event is about, if its hooks cannot rewrite it: the first of these fields that it has. */
const SUBJECTS = ["tool_response", "tool_input", "prompt"] as const;

/**
 * Returns the digest of what an event is about, over its canonical JSON text (RFC 8785): the field that its hooks may
 * rewrite, else the tool's response, the tool's input or the prompt, else the payload without the fields that every
 * event has. Undefined if the value has no JSON text, for example because it nests too deep.
 */
export function subjectDigest(event: EventName, payload: Payload): string | undefined {
  try {
    return digestOf(canonicalJson(subjectOf(event, payload)));
  } catch {
    return undefined;
  }
}

/** Returns what an event is about, see {@link subjectDigest}. */
export function subjectOf(event: EventName, payload: Payload): unknown {
  const { rewrites } = contractOf(event);
  if (rewrites !== undefined && payload[rewrites] !== undefined) return payload[rewrites];
  for (const field of SUBJECTS) if (payload[field] !== undefined) return payload[field];
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !COMMON_FIELDS.includes(key)));
}

/** The text that content guards judged. The digest is over the text itself, so that a file can be compared with it. */
function judgedText({ skill, prompt_file: file }: Payload): Partial<Pick<AuditEntry, "path" | "content">> {
  const judged = skill ?? file;
  if (!isObject(judged) || typeof judged["content"] !== "string") return {};
  return { path: textOf(judged, "path"), content: digestOf(judged["content"]) };
}

/**
 * True for a name in a form of secrets: with an assignment, a URL, a word about secrets, a long word with a digit. Other
 * names, such as the path of a script, are kept without loading the search for secrets.
 */
export function maySaySecret(name: string): boolean {
  return SUSPECT.test(name) || (/\d/.test(name) && name.split(/\s+/).some(isLongWithDigit));
}

const SUSPECT = /[=@]|:\/\/|pass|secret|token|key|auth|cred/i;

/** True if a digit follows the beginning of a long part between slashes. */
function isLongWithDigit(word: string): boolean {
  const at = word.search(/[^/]{16}/);
  return at >= 0 && /\d/.test(word.slice(at));
}

function textOf(payload: Payload, field: string): string {
  const value = payload[field];
  return typeof value === "string" ? short(value) : "";
}

const SHORT_LIMIT = 1024;

/** A name that another program chose may be of any length. */
export function short(text: string): string {
  return text.length <= SHORT_LIMIT ? text : `${text.slice(0, SHORT_LIMIT)}…`;
}
