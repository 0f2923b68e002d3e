import type { Dialect, HostEvent } from "../../dialects/dialect.ts";

/** Used for a host whose timeout is unknown. */
const UNKNOWN_TIMEOUT_SECONDS = 26;

/** For timeouts up to this one, the start of the process takes a larger share. */
const SHORT_TIMEOUT_SECONDS = 5;

/**
 * Returns the milliseconds after the start of the process at which a host must be answered: somewhat less than the host
 * waits, because most hosts let a call run when their timeout passes.
 */
export function deadlineOf({ timeoutSeconds }: Dialect, row: HostEvent): number {
  return deadlineUnder(row.timeoutSeconds ?? timeoutSeconds ?? UNKNOWN_TIMEOUT_SECONDS);
}

/** Returns the deadline in milliseconds for a timeout of the host in seconds. */
export function deadlineUnder(timeoutSeconds: number): number {
  const share = timeoutSeconds <= SHORT_TIMEOUT_SECONDS ? 0.2 : 0.05;
  return Math.max(0, timeoutSeconds * 1000 - Math.max(250, timeoutSeconds * 1000 * share));
}
