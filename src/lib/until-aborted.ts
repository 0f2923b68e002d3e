import { settleWithin } from "./settle-within.ts";

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
