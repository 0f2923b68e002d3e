import { displayName } from "../config/hooks/read-hooks.ts";
import { cutBytes } from "../lib/text/cut-text.ts";
import { redactionCounts } from "../protocol/builtin.ts";
import { effectivePolicy, failureText, type HookOutcome } from "./aggregate.ts";
import { failureDetails, type HandlerResult, type HookContext, type Log, type Outcome } from "./handler.ts";

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

/** Logs the failure of a hook. Passes a warning about its output to `warn`, or to the log if `warn` is absent. */
export function reportOutcome(hookOutcome: HookOutcome, log: Log, warn?: (message: string) => void): void {
  const { event, hook, outcome } = hookOutcome;
  if (outcome.kind === "failed") {
    const isIgnored = effectivePolicy(hookOutcome, outcome) === "ignore";
    log(isIgnored ? "debug" : "warn", failureText(hookOutcome, failureDetails(outcome)));
    return;
  }
  if (!("warning" in outcome) || outcome.warning === undefined) return;
  const message = `${event} hook ${JSON.stringify(displayName(hook))}: ${outcome.warning}`;
  if (warn) warn(message);
  else log("warn", message);
}
