import { errorText } from "../../lib/errors.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import type { Toolset } from "../../tools/tool.ts";

/** How to start a toolset that did not start with its agent. */
export interface LateStart {
  /** Starts it; rejects if that fails again. The signal is aborted when the toolset is no longer needed. */
  start(signal: AbortSignal): Promise<Toolset>;
  /** Called once, when it has started. */
  onStart(): void;
  /** Called with the reason of each failed attempt. */
  onFailure(reason: string): void;
}

const MAX_DELAY_MS = 10_000;
/** How long `close` waits for an aborted attempt to end. */
const CLOSE_TIMEOUT_MS = 5000;

/**
 * Returns a toolset that has no tools until an attempt to start it succeeds, and is the started toolset from then on.
 * Only one attempt runs at a time. All attempts together may delay the conversation by `maxDelayMs`; later ones run
 * while the conversation continues.
 */
export function lateToolset({ start, onStart, onFailure }: LateStart, maxDelayMs = MAX_DELAY_MS): Toolset {
  const end = new AbortController();
  let started: Toolset | undefined;
  let attempt: Promise<void> | undefined;
  let leftMs = maxDelayMs;
  const tryAgain = async () => {
    try {
      const toolset = await start(end.signal);
      if (end.signal.aborted) return await toolset.close?.();
      started = toolset;
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
    work: () => started?.work?.() ?? [],
    retry: async (signal) => {
      if (started || attempt || end.signal.aborted || signal.aborted) return;
      const startedAt = performance.now();
      attempt = tryAgain();
      await settleWithin(attempt, { ms: leftMs, signal });
      leftMs = Math.max(0, leftMs - (performance.now() - startedAt));
    },
    close: async () => {
      end.abort();
      if (attempt) await settleWithin(attempt, { ms: CLOSE_TIMEOUT_MS });
      await started?.close?.();
    },
  };
}
