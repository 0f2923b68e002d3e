import { basename, join } from "node:path";
import { displayName, type HookEntry } from "../config/hooks/read-hooks.ts";
import { pathText } from "../config/yaml/document.ts";
import { type DispatchRecord, type HookRun, outcomeMessage, outcomeName } from "../engine/dispatch-record.ts";
import { nearTimeoutSeconds } from "../engine/hook-policy.ts";
import type { RuleHit } from "../engine/rules.ts";
import { canonicalJson, isObject, omitEmpty } from "../lib/json.ts";
import { memoize } from "../lib/once.ts";
import { roundedMilliseconds } from "../lib/text/duration.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import { type AnyResult, decisionOf, reasonOf } from "../protocol/result.ts";
import { type Payload, rewriteOf } from "../protocol/rewrite.ts";
import type { NewEntry } from "./append.ts";
import { type AuditEntry, type AuditHook, type AuditRule, digestOf } from "./entry.ts";
import { redactedField } from "./redacted.ts";

/** Returns the entry of a dispatch; `withPayload` adds the payload, redacted. */
export async function entryOf(record: DispatchRecord, withPayload: boolean): Promise<Omit<NewEntry, "source">> {
  const { event, payload, enforced, result, runs, host, milliseconds, traceId } = record;
  const input = await digestOfSubject(event, payload);
  const after = enforced === payload ? input : await digestOfSubject(event, enforced);
  const effect = after === input || !result.allowed ? undefined : await effectOn(host, result);
  const isRefused = effect?.kind === "refused";
  const hooks: AuditHook[] = [];
  for (const run of runs) hooks.push(await hookOf(run, event));
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
      ...(effect === undefined || isRefused ? {} : { [effect.kind]: after }),
    }),
    ...omitEmpty({ rules: record.rules.map(ruleOf) }),
    hooks,
    decision: isRefused ? "deny" : decisionOf(event, result),
    ...(await redactedField("reason", isRefused ? effect.reason : reasonOf(result))),
    ...(await routeOf(event, result)),
    ms: roundedMilliseconds(milliseconds),
    ...omitEmpty({ trace_id: traceId }),
    ...(withPayload ? await payloads(record, effect !== undefined) : {}),
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

/** As {@link subjectDigest}; of a conversation that grows with each request, only what is new is read. */
async function digestOfSubject(event: EventName, payload: Payload): Promise<string | undefined> {
  const subject = subjectOf(event, payload);
  if (!Array.isArray(subject)) return subjectDigest(event, payload);
  try {
    return (await import("./list-digest.ts")).listDigest(subject);
  } catch {
    return undefined;
  }
}

function subjectOf(event: EventName, payload: Payload): unknown {
  const { rewrites } = contractOf(event);
  const field = (rewrites === undefined ? SUBJECTS : [rewrites, ...SUBJECTS]).find(
    (name) => payload[name] !== undefined,
  );
  if (field !== undefined) return payload[field];
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !COMMON_FIELDS.includes(key)));
}

/** The text that content guards judged. The digest is over the text itself, so that a file can be compared with it. */
function judgedText({ skill, prompt_file: file }: Payload): Partial<Pick<AuditEntry, "path" | "content">> {
  const judged = skill ?? file;
  if (!isObject(judged) || typeof judged["content"] !== "string") return {};
  return { path: textOf(judged, "path"), content: digestOf(judged["content"]) };
}

async function routeOf(event: EventName, { transition, metadata }: AnyResult): Promise<Partial<NewEntry>> {
  if (!contractOf(event).accepts.includes("transition")) return {};
  const { redactedPayload } = await import("./redacted-payload.ts");
  return {
    ...omitEmpty({ route: transition?.agent }),
    ...(metadata ? { metadata: (await redactedPayload(metadata)).payload } : {}),
  };
}

