import { displayName } from "../config/hooks/read-hooks.ts";
import { cutBytes } from "../lib/text/cut-text.ts";
import { redactionCounts } from "../protocol/builtin.ts";
import { effectivePolicy, failureText, type HookOutcome } from "./aggregate.ts";
import { unusedText } from "./answer.ts";
import { failureDetails, type RanHook } from "./dispatch-record.ts";
import type { HandlerResult, HookContext, Log, Outcome } from "./handler.ts";

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
  ran: readonly RanHook[],
  log: Log,
  warn: Warn = (message) => log("warn", message),
): Promise<void> {
  for (const one of ran) {
    reportOutcome(one, log, warn);
    await reportUnused(one, warn);
  }
}

function reportOutcome(hookOutcome: HookOutcome, log: Log, warn: Warn): void {
  const { event, hook, outcome } = hookOutcome;
  if (outcome.kind === "failed") {
    const isIgnored = effectivePolicy(hookOutcome, outcome) === "ignore";
    log(isIgnored ? "debug" : "warn", failureText(hookOutcome, failureDetails(outcome)));
    if (outcome.help) log("debug", `cause: ${outcome.help.cause}\ncure: ${outcome.help.cure}`);
  } else if ("warning" in outcome && outcome.warning !== undefined)
    warn(`${event} hook ${JSON.stringify(displayName(hook))}: ${outcome.warning}`);
}

/** Warns about fields of an answer that the event does not accept: once for each hook, with its place. */
async function reportUnused(ran: RanHook, warn: Warn): Promise<void> {
  const { event, hook, outcome, compiled } = ran;
  const unused = outcome.kind === "answered" ? unusedText(ran, outcome.output) : undefined;
  if (unused === undefined || !compiled.isNewWarning(unused)) return;
  warn(`${event} hook ${JSON.stringify(displayName(hook))} (${await compiled.entry.source()}): ${unused}`);
}
