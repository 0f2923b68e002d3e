import { getNodeValue, type Node } from "jsonc-parser";
import type { EntryKeys, HostFile, HostFiles } from "../../dialects/host-file.ts";
import { parseJsonSource } from "../../dialects/translate/source-text.ts";
import { UserError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { isDeepEqual } from "../../lib/platform.ts";
import { readHttpEntry } from "./http-entry.ts";
import { addChild, memberOf, removeChild, replaceValue, rootOf } from "./json-edit.ts";
import { type DispatchCall, readDispatchCall } from "./own-command.ts";

/** An entry that `install` writes. */
export interface WantedEntry {
  /** In the host's spelling. */
  event: string;
  entry: Readonly<Record<string, unknown>>;
}

/** What a file to edit is, for messages and for finding entries. */
export interface EntryFile {
  host: HostFiles;
  file: HostFile;
  dialect: string;
  /** For messages. */
  path: string;
}

/** An entry of hooksh in a file. */
export interface OwnEntry extends WantedEntry {
  call: DispatchCall;
  /** The entry is in a group of other hooks or with a matcher, so it does not run for every call. */
  isMisplaced: boolean;
}

/** An {@link OwnEntry} with the nodes around it, from the inside out. */
interface FoundEntry extends OwnEntry {
  /** Each container with the child to remove from it; removal continues outwards while a container becomes empty. */
  chain: readonly { container: Node; child: Node }[];
  node: Node;
}

/** Returns the entries of hooksh. Throws a `UserError` that names the place if the text is not valid. */
export function ownJsonEntries(text: string, target: EntryFile): OwnEntry[] {
  checkJson(text, target);
  return findOwn(stripMark(text).body, target).map(({ event, entry, call, isMisplaced }) => ({
    event,
    entry,
    call,
    isMisplaced,
  }));
}

/**
 * Returns the text with exactly the wanted entries of hooksh: adds, replaces and removes its own, and leaves every
 * other byte as it is. Throws a `UserError` that names the place if the text is not valid.
 */
export function setJsonEntries(text: string, target: EntryFile, wanted: readonly WantedEntry[]): string {
  checkJson(text, target);
  const { mark, body } = stripMark(text);
  const kept = new Set<string>();
  let edited = body;
  for (;;) {
    kept.clear();
    const wrong = findOwn(edited, target).find((own) => !isWanted(own, wanted, kept));
    if (!wrong) break;
    const replacement = wrong.isMisplaced || kept.has(wrong.event) ? undefined : entryFor(wrong.event, wanted);
    edited = replacement ? replaceValue(edited, wrong.node, replacement) : removeEntry(edited, wrong, target.file);
  }
  for (const entry of wanted) if (!kept.has(entry.event)) edited = addEntry(edited, entry, target);
  return mark + edited;
}

export function newJsonFile(target: EntryFile, wanted: readonly WantedEntry[]): string {
  return `${setJsonEntries("{}", target, wanted)}\n`;
}

/** Throws a `UserError` for a file that the host would not read, or in which entries have no place. */
function checkJson(text: string, { path, file }: EntryFile): void {
  const { value, place } = parseJsonSource(stripMark(text).body, path, { relaxed: file.format === "jsonc" });
  if (!isObject(value)) throw new UserError(`${place([])}: expected an object`);
  if (file.at.includes("*")) return;
  let at: unknown = value;
  file.at.forEach((key, index) => {
    at = isObject(at) ? at[key] : undefined;
    const isLast = index === file.at.length - 1;
    const isRight = at === undefined || (isLast && file.nesting === "list" ? Array.isArray(at) : isObject(at));
    if (!isRight)
      throw new UserError(
        `${place(file.at.slice(0, index + 1))}: expected ${isLast && file.nesting === "list" ? "a list" : "an object"}`,
      );
  });
}

function stripMark(text: string): { mark: string; body: string } {
  return text.startsWith("\uFEFF") ? { mark: "\uFEFF", body: text.slice(1) } : { mark: "", body: text };
}

function isWanted(own: FoundEntry, wanted: readonly WantedEntry[], kept: Set<string>): boolean {
  const entry = entryFor(own.event, wanted);
  if (own.isMisplaced || kept.has(own.event) || !entry || !isDeepEqual(own.entry, entry)) return false;
  kept.add(own.event);
  return true;
}

function entryFor(event: string, wanted: readonly WantedEntry[]): WantedEntry["entry"] | undefined {
  return wanted.find((each) => each.event === event)?.entry;
}

interface Step {
  container: Node;
  child: Node;
}

function findOwn(text: string, { host, file, dialect }: EntryFile): FoundEntry[] {
  const own = (node: Node, event: string, chain: readonly Step[], isMisplaced: boolean): FoundEntry[] => {
    const entry: unknown = getNodeValue(node);
    const call = isObject(entry) ? callOf(entry, host.entry, dialect) : undefined;
    return call && isObject(entry) ? [{ event, entry, call, chain, node, isMisplaced }] : [];
  };
  return containers(rootOf(text), file.at).flatMap(({ node, chain }) => {
    if (file.nesting === "list") {
      return (node.children ?? []).flatMap((child) => {
        const event: unknown = memberOf(child, host.entry.event ?? "")?.value;
        return own(child, String(event), [{ container: node, child }, ...chain], false);
      });
    }
    return (node.type === "object" ? (node.children ?? []) : []).flatMap((property) => {
      const event = String(property.children?.[0]?.value);
      const list = property.children?.[1];
      const outer = [{ container: node, child: property }, ...chain];
      return (list?.type === "array" ? (list.children ?? []) : []).flatMap((child) => {
        const inList = [{ container: list as Node, child }, ...outer];
        const hooks = memberOf(child, "hooks");
        if (hooks?.type !== "array")
          return own(child, event, inList, memberOf(child, host.entry.matcher ?? "") !== undefined);
        const isMisplaced = memberOf(child, "matcher") !== undefined || hooks.children?.length !== 1;
        return (hooks.children ?? []).flatMap((entry) =>
          own(entry, event, [{ container: hooks, child: entry }, ...inList], isMisplaced),
        );
      });
    });
  });
}

/** Returns the values at a path of keys (`*` is any key), each with the nodes on its path. */
function containers(root: Node, at: readonly string[]): { node: Node; chain: Step[] }[] {
  let found: { node: Node; chain: Step[] }[] = [{ node: root, chain: [] }];
  for (const key of at) {
    found = found.flatMap(({ node, chain }) =>
      (node.type === "object" ? (node.children ?? []) : []).flatMap((property) => {
        const [name, value] = property.children ?? [];
        if (!value || (key !== "*" && name?.value !== key)) return [];
        return [{ node: value, chain: [{ container: node, child: property }, ...chain] }];
      }),
    );
  }
  return found;
}

/** Reads the command of an entry, from the key that `install` writes or from another one that the host reads. */
export function callOf(
  entry: Record<string, unknown>,
  { command, commandOnWindows, otherCommands = [] }: EntryKeys,
  dialect: string,
): DispatchCall | undefined {
  const posted = readHttpEntry(entry);
  if (posted?.dialect === dialect) return posted;
  for (const path of [command, commandOnWindows ?? command, ...otherCommands]) {
    const line = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), entry);
    const call = readDispatchCall(line, dialect);
    if (call) return call;
  }
  return undefined;
}

