/**
 * Other agents on this machine: registers hooksh in their configuration, watches over the registration, and translates
 * their hooks. It runs no hook.
 *
 * @packageDocumentation
 */
import { type Channel, type Dialect, EVENTS_RUN_WITH, type HostEvent } from "../../dialects/dialect.ts";
import type { HostFiles } from "../../dialects/host-file.ts";
import { EVENT_NAMES, type EventName } from "../../protocol/events.ts";

/** The part of a policy that a host can run. */
export interface Registration {
  /** The events of the host to register, in the order of the dialect. */
  events: readonly string[];
  /** One line for each event of the policy that the host cannot do, or only in part. */
  gaps: readonly string[];
}

/** Finds the events of a host that a policy with hooks on `used` needs. */
export function registrationFor(dialect: Dialect, files: HostFiles, used: ReadonlySet<EventName>): Registration {
  const rows = Object.entries(dialect.events);
  const isUsed = (row: HostEvent) => eventsOf(row).some((event) => used.has(event));
  const isAnyUsed = rows.some(([name, row]) => isRegistered(name, files) && isUsed(row));
  const events = rows
    .filter(([name, row]) => isRegistered(name, files) && (isUsed(row) || (isAnyUsed && row.guardsRegistration)))
    .map(([name]) => name);
  const gaps = EVENT_NAMES.filter((event) => used.has(event)).flatMap((event) => {
    const gap = gapOf(event, dialect, files);
    return gap === undefined ? [] : [`${dialect.name}: ${event}: ${gap}`];
  });
  return { events, gaps };
}

/** Returns a line for each matcher of MCP tools on a host whose payloads do not tell which tools are of a server. */
export function deadMatchers({ name, mcpNames, serverOf, toolCall }: Dialect, matchers: readonly string[]): string[] {
  if (mcpNames || serverOf || toolCall) return [];
  const about = matchers.filter((matcher) => matcher.includes("mcp:"));
  return about.map(
    (matcher) =>
      `${name}: matcher ${matcher}: the host does not say which tools are of an MCP server; match them by their own names`,
  );
}

/** True for an event of a host on which its tool calls are judged. */
export function judgesTools({ events }: Dialect, name: string): boolean {
  return events[name]?.is.includes("pre_tool_use") ?? false;
}

/** Every event of hooksh that runs for an event of a host. */
function eventsOf({ is }: HostEvent): readonly EventName[] {
  return is.flatMap((event) => EVENTS_RUN_WITH[event] ?? [event]);
}

/** True if `install` writes this event into the host's files when a policy uses it. */
export function isRegistered(name: string, { leftOut, fileNames, spelling }: HostFiles): boolean {
  if (spelling !== undefined && !SPELLINGS[spelling].test(name)) return false;
  return leftOut?.[name] === undefined && (fileNames === undefined || fileNames[name] !== undefined);
}

const SPELLINGS = { camel: /^[a-z][A-Za-z]*$/, pascal: /^[A-Z][A-Za-z]*$/ };

function absence(name: string, { leftOut }: HostFiles): string {
  const reason = leftOut?.[name];
  return reason === undefined ? `the host never fires ${name}` : `${name} is left out: ${reason}`;
}

/** For each answer that hooks of an event may give, the loss on a host that does not take it. Other events only observe. */
const LOSSES: Partial<Record<EventName, Partial<Record<Channel, string>>>> = {
  pre_tool_use: {
    block: "a hook cannot refuse the call",
    ask: "an ask becomes a denial",
    rewrite: "a rewrite becomes a denial",
    context: "added context is dropped",
  },
  permission_request: { block: "a hook cannot refuse", allow: "an allow is dropped" },
  user_prompt_submit: { block: "a hook cannot refuse the prompt", context: "added context is dropped" },
  tool_response_transform: { replace: "a replaced result is dropped" },
  post_tool_use: { block: "feedback is dropped", context: "added context is dropped" },
  session_start: { context: "added context is dropped" },
  turn_start: { context: "added context is dropped" },
  stop: { block: "a hook cannot keep the agent going" },
  stop_guard: { block: "a hook cannot keep the agent going" },
  response_guard: { block: "a hook cannot refuse the answer", rewrite: "a rewritten answer is dropped" },
  subagent_stop: { block: "a hook cannot keep the agent going" },
  pre_compact: { block: "a hook cannot refuse the compaction" },
};

function gapOf(event: EventName, dialect: Dialect, files: HostFiles): string | undefined {
  const rows = Object.entries(dialect.events).filter(([, row]) => eventsOf(row).includes(event));
  if (rows.length === 0)
    return event === "prompt_file_guard"
      ? "the host has no such event; these hooks only judge what add_prompt_files loads"
      : "the host has no such event; these hooks do not run";
  const registered = rows.filter(([name]) => isRegistered(name, files));
  if (registered.length === 0)
    return `${rows.map(([name]) => absence(name, files)).join(", ")}; these hooks do not run`;
  const lost = Object.entries(LOSSES[event] ?? {}).filter(
    ([channel]) =>
      !registered.some(([, { takes }]) => typeof takes === "function" || takes.includes(channel as Channel)),
  );
  return lost.length === 0 ? undefined : lost.map(([, loss]) => loss).join("; ");
}
