import { addKinds } from "../protocol/builtin.ts";
import { type Payload, rewriteOf, rewritePayload } from "../protocol/rewrite.ts";
import type { Outcome, RunOptions, RunState } from "./handler.ts";
import type { CompiledHook } from "./match.ts";

/** Moves rewriters that store the text they see after the last redaction, so they only store redacted text. */
export function redactionsFirst({ redaction }: RunOptions, hooks: readonly CompiledHook[]): CompiledHook[] {
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
export async function redactAgain(
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
