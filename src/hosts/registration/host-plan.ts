import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { HostFile, HostFiles, HostScope } from "../../dialects/host-file.ts";
import { type HostId, hostFiles } from "../../dialects/host-files.ts";
import { filesOnPlatform, type HostPlace, hostPath } from "../../dialects/host-paths.ts";
import { UsageError, UserError } from "../../lib/errors.ts";
import { readUserFileSync, unreadableFileError } from "../../lib/files/read-file.ts";
import { canonicalJson, isObject, type Json } from "../../lib/json.ts";
import { isDeepEqual, sha256 } from "../../lib/platform.ts";
import { bridgePlugin, readBridgePlugin } from "./bridge-plugin.ts";
import { hostEntry } from "./host-entry.ts";
import type { InstallRecord, RegisteredEntries } from "./install-record.ts";
import { type EntryFile, newJsonFile, type OwnEntry, ownJsonEntries, setJsonEntries } from "./json-entries.ts";
import type { DispatchCall } from "./own-command.ts";
import { ownTomlEntries, setTomlEntries } from "./toml-entries.ts";
import { readWrapperScript, wrapperScript } from "./wrapper-script.ts";

/** In bytes. Settings files are far smaller. */
const LIMIT = 8 * 1024 * 1024;

/** The text of a file now, and after the change. Undefined for a file that does not exist. */
export interface FilePlan {
  path: string;
  before: string | undefined;
  after: string | undefined;
  executable?: boolean;
  /** The file had entries of hooksh. */
  hadOwn?: boolean;
  /** The plan takes hooksh out of the file. */
  isRemoval?: boolean;
}

/** A {@link FilePlan} with what the record of `install` keeps about it. */
export interface RecordedPlan extends FilePlan {
  registered: RegisteredEntries;
}

/** The file of a host in which `install` registers hooks, for one scope. */
export interface InstallTarget {
  host: HostId;
  files: HostFiles;
  file: HostFile;
  /** Of the file; of the folder, if a host runs executables. */
  path: string;
  platform: string;
  /** The folder of the project. */
  project: string;
}

/** Finds where `install` writes. Throws a {@link UsageError} if the host reads no such file. */
export function installTarget(host: HostId, scope: HostScope, place: HostPlace): InstallTarget {
  const files = hostFiles(host);
  const file = filesOnPlatform(files, place).find((each) => each.scope === scope && each.install !== undefined);
  if (!file) throw new UsageError(`${host} reads no hooks of a ${scope}; use --user`);
  const path = hostPath(file.path, files, place);
  if (!isAbsolute(path)) throw new UserError("there is no home directory: set HOME");
  const inFolder = typeof file.install === "string" ? join(dirname(path), file.install) : path;
  return {
    host,
    files,
    file,
    path: file.nesting === "file" ? dirname(path) : inFolder,
    platform: place.platform,
    project: place.project,
  };
}

/** True if a file still is what some version of `install` wrote. */
type IsWritten = (path: string, text: string) => boolean;

/** Returns the files to write so that exactly these calls are registered; an empty list removes all. */
export function planFiles(
  target: InstallTarget,
  calls: readonly DispatchCall[],
  isWritten?: IsWritten,
): RecordedPlan[] {
  return allPlans(target, calls, isWritten).filter(({ before, after }) => before !== after);
}

function allPlans(
  target: InstallTarget,
  calls: readonly DispatchCall[],
  isWritten: IsWritten = () => false,
): RecordedPlan[] {
  return PLANNERS[target.file.nesting](target, calls, isWritten).map((plan) => ({
    ...plan,
    registered: registeredBy(target, plan.path, plan.after),
  }));
}

/** Returns what the record of `install` says about a file with this text. */
function registeredBy(
  { host, file, project }: InstallTarget,
  path: string,
  text: string | undefined,
): RegisteredEntries {
  return {
    host,
    scope: file.scope,
    ...(file.scope === "user" ? {} : { project }),
    entries: text === undefined ? {} : entryDigests(host, file, path, text),
  };
}

