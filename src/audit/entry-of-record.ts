import { basename, join } from "node:path";
import { displayName, type HookEntry } from "../config/hooks/read-hooks.ts";
import { pathText } from "../config/yaml/document.ts";
import { type DispatchRecord, type HookRun, outcomeMessage, outcomeName } from "../engine/dispatch-record.ts";
import { nearTimeoutSeconds } from "../engine/hook-policy.ts";
import type { RuleHit } from "../engine/rules.ts";
import { omitEmpty } from "../lib/json.ts";
import { memoize } from "../lib/once.ts";
import { roundedMilliseconds } from "../lib/text/duration.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import { type AnyResult, decisionOf, reasonOf } from "../protocol/result.ts";
import { type Payload, rewriteOf } from "../protocol/rewrite.ts";
import type { NewEntry } from "./append.ts";
import type { AuditHook, AuditRule } from "./entry.ts";
import { redactedField } from "./redacted.ts";
import { maySaySecret, short, subjectDigest, subjectFields, subjectOf } from "./subject.ts";

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
    ...subjectFields(event, payload, host, input),
    ...(effect === undefined || isRefused ? {} : omitEmpty({ [effect.kind]: after })),
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

/** Returns a hook's name as entries hold it. A hook without a name is called after its command, which may hold a secret. */
export async function auditedName(displayed: string): Promise<string> {
  const name = short(displayed);
  return maySaySecret(name) ? ((await redactedField("name", name)).name ?? name) : name;
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
