import { EXIT_CODES } from "./errors.ts";

/**
 * The reason with which an `AbortSignal` is aborted unless the user cancels the work. The message is a clause that
 * completes "canceled: ...", for the user and the model.
 */
export class StopReason extends Error {}

/** The {@link StopReason} of SIGQUIT. */
export class QuitReason extends StopReason {
  constructor() {
    super("interrupted by SIGQUIT");
  }
}

/** Returns the exit code of a command that `signal` interrupted. */
export function interruptedCode({ reason }: AbortSignal): number {
  return reason instanceof QuitReason ? EXIT_CODES.quit : EXIT_CODES.interrupted;
}

/** Returns why work was stopped; undefined if the user cancelled it. */
export function stopReasonOf({ reason }: AbortSignal): string | undefined {
  return reason instanceof StopReason ? reason.message : undefined;
}