/** Records files that are already what `install` would write and that the record does not know. */
export function recordUnchanged(target: InstallTarget, calls: readonly DispatchCall[], record: InstallRecord): void {
  for (const { path, after, registered } of allPlans(target, calls)) {
    const known = record.find(path);
    if (after === undefined || (known?.entries && isDeepEqual(known.entries, registered.entries))) continue;
    const { folders = [], original } = known ?? {};
    const entry = {
      folders,
      ...(original === undefined ? {} : { original }),
      ...registered,
      time: new Date().toISOString(),
    };
    record.set(path, entry, record.isUnchanged(path, after) ? after : undefined);
  }
}

/**
 * Returns the files to write so that no call is registered. A file that still is what `install` wrote becomes what it
 * was before; from another one only the entries of hooksh go.
 */
export function planRemoval(target: InstallTarget, record: InstallRecord): RecordedPlan[] {
  const isWritten: IsWritten = (path, text) => record.isUnchanged(path, text);
  return planFiles(target, [], isWritten).map((plan) => ({
    ...plan,
    isRemoval: true,
    after: originalOf(plan, record),
  }));
}

function originalOf({ path, before, after }: FilePlan, record: InstallRecord): string | undefined {
  const known = record.isUnchanged(path, before) ? record.find(path) : undefined;
  if (!known) return after;
  return known.original === undefined ? undefined : (readHostFile(known.original) ?? after);
}

/** Returns the calls that a file registers. Throws a {@link UserError} that names the place if it is not valid. */
export function registeredCalls(host: HostId, file: HostFile, path: string): OwnEntry[] {
  return callsIn(host, file, path, readHostFile(path) ?? "");
}

function callsIn(host: HostId, file: HostFile, path: string, text: string): OwnEntry[] {
  if (text.trim() === "") return [];
  const own = (calls: readonly DispatchCall[]) =>
    calls.map((call) => ({ event: call.event, entry: {}, call, isMisplaced: false }));
  if (file.nesting === "module") return own(readBridgePlugin(text, host) ?? []);
  if (file.nesting === "file") return own([readWrapperScript(text, host) ?? []].flat());
  if (file.format === "toml" && file.nesting !== "list") return [];
  const target = { host: hostFiles(host), file, dialect: host, path };
  return file.format === "toml" ? ownTomlEntries(text, target) : ownJsonEntries(text, target);
}

/**
 * Returns a digest of each entry of hooksh in a file, by event, which changes with every change that the host could
 * notice. Throws a {@link UserError} if the file is not valid.
 */
export function entryDigests(host: HostId, file: HostFile, path: string, text: string): Record<string, string> {
  const isProgram = file.nesting === "module" || file.nesting === "file";
  return Object.fromEntries(
    callsIn(host, file, path, text).map(({ event, entry, isMisplaced }) => [
      event,
      sha256(isProgram ? text : canonicalJson([entry as Json, isMisplaced])),
    ]),
  );
}

type Planner = (target: InstallTarget, calls: readonly DispatchCall[], isWritten: IsWritten) => FilePlan[];

const PLANNERS: Readonly<Record<HostFile["nesting"], Planner>> = {
  groups: planEntries,
  flat: planEntries,
  list: planEntries,
  file: planScripts,
  module: planModule,
};

function planEntries(target: InstallTarget, calls: readonly DispatchCall[]): FilePlan[] {
  const { path, files, file, host, platform } = target;
  const entryFile: EntryFile = { host: files, file, dialect: host, path };
  const wanted = calls.map((call) => hostEntry(files, call, platform));
  const before = readHostFile(path);
  const isNew = before === undefined || before.trim() === "";
  if (isNew && wanted.length === 0) return [];
  const after =
    file.format === "toml"
      ? setTomlEntries(before ?? "", entryFile, wanted)
      : isNew
        ? newJsonFile(entryFile, wanted)
        : setJsonEntries(before, entryFile, wanted);
  const hadOwn = !isNew && registeredCalls(host, file, path).length > 0;
  const isLeftEmpty = wanted.length === 0 && after !== before && isOwnFile(target) && holdsOnlyHead(after, files);
  return [
    { path, before, after: isLeftEmpty ? undefined : after, hadOwn },
    ...planCompanion(target, isLeftEmpty, wanted.length),
  ];
}

