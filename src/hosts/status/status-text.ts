import { roundedDuration } from "../../lib/text/duration.ts";
import type { HostState, HostStatus } from "../registration/host-status.ts";

/** Describes each state of a registration, given the name of the host. */
export const STATES: Readonly<Record<HostState, (host: string) => string>> = {
  absent: (host) => `not registered; hooksh install ${host} registers it`,
  gone: (host) =>
    `registered before, and gone now; hooksh install ${host} registers it again, hooksh uninstall ${host} or hooksh status --forget ${host} forgets it`,
  broken: () => "registered, but not in force",
  muted: () => "registered, but the agent does not run hooks",
  unseen: (host) => `registered; the agent has not called yet, hooksh canary ${host} tests it`,
  seen: () => "registered and called",
};

/** Formats the state of hosts as text; `now` in milliseconds since 1970. */
export function renderStatus(hosts: readonly HostStatus[], now: number): string {
  if (hosts.length === 0) return "hooksh is not registered in any agent; hooksh install HOST registers it";
  return hosts.map((host) => section(host, now).join("\n")).join("\n\n");
}

function section(status: HostStatus, now: number): string[] {
  const { host, product, state, registered, heartbeats } = status;
  return [
    `${host} (${product}): ${STATES[state](host)}`,
    ...registered.flatMap(({ scope, path, events, program, hooks_file: file, guards_stay: stays }) => [
      `  ${scope}: ${path}`,
      `    events: ${events.join(", ")}`,
      `    runs: ${program}${file === undefined ? "" : ` with ${file}`}`,
      `    guards_stay: ${stays === undefined ? "on if the server was started with --guards-stay" : stays ? "on" : `off: the agent can change guards; hooksh install ${host} turns it on`}`,
    ]),
    ...heartbeats.map(
      ({ event, count, last }) => `  last ${event}: ${roundedDuration(now - Date.parse(last))} ago (${count} so far)`,
    ),
    ...lines("problem", status.problems),
    ...lines("muted", status.muted),
    ...lines("warning", status.warnings),
    ...lines("note", status.notes),
  ];
}

function lines(title: string, texts: readonly string[]): string[] {
  return texts.map((text) => `  ${title}: ${text.replaceAll("\n", "\n    ")}`);
}
