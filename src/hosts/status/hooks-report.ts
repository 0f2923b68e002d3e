import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileOf } from "../../audit/entry.ts";
import { auditedName, hookSource } from "../../audit/entry-of-record.ts";
import { type AuditHealth, auditHealth } from "../../audit/health.ts";
import type { Flags } from "../../cli/flags.ts";
import { warn } from "../../cli/print.ts";
import { readConfigDirectory } from "../../config/hooks/config-directory.ts";
import { loadUserHooks } from "../../config/hooks/hook-sources.ts";
import type { HookEntry } from "../../config/hooks/read-hooks.ts";
import type { PlacedRule } from "../../config/rules/load-rules.ts";
import { DEFAULT_WATCH, type WatchSettings } from "../../config/user/watch-settings.ts";
import type { Document } from "../../config/yaml/document.ts";
import { compileHooks } from "../../engine/match.ts";
import { newRegistry } from "../../engine/registry.ts";
import { describeHook, type HookDescription } from "../../hooks/describe-hook.ts";
import { loadHookEntries, type SOURCE_FLAGS } from "../../hooks/load-hooks.ts";
import type { Directories } from "../../lib/env.ts";
import { UsageError, UserError } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import { findLastRuns, type HookTrace, type LookBack, type SoughtHook } from "./last-runs.ts";

/** The kinds of places in which hooks are configured. */
export type SourceKind = "agent" | "settings" | "drop-in" | "hooks file" | "flag" | "implied";

/** A place in which hooks are configured. */
export interface SourceStatus {
  kind: SourceKind;
  /** A path, a flag, or the key of an agent that implies hooks. */
  place: string;
  hooks: number;
  /** Absent if it has none. */
  rules?: number;
  /** How many of the rules only observe. Absent for none. */
  observing_rules?: number;
  /** The coding agents in which it is registered. */
  hosts?: readonly string[];
}

/** A configured hook with what the audit log says about it. */
export interface HookStatus extends HookDescription, HookTrace {}

/** The hooks that apply, and what the audit log says about them. */
export interface HooksReport {
  sources: readonly SourceStatus[];
  hooks: readonly HookStatus[];
  /** Why hooks cannot be loaded. */
  problems: readonly string[];
  audit: AuditHealth & { on: boolean; required: boolean };
  looked_back: LookBack;
}

/** A hooks file that coding agents use. */
export interface HostHooksFile {
  path: string;
  hosts: readonly string[];
}

export interface HooksReportOptions {
  /** The agent file or reference. If undefined, the report has the user's own hooks and those of coding agents. */
  reference: string | undefined;
  flags: Flags<typeof SOURCE_FLAGS>;
  directories: Directories;
  hostFiles: readonly HostHooksFile[];
}

/** Finds out which hooks apply and when each ran last. Reads only. */
export async function hooksReport(options: HooksReportOptions): Promise<HooksReport> {
  const { entries, rules, watch, problems } = await loadEntries(options);
  const { data, config } = options.directories;
  const registry = newRegistry();
  const located = await Promise.all(
    compileHooks(entries)
      .filter(({ entry }) => !entry.implicit)
      .map(async (hook): Promise<LocatedHook> => {
        const source = await hookSource(hook.entry);
        const place = fileOf(source);
        const kind = kindOf(hook.entry, place, config);
        const isGlobal = kind === "settings" || kind === "drop-in";
        // Undefined if the file is not a local one.
        const changed = hook.entry.document && statSync(place, { throwIfNoEntry: false })?.mtimeMs;
        const described = await describeHook(hook.entry, registry);
        const description = { ...described, name: await auditedName(described.name) };
        return { kind, place, description, sought: { hook, name: description.name, source, changed, isGlobal } };
      }),
  );
  const sought = located.map((hook) => hook.sought);
  const { traces, lookBack } = searchLog(data, sought, problems);
  return {
    sources: sourcesOf(located, rules, options),
    hooks: located.map((hook) => ({ ...hook.description, ...traces.get(hook.sought) })),
    problems,
    audit: { ...auditHealth(data), on: watch.audit.on, required: watch.audit.required },
    looked_back: lookBack,
  };
}

