import { isObject } from "../lib/json.ts";
import { REDACTION_MARK } from "../lib/secrets/redaction-mark.ts";
import { addKinds } from "../protocol/builtin.ts";
import type { EventContract } from "../protocol/events.ts";
import type { Outcome, Rewrite } from "./hook.ts";
import type { CompiledHook } from "./match.ts";

/** The payload of a dispatch; never changed in place. */
export type Payload = Readonly<Record<string, unknown>>;

/** The outcomes of the hooks of one dispatch. */
export interface StagedRun {
  /** One a hook, in configuration order. */
  outcomes: { outcome: Outcome; rewriteDropped: boolean }[];
  /** The payload after every rewrite that counts. */
  payload: Payload;
  /** True when some hook rewrote it, even to the same value. */
  rewritten: boolean;
}

/** How the hooks of one dispatch are run. */
export interface RunOptions {
  contract: EventContract;
  hooks: readonly CompiledHook[];
  payload: Payload;
  /** True for a hook that declares that it rewrites. */
  declared: (hook: CompiledHook) => boolean;
  /** `does` for a redaction, which no later rewrite may undo; `follows` for a rewriter that must only see redacted text. */
  redaction: (hook: CompiledHook) => "does" | "follows" | undefined;
  /** Runs one hook on a payload. Never rejects. */
  run: (hook: CompiledHook, payload: Payload) => Promise<Outcome>;
}

/**
 * Runs the hooks of one dispatch in their event's mode: declared rewriters one after the other, each seeing the rewrites
 * before it; then everything else at once, on the payload as the rewriters left it. A sequential event has only
 * rewriters, a concurrent one none. Whatever is rewritten behind a redaction is redacted again before anybody sees it.
 */
export async function runHooks(options: RunOptions): Promise<StagedRun> {
  const { hooks } = options;
  const state: State = { payload: options.payload, rewritten: false, results: new Map() };
  const first = behindRedaction(
    options,
    hooks.filter((hook) => isRewriter(options, hook)),
  );
  const redactions: CompiledHook[] = [];
  for (const hook of first) {
    const before = state.payload;
    await runRewriter(options, state, hook);
    if (options.redaction(hook) === "does") redactions.push(hook);
    else await redactAgain(options, state, before, redactions);
  }
  const before = state.payload;
  await runRest(
    options,
    state,
    hooks.filter((hook) => !first.includes(hook)),
  );
  await redactAgain(options, state, before, redactions);
  return {
    outcomes: hooks.map((hook) => state.results.get(hook) ?? { outcome: { kind: "silent" }, rewriteDropped: false }),
    payload: state.payload,
    rewritten: state.rewritten,
  };
}

interface State {
  payload: Payload;
  rewritten: boolean;
  results: Map<CompiledHook, { outcome: Outcome; rewriteDropped: boolean }>;
}

function isRewriter({ contract, declared }: RunOptions, hook: CompiledHook): boolean {
  return contract.mode === "sequential" || (contract.mode === "staged" && declared(hook));
}

/** Moves rewriters that keep the text they see behind the last redaction. */
function behindRedaction({ redaction }: RunOptions, hooks: readonly CompiledHook[]): CompiledHook[] {
  const early = hooks.slice(0, hooks.findLastIndex((hook) => redaction(hook) === "does") + 1);
  return [
    ...early.filter((hook) => redaction(hook) !== "follows"),
    ...early.filter((hook) => redaction(hook) === "follows"),
    ...hooks.slice(early.length),
  ];
}

async function runRewriter(options: RunOptions, state: State, hook: CompiledHook): Promise<void> {
  const outcome = await options.run(hook, state.payload);
  state.results.set(hook, { outcome, rewriteDropped: false });
  const failed = outcome.kind === "failed" && options.redaction(hook) === "does";
  const rewrite = failed ? redactedPlaceholder(options.contract) : rewriteOf(options.contract, outcome);
  if (rewrite === undefined) return;
  state.payload = rewritePayload(options.contract, state.payload, rewrite);
  state.rewritten = true;
}

/** Replaces a tool response whose redaction failed. Arguments and messages need no placeholder: their events are blocked. */
function redactedPlaceholder(contract: EventContract): Rewrite | undefined {
  return contract.rewrites === "tool_response" ? REDACTION_MARK : undefined;
}

async function runRest(options: RunOptions, state: State, rest: readonly CompiledHook[]): Promise<void> {
  const { contract } = options;
  const { payload } = state;
  const outcomes = await Promise.all(rest.map((hook) => options.run(hook, payload)));
  let replaced = false;
  outcomes.forEach((outcome, index) => {
    const hook = rest[index];
    if (!hook) return;
    const rewrite = rewriteOf(contract, outcome);
    // Patches of arguments merge key by key; of whole replacements the first in configuration order wins.
    const rewriteDropped = rewrite !== undefined && replaced;
    state.results.set(hook, { outcome, rewriteDropped });
    if (rewrite === undefined || rewriteDropped) return;
    state.payload = rewritePayload(contract, state.payload, rewrite);
    state.rewritten = true;
    replaced = contract.rewrites !== "tool_input";
  });
}

/**
 * Applies redaction once more where hooks rewrote what it had cleaned. When that fails, their rewrites are dropped: the
 * payload stays as it was before.
 */
async function redactAgain(
  options: RunOptions,
  state: State,
  safe: Payload,
  redactions: readonly CompiledHook[],
): Promise<void> {
  if (state.payload === safe) return;
  for (const hook of redactions) {
    const outcome = await options.run(hook, state.payload);
    if (outcome.kind === "failed") {
      state.payload = safe;
      state.results.set(hook, { outcome, rewriteDropped: false });
      return;
    }
    const rewrite = rewriteOf(options.contract, outcome);
    if (rewrite === undefined) continue;
    state.payload = rewritePayload(options.contract, state.payload, rewrite);
    // The user hears of a redaction once, whenever there first was something to redact.
    state.results.set(hook, { outcome: withCounts(state.results.get(hook)?.outcome, outcome), rewriteDropped: false });
  }
}

/** The first outcome of a redaction that found something, with everything it has redacted since. */
function withCounts(first: Outcome | undefined, next: Outcome): Outcome {
  if (first?.kind !== "answered") return first === undefined || first.kind === "silent" ? next : first;
  const counted = next.kind === "answered" ? next.redacted : undefined;
  return counted ? { ...first, redacted: addKinds(first.redacted ?? {}, counted) } : first;
}

/** The rewrite an outcome carries, where the event has one. An empty list of messages is none. */
function rewriteOf(contract: EventContract, outcome: Outcome): Rewrite | undefined {
  if (outcome.kind !== "answered") return undefined;
  const specific = outcome.output.hook_specific_output ?? {};
  switch (contract.rewrites) {
    case "tool_input":
      return specific.updated_input;
    case "messages":
      return specific.updated_messages?.length ? specific.updated_messages : undefined;
    case "tool_response":
      return specific.updated_tool_response;
    case undefined:
      return undefined;
  }
}

/** The payload with a rewrite applied: arguments are patched key by key at the top, the rest is replaced. */
function rewritePayload(contract: EventContract, payload: Payload, rewrite: Rewrite): Payload {
  const key = contract.rewrites;
  if (key === undefined) return payload;
  if (key !== "tool_input") return { ...payload, [key]: rewrite };
  const before = isObject(payload[key]) ? payload[key] : {};
  return { ...payload, [key]: { ...before, ...(isObject(rewrite) ? rewrite : {}) } };
}
