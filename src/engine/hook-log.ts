import { displayName } from "../config/hooks/read-hooks.ts";
import { cutBytes } from "../lib/text/cut-text.ts";
import { redactionCounts } from "../protocol/builtin.ts";
import { effectivePolicy, failureText, type HookOutcome } from "./aggregate.ts";
import { failureDetails, type HandlerResult, type HookContext, type Log, type Outcome } from "./handler.ts";
import type { CompiledHook } from "./match.ts";
import { unusedText } from "./strict-output.ts";

/** Maximum bytes of each output stream in the log. */
const MAX_LOGGED_OUTPUT = 4096;

/** The log entry of a hook that ran: its outcome, and its output unless the hook asked to suppress it. */
export function transcript({ event, hook }: HookContext, result: HandlerResult, outcome: Outcome): string {
  const redacted =
    outcome.kind === "answered" && outcome.redacted ? `, redacted ${redactionCounts(outcome.redacted)}` : "";
  const ran = `${event} hook ${JSON.stringify(displayName(hook))}: ${outcome.kind}${redacted}`;
  if (result.kind !== "exited") return ran;
  const isSuppressed = outcome.kind === "answered" && outcome.output.suppress_output === true;
  const streams = [
    ["stdout", isSuppressed ? "" : result.stdout],
    ["stderr", result.stderr],
  ] as const;
  const shown = streams
    .filter(([, text]) => text.trim() !== "")
    .map(([name, text]) => `\n${name}: ${cutBytes(text.trim(), MAX_LOGGED_OUTPUT)}`);
  return `${ran}, exit code ${result.exitCode}${shown.join("")}`;
}

/** Receives warnings about output without effect. */
type Warn = (message: string) => void;

/** Logs the failures of a dispatch. Passes warnings about output to `warn`, or to the log if `warn` is absent. */
export async function reportOutcomes(
  outcomes: readonly HookOutcome[],
  hooks: readonly CompiledHook[],
  log: Log,
  warn: Warn = (message) => log("warn", message),
): Promise<void> {
  for (const [index, outcome] of outcomes.entries()) {
    reportOutcome(outcome, log, warn);
    const compiled = hooks[index];
    if (compiled) await reportUnused(outcome, compiled, warn);
  }
}

function reportOutcome(hookOutcome: HookOutcome, log: Log, warn: Warn): void {
  const { event, hook, outcome } = hookOutcome;
  if (outcome.kind === "failed") {
    const isIgnored = effectivePolicy(hookOutcome, outcome) === "ignore";
    log(isIgnored ? "debug" : "warn", failureText(hookOutcome, failureDetails(outcome)));
  } else if ("warning" in outcome && outcome.warning !== undefined)
    warn(`${event} hook ${JSON.stringify(displayName(hook))}: ${outcome.warning}`);
}

/** The warnings of {@link reportUnused} so far. */
const reported = new WeakMap<CompiledHook, Set<string>>();

/** Warns about fields of an answer that the event does not accept: once for each hook, with its place. */
async function reportUnused(hookOutcome: HookOutcome, compiled: CompiledHook, warn: Warn): Promise<void> {
  const { event, hook, outcome } = hookOutcome;
  const unused = outcome.kind === "answered" ? unusedText(hookOutcome, outcome.output) : undefined;
  const known = reported.get(compiled) ?? new Set();
  if (unused === undefined || known.has(unused)) return;
  reported.set(compiled, known.add(unused));
  warn(`${event} hook ${JSON.stringify(displayName(hook))} (${await compiled.entry.source()}): ${unused}`);
}
