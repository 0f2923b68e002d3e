import { isObject } from "../lib/json.ts";
import type { ToolClass } from "../protocol/tool-class.ts";
import { patchEffects, patchFiles } from "../shell/patch-files.ts";
import { expandAlternatives } from "../shell/paths/path-text.ts";
import { HOLE } from "../shell/steps/invocation.ts";
import type { HostTouch, PathTouch, Value } from "../shell/steps/program-facts.ts";
import { allTexts, plainName, textsOf } from "./input-fields.ts";
import { hostOfUrl, pathOfFileUrl, urlsIn } from "./urls.ts";

/** A call of a tool that runs no command line. */
export interface ToolUse {
  /** The name in hooksh, else that of the host. */
  tool: string;
  /** The name that the host or the agent file gives it. */
  name: string;
  class: ToolClass;
  /** In hooksh's fields. */
  input: Readonly<Record<string, unknown>>;
  isMcp: boolean;
  /** False for a tool that hooksh does not know. */
  isKnown: boolean;
  /** Further tools of hooksh whose work it does. */
  also: readonly string[];
  /** True if it removes the file that it names. */
  deletes: boolean;
  /** True if an agent file declares the tool, with the command or the address that it uses. */
  isDeclared: boolean;
  /** True if it says that it changes nothing. */
  readOnly: boolean;
}

/** What a tool touches, as its input says. */
export interface ToolTouches {
  reads: PathTouch[];
  writes: PathTouch[];
  /** Entered or listed. */
  lists: PathTouch[];
  hosts: HostTouch[];
  sends: HostTouch[];
  effects: Value[];
  /** True if it may do more than its input shows. */
  opaque: boolean;
  /** False if the input is not one that the tool takes. */
  readable: boolean;
}

/** Fields of known tools that name files and directories. */
const PATH_FIELDS =
  /^(?:(?:absolute|relative|relativeworkspace|target|search|file|dir|directory|notebook|(?:input)?image|source|destination|old|new|worktree)?paths?|(?:target|search)?(?:file|dir|directory)|files|filename|(?:target|search)?directories|folders?|source|destination)$/;
/** Fields that narrow a search to files of some names. */
const NAME_FIELDS = /^(?:globs?|globpattern|includes?|includepattern|filepattern)$/;
const URL_FIELDS = /^(?:url|urls|uri|href)$/;
/** Fields of tools that hooksh knows nothing about. */
const UNKNOWN_FIELDS = /^(?:url|uri|href|host|path|file|filename|filepath|directory|dir|paths|files)$/;
const UNKNOWN_HOST_FIELDS = /^(?:url|uri|href|host)$/;

/** Tools of hosts that list directories, and name files without reading them. */
const LISTS = /glob|list|find|file_?search|project_structure|^ls$/i;
/** Tools of hosts that read all files of a directory. */
const SEARCHES = /search|grep|references|diagnostics|lints|usages/i;
/** Tools of class network that send what their input holds. */
const SENDS = /send|push|share|post|create_pull|report_issue|gh_issue|^artifact$/i;

/** Returns what a call touches: its files, its hosts, and its effects. Pure. */
export function toolTouches(use: ToolUse): ToolTouches {
  const touches: ToolTouches = {
    reads: [],
    writes: [],
    lists: [],
    hosts: [],
    sends: [],
    effects: [],
    opaque: use.isMcp || !use.isKnown,
    readable: true,
  };
  if (use.class === "writes-files") addWrites(use, touches);
  else if (use.class === "reads-files") addReads(use, touches);
  else if (use.class === "network") addHosts(use, touches);
  else if (touches.opaque) addUnknown(use.input, touches);
  if (use.class === "delegates" || use.also.includes("transfer_task")) touches.effects.push(sure("delegates"));
  return touches;
}

/** True for a list of paths where a tool of hooksh takes one: nothing tells what it would do. */
function hasListForPath({ tool, name, input }: ToolUse): boolean {
  return name === tool && Array.isArray(input["path"]);
}

