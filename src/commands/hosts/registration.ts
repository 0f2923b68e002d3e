import type { Dialect, HostEvent } from "../../dialects/dialect.ts";
import type { HostFiles } from "../../dialects/host-file.ts";
import { EVENT_NAMES, type EventName } from "../../protocol/events.ts";

/** What of a policy a host can run. */
export interface Registration {
  /** The events of the host to register, in the order of the dialect. */
  events: readonly string[];
  /** One line for each event of the policy that the host cannot do, or only in part. */
  gaps: readonly string[];
}

/** Finds the events of a host that a policy with hooks on `used` needs. */
export function registrationFor(dialect: Dialect, files: HostFiles, used: ReadonlySet<EventName>): Registration {
  const events = Object.entries(dialect.events)
    .filter(([name, row]) => isRegistered(name, files) && row.is.some((event) => used.has(event)))
    .map(([name]) => name);
  const gaps = EVENT_NAMES.filter((event) => used.has(event)).flatMap((event) => {
    const gap = gapOf(event, dialect, files);
    return gap === undefined ? [] : [`${dialect.name}: ${event}: ${gap}`];
  });
  return { events, gaps };
}

/** True if `install` registers this event of the host when a policy uses it. */
export function isRegistered(name: string, { leftOut, fileNames }: HostFiles): boolean {
  return leftOut?.[name] === undefined && (fileNames === undefined || fileNames[name] !== undefined);
}

function gapOf(event: EventName, dialect: Dialect, files: HostFiles): string | undefined {
  const rows = Object.entries(dialect.events).filter(([, row]) => row.is.includes(event));
  if (rows.length === 0) return "the host has no such event; these hooks do not run";
  const registered = rows.filter(([name]) => isRegistered(name, files));
  if (registered.length === 0)
    return `the host never fires ${rows.map(([name]) => name).join(", ")}; these hooks do not run`;
  if (registered.every(([, row]) => isObserved(row)))
    return "the host ignores the answer; these hooks run, but cannot object or change anything";
  return undefined;
}

/** True if the host takes nothing but a notice from the answer. */
function isObserved({ takes }: HostEvent): boolean {
  return typeof takes !== "function" && takes.every((channel) => channel === "notice");
}
