import { isPlainObject } from "../../lib/json.ts";
import { contractOf, type EventName, isEventName } from "../../protocol/events.ts";

/** A command hook without anything that changes how it runs or how its answer is read. */
export interface PlainHook {
  event: EventName;
  matcher: string;
  command: string;
  /** Its name in messages. */
  name: string;
  /** The same text for two hooks that are duplicates. */
  identity: string;
  /** Where it is written, as the audit log says it. */
  source: string;
  /** The folder of its file. */
  directory: string;
}

/** A file of hooks. */
export interface HooksFile {
  path: string;
  directory: string;
}

/**
 * Returns the hooks of a file, given its value. Undefined unless the whole file is plain, but for the matchers: hooks of
 * other events count too, because any mistake in the file must be reported.
 */
export function readPlainHooks(value: unknown, file: HooksFile): PlainHook[] | undefined {
  if (!isPlainObject(value)) return undefined;
  const hooks: PlainHook[] = [];
  for (const event in value) {
    if (!isEventName(event)) return undefined;
    const configured = value[event];
    const place = `${file.path}: hooks.${event}`;
    const items: readonly unknown[] = Array.isArray(configured) ? configured : [configured];
    for (let at = 0; at < items.length; at++) {
      const path = Array.isArray(configured) ? `${place}[${at}]` : place;
      const isRead = contractOf(event).matcher
        ? readGroup(hooks, event, items[at], path, file)
        : addHook(hooks, { event, matcher: "" }, items[at], path, file);
      if (!isRead) return undefined;
    }
  }
  return hooks;
}

function readGroup(hooks: PlainHook[], event: EventName, group: unknown, path: string, file: HooksFile): boolean {
  if (!isPlainObject(group)) return false;
  for (const key in group) if (key !== "matcher" && key !== "hooks") return false;
  const { matcher = "", hooks: listed } = group;
  if (typeof matcher !== "string") return false;
  if (!Array.isArray(listed)) return addHook(hooks, { event, matcher }, listed, `${path}.hooks`, file);
  for (let at = 0; at < listed.length; at++)
    if (!addHook(hooks, { event, matcher }, listed[at], `${path}.hooks[${at}]`, file)) return false;
  return listed.length > 0;
}

/** Adds a hook and returns true if it is plain. */
function addHook(
  hooks: PlainHook[],
  { event, matcher }: Pick<PlainHook, "event" | "matcher">,
  hook: unknown,
  source: string,
  { directory }: HooksFile,
): boolean {
  if (!isPlainObject(hook)) return false;
  const { type, command, name = "", timeout = 0, on_error: policy = "" } = hook;
  for (const key in hook) if (!KEYS.includes(key)) return false;
  if (type !== "command" || typeof command !== "string" || command.trim() === "") return false;
  if (typeof name !== "string" || !Number.isInteger(timeout) || (timeout as number) < 0) return false;
  if (!(POLICIES.includes(policy) || (policy === "block" && contractOf(event).canBlock))) return false;
  const fields = JSON.stringify([name, command, timeout, policy]);
  const identity = fields.toLowerCase().includes("hook_dir") ? `${directory}\0${fields}` : fields;
  hooks.push({ event, matcher, command, name: name || command, identity, source, directory });
  return true;
}

const KEYS: readonly string[] = ["type", "command", "name", "timeout", "on_error"];

/** What a failure does, as far as every event can have it; a hook that fails is not for this part of a dispatch. */
const POLICIES: readonly unknown[] = ["", "warn", "ignore"];
