import { stopReasonOf } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";

/** How a cancelled call ends: the response, and the reason as run events have it. */
export interface Cancellation {
  text: string;
  /** `reason` is absent if the user cancelled the call. */
  ending: { outcome: "canceled"; reason?: string };
}

/** Returns how a call ends that the abort of `signal` cancels. */
export function cancellationBy(signal: AbortSignal): Cancellation {
  const reason = stopReasonOf(signal);
  return {
    text: reason === undefined ? "The tool call was canceled by the user." : `The tool call was canceled: ${reason}.`,
    ending: { outcome: "canceled", ...omitEmpty({ reason }) },
  };
}
