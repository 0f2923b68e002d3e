import { isObject } from "../../lib/json.ts";
import { isSameEvent } from "../decode.ts";
import type { HostFile, HostFiles, HostScope } from "../host-file.ts";
import type { Path, SourceText } from "./source-text.ts";

/** One hook as written in an agent's file. */
export interface ForeignHook {
  /** The event in the spelling of the file. */
  event: string;
  /** Undefined if the hook has none. */
  matcher: string | undefined;
  /** The keys of the hook itself. */
  entry: Readonly<Record<string, unknown>>;
  /** The keys of the group around it besides the matcher and the hooks. Empty if there is no group. */
  group: Readonly<Record<string, unknown>>;
  /** The name of the hook, where the file gives it outside of the entry. */
  name?: string;
  scope: HostScope;
  /** The absolute path of the file. */
  path: string;
  /** `file:line:column` of the hook. */
  place: string;
  /** The place of the hook in its file. */
  at: Path;
}

/** A part of a file where a hook should be. */
export interface UnreadableHook {
  place: string;
  message: string;
}

export interface ForeignHooks {
  hooks: ForeignHook[];
  problems: UnreadableHook[];
}

/** A file of an agent, read and parsed. */
export interface ForeignFile {
  row: HostFile;
  /** Absolute. */
  path: string;
  source: SourceText;
}

/** Reads the hooks of a file, in order. Never throws; lists each value that is not a hook as a problem. */
export function readForeignHooks(file: ForeignFile, host: HostFiles): ForeignHooks {
  const reader = new HookReader(file, host);
  reader.readFile();
  return { hooks: reader.hooks, problems: reader.problems };
}

/** Keys that some hosts keep in the same mapping as the events. */
const NOT_EVENTS: ReadonlySet<string> = new Set([
  "enabled",
  "disabled",
  "notifications",
  "version",
  "description",
  "$schema",
]);

class HookReader {
  readonly hooks: ForeignHook[] = [];
  readonly problems: UnreadableHook[] = [];
  private readonly file: ForeignFile;
  private readonly host: HostFiles;

  constructor(file: ForeignFile, host: HostFiles) {
    this.file = file;
    this.host = host;
  }

  readFile(): void {
    const { source, row } = this.file;
    if (isLegacyKiro(source.value)) return this.readLegacy(source.value);
    for (const { value, path, name } of this.containers(source.value, row.at, [])) {
      if (row.nesting === "list") this.readList(value, path);
      else this.readEvents(value, path, name);
    }
  }

  /** Follows the keys to the events; `*` is every key, which then names the hooks. */
  private containers(
    value: unknown,
    keys: readonly string[],
    path: Path,
  ): { value: unknown; path: Path; name?: string }[] {
    const [key, ...rest] = keys;
    if (key === undefined)
      return [isWrapped(value, path) ? { value: value["hooks"], path: ["hooks"] } : { value, path }];
    if (!isObject(value)) {
      if (value !== undefined) this.problem(path, "expected a mapping");
      return [];
    }
    if (key !== "*") return value[key] === undefined ? [] : this.containers(value[key], rest, [...path, key]);
    return Object.keys(value).map((name) => ({ value: value[name], path: [name], name }));
  }

  private readEvents(value: unknown, path: Path, name?: string): void {
    if (!isObject(value)) return this.problem(path, "expected a mapping of events");
    for (const [event, items] of Object.entries(value)) {
      const at = [...path, event];
      if (NOT_EVENTS.has(event)) continue;
      if (!Array.isArray(items)) this.problem(at, `${event}: expected a list`);
      else items.forEach((item: unknown, index) => this.readItem(event, item, [...at, index], name));
    }
  }

  private readItem(event: string, item: unknown, at: Path, name: string | undefined): void {
    if (!isObject(item)) return this.problem(at, `${event}: expected a mapping`);
    const { hooks, ...group } = item;
    if (!Array.isArray(hooks)) {
      const isFlat = this.file.row.nesting === "flat" || this.host.flatEvents?.some((name) => isSameEvent(name, event));
      if (isFlat) this.add(event, item, {}, item, at, name);
      else this.problem(at, `${event}: expected a group with a list under hooks`);
      return;
    }
    hooks.forEach((entry: unknown, index) => {
      const place = [...at, "hooks", index];
      if (isObject(entry)) this.add(event, entry, group, item, place, name);
      else this.problem(place, `${event}: expected a mapping`);
    });
  }

  private readList(value: unknown, path: Path): void {
    if (!Array.isArray(value)) return this.problem(path, "expected a list of hooks");
    const key = this.host.entry.event ?? "event";
    value.forEach((item: unknown, index) => {
      const at = [...path, index];
      if (!isObject(item)) this.problem(at, "expected a mapping");
      else if (typeof item[key] !== "string") this.problem(at, `${key} is missing`);
      else this.add(item[key], item, {}, item, at, undefined);
    });
  }

  /** A `.kiro.hook` file: `{when: {type, patterns, toolTypes}, then: {type, command}}`. */
  private readLegacy(value: LegacyHook): void {
    const { when, then, ...rest } = value;
    const event = typeof when["type"] === "string" ? when["type"] : "";
    const { type: _event, toolTypes, ...conditions } = when;
    const types = Array.isArray(toolTypes) ? toolTypes.filter((type) => typeof type === "string") : undefined;
    const entry = { ...rest, ...conditions, ...then, type: then["type"] === "runCommand" ? "command" : then["type"] };
    const matcher = types === undefined ? undefined : types.join("|");
    this.add(event, entry, {}, { ...(matcher === undefined ? {} : { matcher }) }, ["then"], undefined);
  }

  private add(
    event: string,
    entry: Readonly<Record<string, unknown>>,
    group: Readonly<Record<string, unknown>>,
    holder: Readonly<Record<string, unknown>>,
    at: Path,
    name: string | undefined,
  ): void {
    const key = this.host.entry.matcher ?? "matcher";
    const matcher = holder[key];
    if (matcher !== undefined && matcher !== null && typeof matcher !== "string")
      return this.problem([...at, key], `${event}: the matcher is not a text`);
    const { [key]: _own, ...others } = group;
    this.hooks.push({
      event,
      matcher: matcher ?? undefined,
      entry,
      group: others,
      ...(name === undefined ? {} : { name }),
      scope: this.file.row.scope,
      path: this.file.path,
      place: this.file.source.place(at),
      at,
    });
  }

  private problem(at: Path, message: string): void {
    this.problems.push({ place: this.file.source.place(at), message });
  }
}

/** True if a file wraps its events in `hooks`, as settings files do, although the host expects them as top-level keys. */
function isWrapped(value: unknown, path: Path): value is Record<string, unknown> {
  return path.length === 0 && isObject(value) && isObject(value["hooks"]);
}

interface LegacyHook extends Record<string, unknown> {
  when: Record<string, unknown>;
  then: Record<string, unknown>;
}

function isLegacyKiro(value: unknown): value is LegacyHook {
  return isObject(value) && isObject(value["when"]) && isObject(value["then"]);
}
