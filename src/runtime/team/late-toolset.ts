import { errorText } from "../../lib/errors.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import type { Toolset } from "../../tools/tool.ts";

/** How a toolset is started that did not start with its agent. */
export interface LateStart {
  /** Starts it; rejects when that fails again. The signal is aborted when it is no longer wanted. */
  start(signal: AbortSignal): Promise<Toolset>;
  /** Told when it has started, once. */
  onStart(): void;
  /** Told why an attempt failed. */
  onFailure(reason: string): void;
}

const MAX_DELAY_MS = 10_000;
/** Longer than an attempt takes to end that has been given up. */
const CLOSE_TIMEOUT_MS = 5000;

/**
 * A toolset without tools until an attempt to start it succeeds; from then on it is that toolset. One attempt is made
 * at a time. `patienceMs` is what all of them together may hold up the conversation; later ones are made beside it.
 */
export function lateToolset({ start, onStart, onFailure }: LateStart, patienceMs = MAX_DELAY_MS): Toolset {
  const end = new AbortController();
  let started: Toolset | undefined;
  let attempt: Promise<void> | undefined;
  let leftMs = patienceMs;
  const tryAgain = async () => {
    try {
      const made = await start(end.signal);
      if (end.signal.aborted) return await made.close?.();
      started = made;
      onStart();
    } catch (error) {
      onFailure(errorText(error));
    } finally {
      attempt = undefined;
    }
  };
  return {
    get tools() {
      return started?.tools ?? [];
    },
    get instructions() {
      return started?.instructions ?? "";
    },
    retry: async (signal) => {
      if (started || attempt || end.signal.aborted || signal.aborted) return;
      const begun = performance.now();
      attempt = tryAgain();
      await settleWithin(attempt, { ms: leftMs, signal });
      leftMs = Math.max(0, leftMs - (performance.now() - begun));
    },
    close: async () => {
      end.abort();
      if (attempt) await settleWithin(attempt, { ms: CLOSE_TIMEOUT_MS });
      await started?.close?.();
    },
  };
}
