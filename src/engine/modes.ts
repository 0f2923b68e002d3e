import { REDACTION_MARK } from "../lib/secrets/redaction-mark.ts";
import { addKinds } from "../protocol/builtin.ts";
import type { EventContract } from "../protocol/events.ts";
import { type Payload, type Rewrite, rewriteOf, rewritePayload } from "../protocol/rewrite.ts";
import type { Outcome } from "./handler.ts";
import type { Stage } from "./hook-policy.ts";
import type { CompiledHook } from "./match.ts";

/** The hooks of one dispatch, and how to run them. */
export interface RunOptions {
  contract: EventContract;
  hooks: readonly CompiledHook[];
  payload: Payload;
  stage: (hook: CompiledHook) => Stage;
  /**
   * `does` for a redaction, which no later rewrite may undo; `follows` for a rewriter that must only see redacted text.
   */
  redaction: (hook: CompiledHook) => "does" | "follows" | undefined;
  /** Runs one hook on a payload. Never rejects. */
  run: (hook: CompiledHook, payload: Payload) => Promise<Outcome>;
}

/** The state of a dispatch while its hooks run. */
interface RunState {
  payload: Payload;
  rewritten: boolean;
  results: Map<CompiledHook, { outcome: Outcome; rewriteDropped: boolean }>;
}

/** The hooks of one dispatch after they ran. */
export interface StagedRun {
  /** One outcome per hook, in configuration order. `rewriteDropped`: an earlier hook's rewrite won over this one's. */
  outcomes: { hook: CompiledHook; outcome: Outcome; rewriteDropped: boolean }[];
  /** The payload after all rewrites. */
  payload: Payload;
  /** True if any hook rewrote the payload, even to the same value. */
  rewritten: boolean;
}

/**
 * Runs the hooks of one dispatch in their event's mode. Declared rewriters run one after another, and each sees the
 * rewrites before it; then all other hooks run at once on the rewritten payload. On a sequential event every hook is a
 * rewriter, on a concurrent one none is. Text that hooks rewrite after a redaction is redacted again.
 */
export async function runHooks(options: RunOptions): Promise<StagedRun> {
  const { hooks } = options;
  const state: RunState = { payload: options.payload, rewritten: false, results: new Map() };
  const rewriters = redactionsFirst(
    options,
    hooks.filter((hook) => options.stage(hook) === "rewrite"),
  );
  const redactions: CompiledHook[] = [];
  for (const hook of rewriters) {
    const before = state.payload;
    await runRewriter(options, state, hook);
    if (options.redaction(hook) === "does") redactions.push(hook);
    else await redactAgain(options, state, before, redactions);
  }
  const before = state.payload;
  const others = hooks.filter((hook) => !rewriters.includes(hook));
  await runAtOnce(options, state, others);
  await redactAgain(options, state, before, redactions);
  return {
    outcomes: hooks.map((hook) => ({
      hook,
      ...(state.results.get(hook) ?? { outcome: { kind: "silent" }, rewriteDropped: false }),
    })),
    payload: state.payload,
    rewritten: state.rewritten,
  };
}

async function runRewriter(options: RunOptions, state: RunState, hook: CompiledHook): Promise<void> {
  const outcome = await options.run(hook, state.payload);
  state.results.set(hook, { outcome, rewriteDropped: false });
  const isFailedRedaction = outcome.kind === "failed" && options.redaction(hook) === "does";
  applyRewrite(options, state, isFailedRedaction ? redactedPlaceholder(options) : rewriteIn(options, outcome));
}

/**
 * Replaces a tool response whose redaction failed. Arguments and messages need no placeholder: their events are
 * blocked.
 */
function redactedPlaceholder({ contract }: RunOptions): Rewrite | undefined {
  return contract.rewrites === "tool_response" ? REDACTION_MARK : undefined;
}

async function runAtOnce(options: RunOptions, state: RunState, hooks: readonly CompiledHook[]): Promise<void> {
  const { payload } = state;
  const ran = await Promise.all(hooks.map(async (hook) => ({ hook, outcome: await options.run(hook, payload) })));
  let isReplaced = false;
  for (const { hook, outcome } of ran) {
    const rewrite = rewriteIn(options, outcome);
    // Patches of arguments merge key by key. Of several replacements, the first in configuration order wins.
    const rewriteDropped = rewrite !== undefined && isReplaced;
    state.results.set(hook, { outcome, rewriteDropped });
    if (rewrite === undefined || rewriteDropped) continue;
    applyRewrite(options, state, rewrite);
    isReplaced = options.contract.rewrites !== "tool_input";
  }
}

function rewriteIn({ contract }: RunOptions, outcome: Outcome): Rewrite | undefined {
  return outcome.kind === "answered" ? rewriteOf(contract, outcome.output) : undefined;
}

function applyRewrite({ contract }: RunOptions, state: RunState, rewrite: Rewrite | undefined): void {
  if (rewrite === undefined) return;
  state.payload = rewritePayload(contract, state.payload, rewrite);
  state.rewritten = true;
}

/** Moves rewriters that store the text they see after the last redaction, so they only store redacted text. */
function redactionsFirst({ redaction }: RunOptions, hooks: readonly CompiledHook[]): CompiledHook[] {
  const early = hooks.slice(0, hooks.findLastIndex((hook) => redaction(hook) === "does") + 1);
  return [
    ...early.filter((hook) => redaction(hook) !== "follows"),
    ...early.filter((hook) => redaction(hook) === "follows"),
    ...hooks.slice(early.length),
  ];
}

/**
 * Redacts again if hooks have rewritten the payload since it was `safe`. If that fails, their rewrites are dropped and
 * the payload is `safe` again.
 */
async function redactAgain(
  options: RunOptions,
  state: RunState,
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
    if (outcome.kind !== "answered") continue;
    const rewrite = rewriteOf(options.contract, outcome.output);
    if (rewrite === undefined) continue;
    state.payload = rewritePayload(options.contract, state.payload, rewrite);
    // Each redaction is reported once, with the counts of all its runs.
    state.results.set(hook, { outcome: withCounts(state.results.get(hook)?.outcome, outcome), rewriteDropped: false });
  }
}

/** The first outcome of a redaction that found secrets, with the counts of `next` added. */
function withCounts(first: Outcome | undefined, next: Outcome & { kind: "answered" }): Outcome {
  if (first === undefined || first.kind === "silent") return next;
  if (first.kind !== "answered" || !next.redacted) return first;
  return { ...first, redacted: addKinds(first.redacted ?? {}, next.redacted) };
}
