import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Dialect } from "../../dialects/dialect.ts";
import { type HostFile, type HostFiles, type HostMute, type HostScope, notesFor } from "../../dialects/host-file.ts";
import { type HostId, hostFiles } from "../../dialects/host-files.ts";
import { filesOnPlatform, type HostPlace, hostPath } from "../../dialects/host-paths.ts";
import { dialectRow } from "../../dialects/names.ts";
import { parseJsonSource, parseTomlSource } from "../../dialects/translate/source-text.ts";
import type { Directories } from "../../lib/env.ts";
import { errorText, UserError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { findExecutable, isDeepEqual } from "../../lib/platform.ts";
import { refusalFor } from "./guarded-line.ts";
import { readHostFile, registeredCalls } from "./host-plan.ts";
import type { OwnEntry } from "./json-entries.ts";
import { dialectOf, dialectsOf, HOST_IDS, productOf } from "./named-host.ts";
import { type DispatchCall, hasGuardsStay, registeredPath } from "./own-command.ts";
import { loadPolicy } from "./policy.ts";
import { type Heartbeat, heartbeatsOf, unguardedCalls, unknownTools } from "./read-heartbeats.ts";
import { judgesTools, registrationFor } from "./registration.ts";
import { registrationLosses } from "./registration-loss.ts";
import { voidedEntries } from "./voided-entries.ts";

/** The entries of hooksh in one file of a host. */
export interface RegisteredFile {
  scope: HostScope;
  path: string;
  /** In the host's spelling. */
  events: readonly string[];
  /** The words that start hooksh, without what differs between events. */
  program: string;
  hooks_file?: string;
  /** True if guards_stay judges tool calls before the hooks; absent if the server that the agent asks decides that. */
  guards_stay?: boolean;
}

/**
 * `absent`: not registered; `gone`: `install` registered it, and it is in no file any more; `broken`: registered, and cannot work; `muted`: a setting of the host keeps hooks from
 * running; `unseen`: registered, and the host has not called yet; `seen`: it has.
 */
export type HostState = "absent" | "gone" | "broken" | "muted" | "unseen" | "seen";

/** What is known about hooksh in one host. */
export interface HostStatus {
  host: HostId;
  product: string;
  state: HostState;
  registered: readonly RegisteredFile[];
  /** Why the registration does not work, or not for every event of the hooks. */
  problems: readonly string[];
  /** Settings of the host that keep hooks from running. */
  muted: readonly string[];
  heartbeats: readonly Heartbeat[];
  warnings: readonly string[];
  /** What the user has to do before the host runs hooks, and what no hook of the host can guard. */
  notes: readonly string[];
}

/** How long `hooksh serve` may take to answer a request that is no event. */
const SERVER_MS = 3000;

/** Examines the files of a host and what it called. Reads only. */
export async function hostStatus(host: HostId, place: HostPlace, directories: Directories): Promise<HostStatus> {
  const files = hostFiles(host);
  const dialect = await dialectOf(host);
  const warnings: string[] = [];
  const found = filesOnPlatform(files, place).flatMap((file) => registeredIn(host, file, place, warnings));
  const losses = registrationLosses(host, [place.project], directories).map(({ message }) => message);
  const broken = await Promise.all(found.map((each) => problemsOf(host, each, place, directories)));
  const problems = [...broken.flat(), ...losses];
  const heartbeats = dialectsOf(host).flatMap((dialect) => heartbeatsOf(dialect, directories.data));
  warnings.push(...dialectsOf(host).flatMap((each) => unknownTools(each, directories.data)));
  warnings.push(
    ...unguardedCalls(dialect, heartbeats, new Set(found.flatMap(({ own }) => own.map(({ event }) => event)))),
  );
  const muted =
    found.length === 0
      ? []
      : [
          ...mutedBySettings(files, place),
          ...found.flatMap((each) => voidedEntries(each.registered.path, each.file, dialect, files)),
        ];
  warnings.push(...repeated(found, files), ...found.flatMap((each) => withoutProof(host, each, dialect)));
  const trust = found.length > 0 ? await trustProblems(host, place) : undefined;
  warnings.push(...(trust ?? []));
  const scopes = new Set(found.map(({ registered: { scope } }) => (scope === "local" ? "project" : scope)));
  return {
    host,
    product: productOf(host),
    state: stateOf(found.length, problems.length, muted.length, heartbeats.length),
    registered: found.map(({ registered }) => registered),
    problems,
    muted,
    heartbeats,
    warnings,
    notes: [
      ...(trust ? [] : [...scopes].flatMap((scope) => files.trust?.[scope] ?? [])),
      ...(found.length === 0 ? [] : sharedRuns(host, place)),
      ...(found.length === 0 ? [] : notesFor(files, new Set(found.flatMap(({ registered }) => registered.events)))),
    ],
  };
}

/** Finds out why a host does not trust the hooks of hooksh, if it asks its user for that. */
const TRUST_CHECKS: Partial<Record<HostId, (place: HostPlace) => Promise<string[]>>> = {
  codex: async (place) => (await import("./codex-trust.ts")).codexTrustProblems(place),
};

async function trustProblems(host: HostId, place: HostPlace): Promise<string[] | undefined> {
  try {
    return await TRUST_CHECKS[host]?.(place);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [error.message];
  }
}

function stateOf(files: number, problems: number, muted: number, heartbeats: number): HostState {
  if (files === 0) return problems > 0 ? "gone" : "absent";
  if (problems > 0) return "broken";
  if (muted > 0) return "muted";
  return heartbeats > 0 ? "seen" : "unseen";
}

/** The entries of hooksh in a file. */
interface Found {
  file: HostFile;
  registered: RegisteredFile;
  own: readonly OwnEntry[];
}

/** Returns the entries in each file that a path with `*` matches. Adds a warning for a file that is not valid. */
function registeredIn(host: HostId, file: HostFile, place: HostPlace, warnings: string[]): Found[] {
  const resolved = ({ hooksFile, ...call }: DispatchCall): DispatchCall =>
    hooksFile === undefined ? call : { ...call, hooksFile: registeredPath(hooksFile, place.project) };
  const own = filesAt(hostPath(file.path, hostFiles(host), place)).flatMap((each) => {
    try {
      return registeredCalls(host, file, each).map((entry) => ({
        path: each,
        entry: { ...entry, call: resolved(entry.call) },
      }));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (file.install !== undefined) warnings.push(`${error.message}; ${host} may ignore this file`);
      return [];
    }
  });
  const shown = (at: string) => (file.nesting === "file" ? dirname(at) : at);
  const groups = Map.groupBy(own, (each) => shown(each.path));
  return [...groups].map(([at, entries]) => {
    const hooksFile = entries.find(({ entry }) => entry.call.hooksFile !== undefined)?.entry.call.hooksFile;
    return {
      file,
      own: entries.map(({ entry }) => entry),
      registered: {
        scope: file.scope,
        path: at,
        events: entries.map(({ entry }) => entry.event),
        program: [...new Set(entries.map(({ entry: { call } }) => call.server ?? call.program.join(" ")))].join(
          " and ",
        ),
        ...(hooksFile === undefined ? {} : { hooks_file: hooksFile }),
        ...(entries.some(({ entry }) => entry.call.server !== undefined)
          ? {}
          : { guards_stay: entries.some(({ entry }) => hasGuardsStay(entry.call)) }),
      },
    };
  });
}

function filesAt(path: string): string[] {
  const [folder, pattern] = [dirname(path), path.slice(dirname(path).length + 1)];
  if (!pattern.startsWith("*")) return existsSync(path) ? [path] : [];
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(pattern.slice(1)))
      .map((name) => join(folder, name))
      .filter((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
  } catch {
    return []; // missing or unreadable folder
  }
}

async function problemsOf(
  host: HostId,
  { registered, own }: Found,
  place: HostPlace,
  directories: Directories,
): Promise<string[]> {
  const calls = own.map(({ call }) => call);
  const programs = [...new Set(calls.flatMap(({ program }) => program))];
  const problems = programs
    .filter((path) => (/[\\/]/.test(path) ? !isThere(path) : findExecutable(path) === undefined))
    .map((path) => `${registered.path}: ${path}: no such program`);
  for (const server of new Set(calls.flatMap((call) => call.server ?? [])))
    if (!(await answers(server)))
      problems.push(
        `${registered.path}: nothing answers at ${server}: start hooksh serve with --port ${new URL(server).port}`,
      );
  const started = calls.filter(({ server }) => server === undefined);
  const hooksFiles = [...new Set(started.map(({ hooksFile }) => hooksFile))];
  for (const hooksFile of hooksFiles) {
    try {
      const { events } = await loadPolicy(hooksFile, directories, place.project);
      const dialect = await dialectOf(host);
      const used = new Set([...events, ...(registered.guards_stay ? (["pre_tool_use"] as const) : [])]);
      const wanted = registrationFor(dialect, hostFiles(host), used).events;
      const missing = wanted.filter((event) => !registered.events.includes(event));
      const bare = own.filter(({ event, call }) => judgesTools(dialect, event) && !hasGuardsStay(call));
      if (registered.guards_stay && bare.length > 0)
        problems.push(
          `${registered.path}: without guards_stay: ${bare.map(({ event }) => event).join(", ")}; run hooksh install ${host} again`,
        );
      if (missing.length > 0)
        problems.push(
          `${registered.path}: not registered: ${missing.join(", ")}, for which there are hooks; run hooksh install ${host} again`,
        );
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(`the hooks are broken, so ${host} gets a denial for every guarded call: ${errorText(error)}`);
    }
  }
  return problems;
}

async function answers(server: string): Promise<boolean> {
  try {
    await fetch(server, { signal: AbortSignal.timeout(SERVER_MS) });
    return true;
  } catch {
    return false;
  }
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns a message for each setting of a host that keeps hooks from running. */
export function mutedBySettings(files: HostFiles, place: HostPlace): string[] {
  return files.mutes.flatMap((mute) => mute.files.flatMap((file) => mutesIn(mute, hostPath(file, files, place))));
}

/** Warns about entries of an earlier version, which let a call run if hooksh is empty or hangs. */
function withoutProof(host: HostId, { registered, own }: Found, dialect: Dialect): string[] {
  const old = own
    .filter(({ event, call }) => call.server === undefined && !call.refusal && refusalFor(dialect, event, 0))
    .map(({ event }) => event);
  if (old.length === 0 || process.platform === "win32") return [];
  return [
    `${registered.path}: ${old.join(", ")}: written by an earlier version, and may not refuse if hooksh gives no answer; run hooksh install ${host} again`,
  ];
}

/** Warns about an event that is registered twice, on a host that then runs every hook twice. */
function repeated(found: readonly Found[], { runsEqualOnce }: HostFiles): string[] {
  const paths = found.map(({ registered }) => registered.path);
  const entries = found.flatMap(({ own }) => own);
  const runs = Map.groupBy(entries, ({ event, call }) => (runsEqualOnce ? `${event} ${call.hooksFile}` : event));
  const isTwice = (same: readonly OwnEntry[]) =>
    same.length > 1 && !(runsEqualOnce && same.every(({ entry }) => isDeepEqual(entry, same[0]?.entry)));
  if (![...runs.values()].some(isTwice)) return [];
  return [`registered in ${paths.join(" and ")}: each hook runs twice; uninstall one of them`];
}

/** Says that an agent runs each hook twice, because it also reads the file in which hooksh is registered for Claude Code. */
export function sharedRuns(host: HostId, place: HostPlace): string[] {
  const isRegistered = (id: HostId) =>
    filesOnPlatform(hostFiles(id), place).some((file) => {
      const isRead = id !== "claude" || file.scope === "project" || file.scope === "local";
      return isRead && registeredIn(id, file, place, []).length > 0;
    });
  if (!isRegistered("claude")) return [];
  return HOST_IDS.filter(
    (id) => dialectRow(id).readsClaude && (id === host || host === "claude") && isRegistered(id),
  ).map(
    (id) =>
      `${productOf(id)} also runs the hooks in Claude Code's settings of this project, so it runs each hook of hooksh twice; status counts these calls for ${id}`,
  );
}

/** Returns a message if a file has the setting that keeps hooks from running. */
export function mutesIn({ format, key, value, effect }: HostMute, path: string): string[] {
  const found = settingIn(path, format, key);
  if (found === undefined || (value !== undefined && found !== value)) return [];
  return [`${path}: ${key.join(".")}${value === undefined ? "" : ` is ${JSON.stringify(value)}`}: ${effect}`];
}

function settingIn(path: string, format: HostMute["format"], key: readonly string[]): unknown {
  try {
    const text = readHostFile(path);
    if (text === undefined) return undefined;
    const { value } =
      format === "toml" ? parseTomlSource(text, path) : parseJsonSource(text.replace(/^\uFEFF/, ""), path);
    return key.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
  } catch {
    return undefined; // registeredIn reports files that are not valid
  }
}