/** True if the file exists for hooksh alone: its name is in the table, or it belongs to a plugin of hooksh. */
function isOwnFile({ file, files }: InstallTarget): boolean {
  return typeof file.install === "string" || files.companion !== undefined;
}

function holdsOnlyHead(text: string, { head = {} }: HostFiles): boolean {
  const value: unknown = JSON.parse(text);
  return isObject(value) && isDeepEqual(value, head);
}

function planCompanion({ path, files }: InstallTarget, isRemoved: boolean, wanted: number): FilePlan[] {
  if (!files.companion || (wanted === 0 && !isRemoved)) return [];
  const companion = join(dirname(path), files.companion.path);
  const before = readHostFile(companion);
  const own = `${JSON.stringify(files.companion.content, undefined, 2)}\n`;
  if (isRemoved) return before === own ? [{ path: companion, before, after: undefined }] : [];
  return before === undefined ? [{ path: companion, before, after: own }] : [];
}

function planScripts(
  { path, host, files, platform }: InstallTarget,
  calls: readonly DispatchCall[],
  isWritten: IsWritten,
): FilePlan[] {
  const extension = platform === "win32" ? ".ps1" : "";
  const wanted = new Map(
    calls.map((call) => [`${files.fileNames?.[call.event] ?? call.event}${extension}`, wrapperScript(call, platform)]),
  );
  const foreign: string[] = [];
  const plans = [...new Set([...namesIn(path), ...wanted.keys()])].flatMap((name): FilePlan[] => {
    const file = join(path, name);
    const before = readHostFile(file);
    const own = before === undefined ? undefined : readWrapperScript(before, host);
    if (before !== undefined && !own) {
      if (wanted.has(name)) foreign.push(file);
      return [];
    }
    if (!wanted.has(name) && own && before !== wrapperScript(own, platform) && !isWritten(file, before ?? ""))
      throw changedByHand(file);
    return [{ path: file, before, after: wanted.get(name), executable: true, hadOwn: own !== undefined }];
  });
  if (foreign.length === 0) return plans;
  throw new UserError(
    `${foreign.join(", ")}: not written by hooksh, and ${host} runs one file for each event of a folder; make it a hook of your hooks file and remove it`,
  );
}

function planModule({ path, host }: InstallTarget, calls: readonly DispatchCall[], isWritten: IsWritten): FilePlan[] {
  const before = readHostFile(path);
  const own = before === undefined ? undefined : readBridgePlugin(before, host);
  if (before !== undefined && !own) {
    if (calls.length === 0) return [];
    throw new UserError(`${path}: not written by hooksh; move it away first`);
  }
  if (calls.length === 0 && own && before !== bridgePlugin(own) && !isWritten(path, before ?? ""))
    throw changedByHand(path);
  return [{ path, before, after: calls.length === 0 ? undefined : bridgePlugin(calls), hadOwn: own !== undefined }];
}

function changedByHand(path: string): UserError {
  return new UserError(`${path}: changed since hooksh wrote it; remove it yourself`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.length < 100)
      .map(({ name }) => name);
  } catch (error) {
    const problem = unreadableFileError(folder, error);
    if (problem.kind === "missing") return [];
    throw problem;
  }
}

/** Returns the text of a host's file, with its byte order mark. Undefined if there is none. Throws a {@link UserError}. */
export function readHostFile(path: string): string | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
  const bytes = readUserFileSync(path, { limit: LIMIT });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UserError(`${path}: ${basename(path)} is not UTF-8`);
  }
}
