/** When to stop waiting. */
export interface Wait {
  /** After this many milliseconds. */
  ms?: number | undefined;
  /** When this aborts. */
  signal?: AbortSignal | undefined;
}

/** How a wait ended. */
export type Settled<T> = { kind: "done"; value: T } | { kind: "timed_out" } | { kind: "aborted" };

/** A timer with a longer delay fires immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits until the work is done, the time is up or the signal aborts, whichever is first. Rejects if the work rejects
 * first, and ignores the work after the wait has ended. A signal that is already aborted wins.
 */
export async function settleWithin<T>(work: Promise<T>, { ms, signal }: Wait): Promise<Settled<T>> {
  const over = Promise.withResolvers<Settled<T>>();
  const onAbort = () => over.resolve({ kind: "aborted" });
  const timer =
    ms === undefined ? undefined : setTimeout(over.resolve, Math.min(ms, LONGEST_TIMER_MS), { kind: "timed_out" });
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work.then((value): Settled<T> => ({ kind: "done", value })), over.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Returns the result of the work. Throws the signal's reason as soon as the signal aborts. */
export async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = await settleWithin(work, { signal });
  if (settled.kind === "done") return settled.value;
  throw signal.reason;
}

/** Waits for `ms` milliseconds. Throws the signal's reason as soon as the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { kind } = await settleWithin(NEVER, { ms, signal });
  if (kind === "aborted") throw signal.reason;
}

const NEVER = new Promise<never>(() => {});

/** Settles as the promise does; resolves with undefined if the signal is aborted first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  try {
    const settled = await settleWithin(promise, { signal });
    return settled.kind === "done" ? settled.value : undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
