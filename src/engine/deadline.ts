import { formatDuration } from "../lib/duration.ts";
import { errorText } from "../lib/errors.ts";
import type { FailureReason, Handler, HandlerInput, HandlerResult, Outcome } from "./hook.ts";

/** How a handler ended: with a result, or stopped after so many milliseconds. */
export type Ended = { reason: undefined; result: HandlerResult } | { reason: FailureReason; stderr: string; afterMs: number };

/** A timer set to more than this fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A handler's result, or why there is none: the first of its deadline and the caller's cancellation. Never rejects. */
export async function runWithin(handler: Handler, input: HandlerInput, deadlineMs: number, signal?: AbortSignal): Promise<Ended> {
  const stop = new AbortController();
  const stopped = Promise.withResolvers<"stopped">();
  let reason: FailureReason | undefined;
  let lingering: Timer | undefined;
  const end = (why: FailureReason) => {
    if (reason) return;
    reason = why;
    stop.abort();
    lingering = setTimeout(stopped.resolve, handler.lingerMs ?? 0, "stopped");
  };
  const onCancel = () => end("cancelled");
  const timer = setTimeout(end, Math.min(deadlineMs, LONGEST_TIMER_MS), "timed_out");
  if (signal?.aborted) end("cancelled");
  else signal?.addEventListener("abort", onCancel, { once: true });
  try {
    if (reason !== undefined) return { reason, stderr: "", afterMs: deadlineMs };
    const result = await Promise.race([handler.run(input, stop.signal).catch(thrownResult), stopped.promise]);
    if (reason === undefined && result !== "stopped") return { reason, result };
    const stderr = result !== "stopped" && result.kind !== "returned" ? (result.stderr ?? "") : "";
    return { reason: reason ?? "failed", stderr, afterMs: deadlineMs };
  } finally {
    clearTimeout(timer);
    clearTimeout(lingering);
    signal?.removeEventListener("abort", onCancel);
  }
}

function thrownResult(error: unknown): HandlerResult {
  return { kind: "failed", error: errorText(error) };
}

/** The outcome of a hook that was stopped. Source: hooks 5.3. */
export function unanswered(command: string, { reason, stderr, afterMs }: Ended & { reason: FailureReason }): Outcome {
  const error = reason === "timed_out"
    ? `hook ${JSON.stringify(command)} timed out after ${formatDuration(afterMs)}: context deadline exceeded`
    : `hook ${JSON.stringify(command)} cancelled: context canceled`;
  return { kind: "failed", reason, error, stderr };
}
