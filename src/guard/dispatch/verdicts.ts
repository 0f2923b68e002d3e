import { printError, printOrThrow } from "../../cli/print.ts";
import type { HookDetail } from "../../engine/dispatch-record.ts";
import type { RuleHit } from "../../engine/rules.ts";
import { errorText } from "../../lib/errors.ts";
import { escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { redactionCounts } from "../../protocol/builtin.ts";
import type { HookOutput, SpecificOutput } from "../../protocol/output.ts";
import { type AnyResult, withoutPlace } from "../../protocol/result.ts";

/** The formats in which `dispatch` prints verdicts. */
export const VERDICT_FORMATS = ["hook", "result", "text"] as const;

export type VerdictFormat = string;

/** Formats a verdict as a line. `details` adds the outcome of each hook, and `rules` the rules that hit. */
export function renderVerdict(
  event: string,
  result: AnyResult,
  options: {
    format: VerdictFormat;
    details?: HookDetail[] | undefined;
    rules?: readonly RuleHit[] | undefined;
  },
): string {
  const { details, rules } = options;
  const extra = { ...(details ? { hooks: details } : {}), ...(rules ? { rules } : {}) };
  switch (options.format) {
    case "result":
      return JSON.stringify({ event, ...result, ...extra });
    case "text":
      return renderText(event, result, details ?? [], rules ?? []);
    default:
      return JSON.stringify({ ...hookOutput(event, result), ...extra });
  }
}

/** Converts a result to the output of a hook, so that dispatch can itself be a hook of another agent. */
function hookOutput(event: string, result: AnyResult): HookOutput {
  const specific: SpecificOutput = {};
  if (result.permission_allowed && result.allowed) specific.permission_decision = "allow";
  if (result.decision !== undefined) specific.permission_decision = result.decision;
  if (result.decision_reason !== undefined) specific.permission_decision_reason = result.decision_reason;
  if (result.modified_input !== undefined) specific.updated_input = result.modified_input;
  if (result.updated_messages !== undefined) specific.updated_messages = result.updated_messages;
  if (result.updated_tool_response !== undefined) specific.updated_tool_response = result.updated_tool_response;
  if (result.updated_response !== undefined) specific.updated_response = result.updated_response;
  if (result.additional_context !== undefined) specific.additional_context = result.additional_context;
  if (result.summary !== undefined) specific.summary = result.summary;
  if (result.metadata !== undefined) specific.metadata = result.metadata;
  if (result.transition !== undefined) specific.transition = { ...result.transition };
  const output: HookOutput = {};
  if (!result.allowed) Object.assign(output, { decision: "block", reason: result.message ?? "" });
  if (result.system_message !== undefined) output.system_message = result.system_message;
  if (Object.keys(specific).length > 0) output.hook_specific_output = { hook_event_name: event, ...specific };
  return output;
}

/**
 * Formats a verdict for people. Escapes control characters, which a terminal would act on, and indents further lines of
 * a message, so that they cannot imitate a verdict.
 */
function renderText(
  event: string,
  result: AnyResult,
  details: readonly HookDetail[],
  rules: readonly RuleHit[],
): string {
  const verdict = result.allowed
    ? (result.decision ?? "allowed")
    : `denied: ${withoutPlace(result.message ?? "no reason given")}`;
  const lines = [event === "" ? verdict : `${event}: ${verdict}`];
  if (result.allowed && result.decision_reason) lines.push(`because: ${result.decision_reason}`);
  if (result.modified_input) lines.push(`arguments now: ${JSON.stringify(result.modified_input)}`);
  if (result.updated_messages) lines.push(`messages rewritten: ${result.updated_messages.length}`);
  if (result.updated_tool_response !== undefined) lines.push(`response now: ${result.updated_tool_response}`);
  if (result.updated_response !== undefined) lines.push(`answer now: ${result.updated_response}`);
  if (result.additional_context) lines.push(`context: ${result.additional_context}`);
  if (result.summary) lines.push(`summary: ${result.summary}`);
  if (result.transition) lines.push(`route: ${result.transition.agent}`);
  if (result.system_message) lines.push(`warning: ${result.system_message}`);
  for (const { name, source, verdict: ofRule, sure, mode, facts } of rules) {
    const because = Object.entries(facts).map(([fact, value]) => `${fact} ${value}`);
    const what = [ofRule, ...(mode === undefined ? [] : ["only observes"]), sure].join(", ");
    lines.push(`rule ${name} (${source}): ${[what, ...because].join("; ")}`);
  }
  for (const { name, source, outcome, duration_ms: duration, redacted, message } of details) {
    const counts = redacted ? `, redacted ${redactionCounts(redacted)}` : "";
    const why = outcome === "failed" || outcome === "timed_out" ? failureReason(message) : "";
    lines.push(`${name} (${source}): ${outcome}, ${duration} ms${counts}${why}`);
  }
  return lines.map((line) => escapeControlsInLines(line).replaceAll("\n", "\n    ")).join("\n  ");
}

/** Why a hook failed: its error, and the last line that it printed. */
function failureReason(message = ""): string {
  const [error = "", ...printed] = message.split(/\r?\n/);
  return [error, printed.at(-1)]
    .filter(Boolean)
    .map((text) => `: ${text}`)
    .join("");
}

/** How long the refusal of the first event is delayed, in case it is the only event. */
const HOLD_MS = 1000;

/** Writes the verdicts of `dispatch` to standard output, one line each, in the order of the events. */
export class VerdictWriter {
  readonly #asHook: boolean;
  #held: string | undefined;
  #timer: Timer | undefined;
  #isFirst = true;
  #written: Promise<boolean> = Promise.resolve(true);

  /** With `asHook`, the line for a single broken event is left out: a hook without a verdict prints nothing. */
  constructor(asHook: boolean) {
    this.#asHook = asHook;
  }

  /** Writes a verdict. If that fails, prints an error and returns false. */
  async verdict(line: string): Promise<boolean> {
    this.release();
    this.#isFirst = false;
    return this.#write(line);
  }

  /** Writes the line for a refused event, or holds it back if it is the first event. */
  async refusal(line: string): Promise<void> {
    this.release();
    if (this.#asHook && this.#isFirst) {
      this.#held = line;
      this.#timer = setTimeout(() => this.release(), HOLD_MS);
    } else await this.#write(line);
    this.#isFirst = false;
  }

  /** Writes the held line, because another event has arrived or may arrive, and then each event gets a line. */
  release(): void {
    clearTimeout(this.#timer);
    if (this.#held !== undefined) void this.#write(this.#held);
    this.#held = undefined;
  }

  /** Drops the held line and waits until all others are written. Call it after the last event. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#written;
  }

  #write(line: string): Promise<boolean> {
    this.#written = this.#written
      .then(() => printOrThrow(line))
      .then(
        () => true,
        (error: unknown) => {
          printError(`standard output: ${errorText(error)}`);
          return false;
        },
      );
    return this.#written;
  }
}
