/**
 * The reason with which an `AbortSignal` is aborted unless the user cancels the work. The message is a clause that
 * completes "canceled: ...", for the user and the model.
 */
export class StopReason extends Error {}

/** Returns why work was stopped; undefined if the user cancelled it. */
export function stopReasonOf({ reason }: AbortSignal): string | undefined {
  return reason instanceof StopReason ? reason.message : undefined;
}
