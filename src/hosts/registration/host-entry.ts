import type { HostFiles } from "../../dialects/host-file.ts";
import { httpKeys } from "./http-entry.ts";
import type { WantedEntry } from "./json-entries.ts";
import { type DispatchCall, registeredLine } from "./own-command.ts";

/** Returns the entry that starts hooksh for an event of a host, in the keys of the host's file. */
export function hostEntry(files: HostFiles, call: DispatchCall, platform: string): WantedEntry {
  const { entry: keys, timeout, failClosed } = files;
  const { event } = call;
  const entry: Record<string, unknown> = {
    ...(keys.name === undefined ? {} : { [keys.name]: `hooksh-${event}` }),
    ...(keys.event === undefined ? {} : { [keys.event]: event }),
    ...keys.fixed,
    ...(call.server === undefined ? {} : httpKeys(call)),
  };
  const command = platform === "win32" && keys.commandOnWindows ? keys.commandOnWindows : keys.command;
  if (call.server === undefined) setAt(entry, command, registeredLine(call, platform));
  if (timeout.key !== undefined && timeout.fixed?.[event] === undefined)
    entry[timeout.key] = timeout.unit === "ms" ? timeout.seconds * 1000 : timeout.seconds;
  if (failClosed?.events.includes(event)) entry[failClosed.key] = failClosed.value;
  return { event, entry };
}

/** Sets the value at a path of keys, in copies of the objects on the way. */
export function setAt(entry: Record<string, unknown>, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) entry[key] = value;
  else {
    const inner = { ...(entry[key] as Record<string, unknown> | undefined) };
    setAt(inner, rest, value);
    entry[key] = inner;
  }
}