/** Removes an entry, and each of the group, list and object around it that held nothing else. */
function removeEntry(text: string, { chain }: FoundEntry, file: HostFile): string {
  // After the last hook, its empty list or object is removed too; the file itself stays.
  let at = 0;
  while (at + 1 < chain.length && isSole(chain[at], chain[at + 1], file)) at++;
  const { container, child } = chain[at] as Step;
  return removeChild(text, container, child);
}

/** True if a container holds only the child, and a group only its list, so that removing the outer one loses nothing. */
function isSole(inner: Step | undefined, outer: Step | undefined, file: HostFile): boolean {
  if (!inner || !outer || inner.container.children?.length !== 1) return false;
  const group = outer.child;
  return group.type === "property" || file.nesting !== "groups" || group.children?.length === 1;
}

function addEntry(text: string, { event, entry }: WantedEntry, { host, file }: EntryFile): string {
  let edited = text;
  for (const [key, value] of Object.entries(host.head ?? {})) {
    const root = rootOf(edited);
    if (!memberOf(root, key)) edited = addChild(edited, root, { key, value });
  }
  const isGroup = file.nesting === "groups" && !host.flatEvents?.includes(event);
  const item = isGroup ? { hooks: [entry] } : entry;
  const keys = [...file.at.map((key) => (key === "*" ? "hooksh" : key)), ...(file.nesting === "list" ? [] : [event])];
  let node = rootOf(edited);
  for (const [index, key] of keys.entries()) {
    const next = memberOf(node, key);
    if (!next) return addChild(edited, node, { key, value: nested(keys.slice(index + 1), item) });
    node = next;
  }
  return addChild(edited, node, { value: item });
}

/** Wraps a list of one item into objects with these keys. */
function nested(keys: readonly string[], item: unknown): unknown {
  return keys.reduceRight<unknown>((value, key) => ({ [key]: value }), [item]);
}
