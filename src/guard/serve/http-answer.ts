import type { Dialect, HostCall } from "../../dialects/dialect.ts";
import { type Encoded, isGuarded } from "../../dialects/encode.ts";

/** True for a host that reads a refusal from an exit code, so that a response body alone cannot refuse. */
export function needsExitCode(dialect: Dialect): boolean {
  return Object.entries(dialect.events).some(([event, row]) => {
    const call: HostCall = { dialect, event, row, payload: {}, events: [] };
    return row.is.includes("pre_tool_use") && isGuarded(row, {}) && row.say?.({ block: "x" }, call)?.exitCode === 2;
  });
}

/**
 * Returns the response with the answer to a host: what `hooksh dispatch` would print. For a host that
 * {@link needsExitCode}, a JSON object with the output of the process: `stdout`, `stderr`, `exit_code`.
 */
export function hostResponse(dialect: Dialect, { stdout, stderr, exitCode }: Encoded): Response {
  if (needsExitCode(dialect)) return jsonResponse(JSON.stringify({ stdout, stderr, exit_code: exitCode }));
  return exitCode === 0 ? jsonResponse(stdout) : denialResponse(stderr);
}

/** Returns a denial that most hosts understand, for an unknown host or an event on which the host has no denial. */
export function denialResponse(reason: string): Response {
  return jsonResponse(JSON.stringify({ decision: "block", reason }));
}

/** Returns a response with status 200: hosts take every other status as a failed hook, and let the call run. */
export function jsonResponse(body: string): Response {
  return new Response(body, { headers: { "content-type": "application/json" } });
}
