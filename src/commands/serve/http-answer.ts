import type { Channel, Dialect, HostCall, Verdict } from "../../dialects/dialect.ts";
import { channels, type Encoded } from "../../dialects/encode.ts";

const PROBE: Readonly<Partial<Record<Channel, Verdict>>> = {
  block: { block: "x" },
  ask: { ask: "x" },
  context: { context: "x" },
};

/**
 * True for a host that reads some answers from an exit code, from standard error or as plain text, so that a body of
 * JSON cannot hold all of them.
 */
export function needsExitCode(dialect: Dialect): boolean {
  return Object.entries(dialect.events).some(([event, row]) => {
    const call: HostCall = { dialect, event, row, payload: {}, events: [] };
    return channels(row, {}).some((channel) => {
      const verdict = PROBE[channel];
      const answer = verdict && row.say?.(verdict, call);
      return (
        answer !== undefined && (answer.exitCode === 2 || answer.text !== undefined || answer.stderr !== undefined)
      );
    });
  });
}

/**
 * Returns the response with the answer to a host: the JSON that `hooksh dispatch` would print. For a host that
 * {@link needsExitCode}, the JSON holds everything that the process would leave: `stdout`, `stderr` and `exit_code`.
 */
export function hostResponse(dialect: Dialect, { stdout, stderr, exitCode }: Encoded): Response {
  if (needsExitCode(dialect)) return jsonResponse(JSON.stringify({ stdout, stderr, exit_code: exitCode }));
  return exitCode === 0 ? jsonResponse(stdout) : denialResponse(stderr);
}

/** Returns the denial of an event whose host or kind is unknown, in the words that most hosts understand. */
export function denialResponse(reason: string): Response {
  return jsonResponse(JSON.stringify({ decision: "block", reason }));
}

/** Returns a response with status 200: hosts take every other status as a failure of the hook, and go on. */
export function jsonResponse(body: string): Response {
  return new Response(body, { headers: { "content-type": "application/json" } });
}