/** What becomes of a rewrite. Outside of other agents' events hooksh itself, or the caller of the library, acts on it. */
async function effectOn(
  host: DispatchRecord["host"],
  result: AnyResult,
): Promise<{ kind: "enforced" | "sent" } | { kind: "refused"; reason: string }> {
  if (host === undefined) return { kind: "enforced" };
  const { CANNOT_REWRITE, effectOf } = await import("../dialects/encode.ts");
  const kind = effectOf(host, result);
  return kind === "refused" ? { kind, reason: CANNOT_REWRITE } : { kind };
}

async function payloads({ event, payload, enforced }: DispatchRecord, isRewritten: boolean) {
  const { redactedPayload } = await import("./redacted-payload.ts");
  const before = await redactedPayload(payload);
  const field = contractOf(event).rewrites;
  if (!isRewritten || field === undefined) return before;
  return { ...before, rewritten: (await redactedPayload({ [field]: enforced[field] })).payload };
}

/** What a rule says depends on the call; its facts are left out, because they may quote it. */
function ruleOf({ name, source, verdict, sure, mode }: RuleHit): AuditRule {
  return { name: short(name), source: short(source), verdict, sure, ...omitEmpty({ mode }) };
}

async function hookOf(run: HookRun, event: EventName): Promise<AuditHook> {
  const { hook, stage, outcome, milliseconds, exitCode, decision, observes } = run;
  const definition = hook.entry.hook;
  return {
    ...(await nameAndSource(hook.entry)),
    type: definition.type,
    stage,
    outcome: outcomeName(outcome),
    ms: roundedMilliseconds(milliseconds),
    ...omitEmpty({ timeout_s: nearTimeoutSeconds(definition, milliseconds) }),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(!observes && rewrites(run, event) ? { rewrote: true as const } : {}),
    ...(decision === "none" ? {} : { [observes ? "would" : "decision"]: decision }),
    ...(observes ? { mode: "observe" as const } : {}),
    // Plain text is context for the model, not a reason: it is content.
    ...(outcome.kind === "said" ? {} : await redactedField("message", outcomeMessage(outcome))),
  };
}

const nameAndSource = memoize(async (entry: HookEntry) => ({
  name: await auditedName(displayName(entry.hook)),
  source: short(await hookSource(entry)),
}));

function rewrites({ outcome }: HookRun, event: EventName): boolean {
  return outcome.kind === "answered" && rewriteOf(contractOf(event), outcome.output) !== undefined;
}

/**
 * Forms of secrets in a command: an assignment, a URL, a word about secrets, a long word with a digit. Other names, such
 * as the path of a script, are kept without loading the search for secrets.
 */
const SUSPECT = /[=@]|:\/\/|pass|secret|token|key|auth|cred|(?=\S*\d)[^\s/]{16,}/i;

/** Returns a hook's name as entries hold it. A hook without a name is called after its command, which may hold a secret. */
export async function auditedName(displayed: string): Promise<string> {
  const name = short(displayed);
  return SUSPECT.test(name) ? ((await redactedField("name", name)).name ?? name) : name;
}

/**
 * Returns where a hook is configured: `/path/hooks.yaml: hooks.pre_tool_use[0].hooks[1]`, a flag or a setting. Not a
 * line: finding that takes longer than the whole dispatch, and it moves when the file is edited.
 */
export function hookSource({ document, path, source }: HookEntry): string | Promise<string> {
  if (document === undefined) return source();
  const { file, directory, root = [] } = document;
  return `${directory === undefined ? file : join(directory, basename(file))}: ${pathText([...root, ...path])}`;
}

function textOf(payload: Payload, field: string): string {
  const value = payload[field];
  return typeof value === "string" ? short(value) : "";
}

const SHORT_LIMIT = 1024;

/** A name that another program chose may be of any length. */
function short(text: string): string {
  return text.length <= SHORT_LIMIT ? text : `${text.slice(0, SHORT_LIMIT)}…`;
}
