import { errorText } from "../lib/errors.ts";
import { settleWithin } from "../lib/settle-within.ts";
import { formatDuration } from "../lib/text/duration.ts";
import type { FailureReason, Handler, HandlerInput, HandlerResult, Outcome } from "./hook.ts";

/** How a handler ended: with a result, or stopped after so many milliseconds. */
export type HandlerEnd =
  | { reason: undefined; result: HandlerResult }
  | { reason: FailureReason; stderr: string; afterMs: number };

/** A handler's result, or why there is none: the first of its deadline and the caller's cancellation. Never rejects. */
export async function runWithDeadline(
  handler: Handler,
  input: HandlerInput,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<HandlerEnd> {
  if (signal?.aborted) return { reason: "cancelled", stderr: "", afterMs: deadlineMs };
  const stop = new AbortController();
  const running = handler.run(input, stop.signal).catch(thrownResult);
  const settled = await settleWithin(running, { ms: deadlineMs, signal });
  if (settled.kind === "done") return { reason: undefined, result: settled.value };
  stop.abort();
  const late = await settleWithin(running, { ms: handler.lingerMs ?? 0 });
  const stderr = late.kind === "done" && late.value.kind !== "returned" ? (late.value.stderr ?? "") : "";
  return { reason: settled.kind === "timed_out" ? "timed_out" : "cancelled", stderr, afterMs: deadlineMs };
}

function thrownResult(error: unknown): HandlerResult {
  return { kind: "failed", error: errorText(error) };
}

/** The outcome of a hook that was stopped. */
export function stoppedOutcome({ reason, stderr, afterMs }: HandlerEnd & { reason: FailureReason }): Outcome {
  const error = reason === "timed_out" ? `timed out after ${formatDuration(afterMs)}` : "cancelled";
  return { kind: "failed", reason, error, stderr };
}