interface LocatedHook {
  kind: SourceKind;
  place: string;
  description: HookDescription;
  sought: SoughtHook;
}

function kindOf({ document, path }: HookEntry, place: string, config: string): SourceKind {
  if (document === undefined) return place.startsWith("--") ? "flag" : "implied";
  if (path[0] === "agents") return "agent";
  if (place === join(config, "config.yaml")) return "settings";
  return dirname(place) === join(config, "hooks.d") ? "drop-in" : "hooks file";
}

/** What could be loaded, and why the rest could not. */
interface Loaded {
  entries: HookEntry[];
  rules: PlacedRule[];
  watch: WatchSettings;
  problems: string[];
}

async function loadEntries({ reference, flags, directories, hostFiles }: HooksReportOptions): Promise<Loaded> {
  const loaded: Loaded = { entries: [], rules: [], watch: DEFAULT_WATCH, problems: [] };
  await collectProblem(loaded.problems, async () => {
    const found = await loadHookEntries({ reference, flags, directories, cwd: resolve("."), notices: [] });
    loaded.entries.push(...found.entries);
    loaded.rules.push(...found.rules);
    loaded.watch = found.watch;
  });
  const given = new Set(flags["hooks-file"].map((path) => resolve(path)));
  for (const { path } of hostFiles.filter((file) => !given.has(file.path))) {
    await collectProblem(loaded.problems, async () => {
      const options = { directories, hooksFiles: [path], noUserHooks: true, warn };
      const found = await loadUserHooks(options);
      loaded.entries.push(...found.entries);
      loaded.rules.push(...found.rules);
    });
  }
  return loaded;
}

/** Adds the message of an error that the user must fix to `problems`. */
async function collectProblem(problems: string[], task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof UsageError) throw error;
    problems.push(error.message);
  }
}

function searchLog(data: string, hooks: readonly SoughtHook[], problems: string[]): ReturnType<typeof findLastRuns> {
  try {
    return findLastRuns(data, hooks);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    problems.push(`the audit log is unreadable: ${error.message}`);
    return { traces: new Map(), lookBack: { entries: 0, complete: false } };
  }
}

/** Every source that is read, those without hooks too. */
function sourcesOf(
  hooks: readonly LocatedHook[],
  rules: readonly PlacedRule[],
  { flags, directories, hostFiles }: HooksReportOptions,
): SourceStatus[] {
  const sources = new Map<string, SourceStatus>();
  const add = (kind: SourceKind, place: string, count: number) => {
    const hosts = hostFiles.find(({ path }) => path === place)?.hosts;
    const ofPlace = rules.filter(({ document }) => document && pathOf(document) === place);
    const observing = ofPlace.filter(({ observe }) => observe).length;
    const known = sources.get(place) ?? { kind, place, hooks: 0, ...omitEmpty({ hosts }) };
    sources.set(place, {
      ...known,
      hooks: known.hooks + count,
      ...(ofPlace.length > 0 ? { rules: ofPlace.length } : {}),
      ...(observing > 0 ? { observing_rules: observing } : {}),
    });
  };
  for (const { kind, place } of hooks) add(kind, place, 1);
  if (!flags["no-user-hooks"]) {
    const { config, dropIns } = readConfigDirectory(directories.config);
    if (config !== undefined) add("settings", config, 0);
    for (const path of dropIns) add("drop-in", path, 0);
  }
  for (const path of [...flags["hooks-file"], ...hostFiles.map((file) => file.path)])
    add("hooks file", resolve(path), 0);
  for (const { document, path } of rules) {
    const place = document && pathOf(document);
    if (place !== undefined && !sources.has(place)) add(path[0] === "settings" ? "settings" : "agent", place, 0);
  }
  return [...sources.values()];
}

function pathOf({ file, directory }: Document): string {
  return directory === undefined ? file : join(directory, basename(file));
}
