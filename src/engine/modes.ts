import { REDACTION_MARK } from "../lib/secrets/redaction-mark.ts";
import { type Payload, type Rewrite, rewriteOf, rewritePayload } from "../protocol/rewrite.ts";
import type { Outcome, RunOptions, RunState } from "./handler.ts";
import type { CompiledHook } from "./match.ts";
import { redactAgain, redactionsFirst } from "./redact-again.ts";

/** The hooks of one dispatch after they ran. */
export interface StagedRun {
  /** One outcome per hook, in configuration order. `rewriteDropped`: an earlier hook's rewrite won over this one's. */
  outcomes: { outcome: Outcome; rewriteDropped: boolean }[];
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
    hooks.filter((hook) => isRewriter(options, hook)),
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
    outcomes: hooks.map((hook) => state.results.get(hook) ?? { outcome: { kind: "silent" }, rewriteDropped: false }),
    payload: state.payload,
    rewritten: state.rewritten,
  };
}

function isRewriter({ contract, declared }: RunOptions, hook: CompiledHook): boolean {
  return contract.mode === "sequential" || (contract.mode === "staged" && declared(hook));
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
