/** How long to wait for something. */
export interface Wait {
  /** The longest wait, in milliseconds. */
  ms?: number | undefined;
  /** Until this aborts. */
  signal?: AbortSignal | undefined;
}

/** What ended a wait: the work itself, or what was waited for at most. */
export type Settled<T> = { kind: "done"; value: T } | { kind: "timed_out" } | { kind: "aborted" };

/** A timer set to more than this fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits for work, for a time, until a signal aborts: whichever is first. Rejects if the work rejects first; what becomes
 * of it later is ignored. A signal that has aborted already comes first.
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

/** The result of work. Throws the signal's reason as soon as it aborts. */
export async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = await settleWithin(work, { signal });
  if (settled.kind === "done") return settled.value;
  throw signal.reason;
}

/** Waits for a time. Throws the signal's reason as soon as it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { kind } = await settleWithin(NEVER, { ms, signal });
  if (kind === "aborted") throw signal.reason;
}

const NEVER = new Promise<never>(() => {});
