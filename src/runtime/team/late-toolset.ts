import { errorText, UserError } from "../../lib/errors.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import type { ToolServer, Toolset } from "../../tools/tool.ts";

/** How to start a toolset that did not start with its agent. */
export interface LateStart {
  /** Why it did not start with its agent. */
  reason: string;
  /** The name of its server, if it has one. */
  server?: string | undefined;
  /** True if the runtime may try again by itself; otherwise only the user starts it. */
  isAutomatic: boolean;
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
export function lateToolset(late: LateStart, maxDelayMs = MAX_DELAY_MS): Toolset {
  const { start, onStart, onFailure, isAutomatic, server } = late;
  let { reason } = late;
  let wantsPrompts = false;
  const end = new AbortController();
  let started: Toolset | undefined;
  let attempt: Promise<void> | undefined;
  let leftMs = maxDelayMs;
  const tryAgain = async () => {
    try {
      const toolset = await start(end.signal);
      if (end.signal.aborted) return await toolset.close?.();
      started = toolset;
      if (wantsPrompts) void toolset.server?.listPrompts(end.signal);
      onStart();
    } catch (error) {
      reason = errorText(error);
      onFailure(reason);
    } finally {
      attempt = undefined;
    }
  };
  const retry = async (signal: AbortSignal) => {
    if (started || attempt || end.signal.aborted || signal.aborted) return;
    const startedAt = performance.now();
    attempt = tryAgain();
    await settleWithin(attempt, { ms: leftMs, signal });
    leftMs = Math.max(0, leftMs - (performance.now() - startedAt));
  };
  const lateServer = (name: string): ToolServer => ({
    name,
    get problem() {
      return started ? started.server?.problem : attempt ? "is starting" : reason;
    },
    get prompts() {
      return started?.server?.prompts ?? [];
    },
    listPrompts: async (signal) => {
      wantsPrompts = true;
      await started?.server?.listPrompts(signal);
    },
    getPrompt: async (...request) => {
      if (!started?.server) throw new UserError(reason);
      return started.server.getPrompt(...request);
    },
    restart: async () => {
      if (started) return started.server?.restart();
      attempt ??= tryAgain();
      await attempt;
      if (!started) throw new UserError(reason);
    },
  });
  return {
    get tools() {
      return started?.tools ?? [];
    },
    get instructions() {
      return started?.instructions ?? "";
    },
    work: () => started?.work?.() ?? [],
    ...(isAutomatic ? { retry } : {}),
    ...(server === undefined ? {} : { server: lateServer(server) }),
    close: async () => {
      end.abort();
      if (attempt) await settleWithin(attempt, { ms: CLOSE_TIMEOUT_MS });
      await started?.close?.();
    },
  };
}