function addWrites(use: ToolUse, touches: ToolTouches): void {
  const { patch } = use.input;
  if (patch !== undefined) return addPatch(patch, touches);
  const { texts, odd } = textsOf(use.input, (name) => PATH_FIELDS.test(name));
  const isOwn = WRITING.has(use.tool);
  // Some tools of hosts write where their input does not say.
  if (odd || hasListForPath(use) || (texts.length === 0 && isOwn)) touches.readable = false;
  else if (texts.length === 0) touches.opaque = true;
  const removesTree = use.tool === "remove_directory";
  touches.writes.push(...texts.map((path) => touch(path, { extent: removesTree ? "tree" : "itself" })));
  if (isOwn) addWriteEffects(use, touches);
  else touches.effects.push(sure(effectByName(use.name)));
}

const WRITING: ReadonlySet<string> = new Set(["write_file", "edit_file", "create_directory", "remove_directory"]);

function addWriteEffects({ tool, name, input, also, deletes }: ToolUse, { effects }: ToolTouches): void {
  const appends = /append/i.test(name) || input["mode"] === "append";
  if (deletes || tool === "remove_directory") effects.push(sure("fs-delete"));
  else if (tool === "write_file") {
    effects.push(sure(appends ? "fs-modify" : "fs-overwrite"));
    if (also.includes("edit_file")) effects.push(possible("fs-modify"));
  } else if (tool === "edit_file") {
    if (also.includes("write_file")) effects.push(possible("fs-overwrite"));
    effects.push(sure("fs-modify"));
  }
}

/** The effect of a tool of a host on the files that it names. */
function effectByName(name: string): string {
  if (/delete|remove/i.test(name)) return "fs-delete";
  return /move|rename|create|new|write/i.test(name) ? "fs-overwrite" : "fs-modify";
}

function addPatch(patch: unknown, touches: ToolTouches): void {
  const files = typeof patch === "string" ? patchFiles(patch) : [];
  if (files.length === 0) touches.readable = false;
  touches.writes.push(...files.map(({ path }) => touch(path)));
  touches.effects.push(...patchEffects(files).map(sure));
}

type ReadKind = "list" | "search" | "read";

function addReads(use: ToolUse, touches: ToolTouches): void {
  const { operations } = use.input;
  if (!Array.isArray(operations)) return addRead(kindOfRead(use), use, touches);
  // One call of Amazon Q reads, lists and searches.
  for (const operation of operations) {
    if (!isObject(operation)) touches.readable = false;
    else addRead(MODES.get(operation["mode"]) ?? "read", { ...use, input: operation }, touches);
  }
}

const MODES = new Map<unknown, ReadKind>([
  ["Directory", "list"],
  ["Search", "search"],
]);

function kindOfRead({ tool, name }: ToolUse): ReadKind {
  if (tool === "list_directory" || tool === "directory_tree") return "list";
  if (tool === "search_files_content") return "search";
  if (READING.has(tool)) return "read";
  return LISTS.test(name) ? "list" : SEARCHES.test(name) ? "search" : "read";
}

const READING: ReadonlySet<string> = new Set(["read_file", "read_multiple_files"]);

function addRead(kind: ReadKind, use: ToolUse, touches: ToolTouches): void {
  const { tool, input, also } = use;
  const { texts, odd } = textsOf(input, (name) => PATH_FIELDS.test(name));
  const needsPath = READING.has(tool) && kind === "read";
  if (odd || hasListForPath(use) || (texts.length === 0 && needsPath)) touches.readable = false;
  const places = texts.length > 0 ? texts : ["."];
  if (kind === "list") {
    touches.lists.push(...places.map((path) => touch(path)));
    for (const pattern of textsOf(input, (name) => /^patterns?$/.test(name)).texts) addPattern(pattern, touches.lists);
  } else if (kind === "search") {
    touches.reads.push(...places.map((path) => touch(path, { extent: "tree" })));
    for (const names of textsOf(input, (name) => NAME_FIELDS.test(name)).texts.flatMap(expandAlternatives))
      touches.reads.push(...places.map((path) => touch(join(path, names), { glob: true })));
  } else {
    // Hosts that read several files take patterns too.
    const glob = also.includes("read_multiple_files");
    touches.reads.push(...texts.map((path) => touch(path, { glob: glob && /[*?[]/.test(path) })));
  }
}

/** The directory that a pattern of file names begins with. */
function addPattern(pattern: string, lists: PathTouch[]): void {
  const plain = pattern.replace(/[*?[{].*/s, "");
  const directory = plain === pattern ? plain : plain.slice(0, plain.lastIndexOf("/") + 1);
  if (directory !== "") lists.push(touch(directory));
}

function join(directory: string, name: string): string {
  return name.startsWith("/") || directory === "." ? name : `${directory.replace(/\/+$/, "")}/${name}`;
}

function addHosts(use: ToolUse, touches: ToolTouches): void {
  const { input, name, isDeclared } = use;
  touches.effects.push(sure("fetches"));
  const sends = isDeclared ? !use.readOnly : sendsContent(input) || SENDS.test(name);
  if (isDeclared)
    touches.hosts.push({ host: HOLE, sure: true }); // the agent file has the address
  else if (use.tool === "fetch" || !/search/i.test(name)) addUrls(input, touches);
  if (use.tool === "fetch" && name === "fetch" && touches.hosts.length === 0 && touches.reads.length === 0)
    touches.readable = false; // a call that fetches nothing is not one that the tool takes
  if (!isDeclared) addTransferred(use, touches);
  if (!sends) return;
  touches.sends.push(...touches.hosts);
  touches.effects.push(sure("sends"));
}

/** The files that a tool downloads to, or sends. */
function addTransferred({ tool, input, also }: ToolUse, touches: ToolTouches): void {
  const { texts, odd } = textsOf(input, (name) => PATH_FIELDS.test(name));
  const paths = texts.map((path) => touch(path));
  if (!also.includes("write_file")) {
    if (tool !== "fetch") touches.reads.push(...paths);
    return;
  }
  if (odd || paths.length === 0) touches.readable = false;
  touches.writes.push(...paths);
  touches.effects.push(sure("fs-overwrite"));
}

/** The hosts of the URLs in an input. What stands in other fields than those for URLs may only be mentioned. */
function addUrls(input: Readonly<Record<string, unknown>>, touches: ToolTouches): void {
  const { texts, odd } = textsOf(input, (name) => URL_FIELDS.test(name));
  if (odd) touches.readable = false;
  for (const url of texts) {
    const path = pathOfFileUrl(url);
    const host = hostOfUrl(url);
    if (path !== undefined) touches.reads.push(touch(path));
    if (host) touches.hosts.push(host);
  }
  for (const url of allTexts(input).flatMap(urlsIn)) {
    const host = hostOfUrl(url);
    if (host && !touches.hosts.some((other) => other.host === host.host && other.port === host.port))
      touches.hosts.push({ ...host, sure: texts.length === 0 });
  }
}

const BODY_FIELDS = /^(?:body|data|json|form|formdata|payload)$/;

/** True for a request with a body, or with another method than those that only read. */
function sendsContent(input: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(input).some(([key, value]) => {
    const name = plainName(key);
    if (name === "method" || name === "httpmethod") return typeof value === "string" && !/^(?:get|head)?$/i.test(value);
    return BODY_FIELDS.test(name) && value !== null && value !== "";
  });
}

/** The fields of a tool of which only the names tell what it may do. */
function addUnknown(input: Readonly<Record<string, unknown>>, touches: ToolTouches): void {
  for (const text of textsOf(input, (name) => UNKNOWN_HOST_FIELDS.test(name)).texts) addPossibleHost(text, touches);
  for (const text of textsOf(input, (name) => UNKNOWN_FIELDS.test(name) && !UNKNOWN_HOST_FIELDS.test(name)).texts) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) addPossibleHost(text, touches);
    else addPossiblePath(text, touches);
  }
}

function addPossibleHost(text: string, touches: ToolTouches): void {
  const path = pathOfFileUrl(text);
  const host = hostOfUrl(text);
  if (path !== undefined) addPossiblePath(path, touches);
  else if (host) touches.hosts.push({ ...host, sure: false });
}

function addPossiblePath(path: string, touches: ToolTouches): void {
  const touched = touch(path, { sure: false });
  touches.reads.push(touched);
  touches.writes.push(touched);
}

function touch(path: string, other: Partial<PathTouch> = {}): PathTouch {
  return { path: pathOfFileUrl(path) ?? path, glob: false, sure: true, extent: "itself", ...other };
}

function sure(text: string): Value {
  return { text, sure: true };
}

function possible(text: string): Value {
  return { text, sure: false };
}
