import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Directories } from "../lib/env.ts";
import { ConfigError, errorText } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import type { EventName } from "../protocol/events.ts";
import { isMissing } from "./is-missing.ts";
import { matcherProblem } from "./matcher-problem.ts";
import { type Document, type Path, readDocument, renderProblems, sourceOf } from "./document.ts";
import { defineHook, type HookChecks, type HookDefinition, type HookEntry, readHooks } from "./hooks.ts";

/** A hook given on the command line: `--hook-stop CMD`, `--hook EVENT[:MATCHER]=CMD`. */
export interface FlagHook {
  event: EventName;
  matcher: string;
  command: string;
  /** The flag, as `--details` shows it. */
  flag: string;
}

/** The keys of an agent that add hooks of their own. Source: hooks 3.9. */
export interface AgentDefaults {
  add_date?: boolean | undefined;
  add_environment_info?: boolean | undefined;
  add_prompt_files?: readonly string[] | undefined;
  /** Omitted means on (D16). */
  redact_secrets?: boolean | undefined;
}

/** An agent's own hooks block in its document, and its shorthands. */
export interface AgentHooks {
  document: Document;
  path: Path;
  value: unknown;
  defaults: AgentDefaults;
}

/** Where hooks come from beside the agent, and how strict to be about it. */
export interface HookSourceOptions {
  directories: Directories;
  /** `--hooks-file`, in flag order. */
  hooksFiles?: readonly string[];
  /** Where a relative hooks file begins; the process's directory when absent. */
  cwd?: string | undefined;
  flagHooks?: readonly FlagHook[];
  /** Skips `settings.hooks` and `hooks.d` (`--no-user-hooks`). */
  noUserHooks?: boolean;
  /** A drop-in that cannot be read is fatal instead of skipped (`--strict-hooks`). */
  strictHooks?: boolean;
  /** `--snapshot` wins over `settings.snapshot`. */
  snapshot?: boolean | undefined;
  /** Told of everything that is skipped; goes to standard error in every mode. */
  warn: (message: string) => void;
}

/** The hooks of the user: what is the same for every agent. Source: hooks 4.3. */
export interface UserHooks {
  entries: HookEntry[];
  snapshot: boolean;
}

/**
 * Loads the hooks of the user's configuration, drop-ins, hooks files and flags, in that order. Throws a
 * {@link ConfigError}; only a malformed drop-in is skipped with a warning, unless `strictHooks` is set.
 *
 * Source: hooks 4.3 and the specification's rulings.
 */
export async function loadUserHooks(options: HookSourceOptions): Promise<UserHooks> {
  const entries: HookEntry[] = [];
  let snapshot = options.snapshot ?? false;
  const config = options.noUserHooks ? undefined : await readOptional(join(options.directories.config, "config.yaml"));
  const settings = config ? await readSettings(config) : {};
  if (config) entries.push(...(await readBlock(config, ["settings", "hooks"], settings["hooks"])));
  if (settings["snapshot"] === true) snapshot = options.snapshot ?? true;
  if (!options.noUserHooks) entries.push(...(await loadDropIns(options)));
  for (const file of options.hooksFiles ?? []) entries.push(...(await readBareBlock(resolve(options.cwd ?? ".", file), file)));
  entries.push(...flagEntries(options.flagHooks ?? []));
  return { entries, snapshot };
}

/**
 * The `settings` of the user's configuration. What is no mapping could hold guards that nobody sees, and a wrong safety
 * mode could switch one off: both are fatal. Source: config-and-cli 8.2.
 */
async function readSettings(config: Document): Promise<Record<string, unknown>> {
  const { value } = config;
  const settings = isObject(value) ? (value["settings"] ?? {}) : (value ?? {});
  if (!isObject(settings) || (!isObject(value) && value !== null && value !== undefined)) {
    const path = isObject(value) ? ["settings"] : [];
    throw new ConfigError(await renderProblems(config, [{ path, message: "expected a mapping" }]));
  }
  if (settings["safety"] !== undefined) {
    const { safetyProblems } = await import("./user.ts");
    const problems = safetyProblems(settings);
    if (problems.length > 0) throw new ConfigError(await renderProblems(config, problems));
  }
  return settings;
}

/** The hooks of one agent in configuration order: its own, the user's, then those its keys and settings imply. */
export async function hooksOfAgent(agent: AgentHooks, user: UserHooks): Promise<HookEntry[]> {
  const own = await readBlock(agent.document, agent.path, agent.value);
  return [...own, ...user.entries, ...impliedHooks(agent.defaults, user.snapshot)];
}

/** The hooks that an agent's keys and the user's settings imply, in the order of hooks 3.9. */
export function impliedHooks(defaults: AgentDefaults, snapshot: boolean): HookEntry[] {
  const entries: HookEntry[] = [];
  const add = (setting: string, command: string, events: readonly EventName[], args: readonly string[] = []) => {
    for (const event of events) entries.push(entryOf(event, defineHook({ type: "builtin", command, args: [...args] }), setting));
  };
  if (defaults.add_date) add("add_date: true", "add_date", ["turn_start"]);
  if (defaults.add_prompt_files?.length) add("add_prompt_files", "add_prompt_files", ["turn_start"], defaults.add_prompt_files);
  if (defaults.add_environment_info) add("add_environment_info: true", "add_environment_info", ["session_start"]);
  if (defaults.redact_secrets !== false) {
    add("redact_secrets", "redact_secrets", ["pre_tool_use", "before_llm_call", "tool_response_transform"]);
  }
  if (snapshot) add("settings.snapshot: true", "snapshot", ["session_start", "turn_start", "turn_end", "session_end"]);
  const configured = entries.length;
  add("always", "limit_large_tool_results", ["tool_response_transform", "session_end"]);
  return entries.map((entry, index) => (index < configured ? entry : { ...entry, quiet: true }));
}

function entryOf(event: EventName, hook: HookDefinition, source: string, matcher = ""): HookEntry {
  return { event, matcher, lane: "default", hook, path: [], source: async () => source };
}

function flagEntries(flags: readonly FlagHook[]): HookEntry[] {
  return flags
    .filter(({ command }) => command.trim() !== "")
    .map(({ event, matcher, command, flag }) => entryOf(event, defineHook({ type: "command", command }), flag, matcher));
}

async function readBareBlock(path: string, shownName: string = path): Promise<HookEntry[]> {
  const document = await readDocument(path, shownName);
  return readBlock({ ...document, root: ["hooks"] }, [], document.value);
}

/** The entries of a hooks block; throws a {@link ConfigError} with every problem in its place. */
async function readBlock(document: Document, path: Path, value: unknown): Promise<HookEntry[]> {
  const { entries, problems } = readHooks(value, path, await checksFor(value));
  if (problems.length > 0) throw new ConfigError(await renderProblems(document, problems));
  const { directory } = document;
  const place = directory === undefined ? {} : { directory };
  return entries.map((entry) => ({ ...entry, ...place, source: () => sourceOf(document, entry.path) }));
}

/** The templates of model hooks are checked by code that nothing else needs. */
async function checksFor(value: unknown): Promise<HookChecks> {
  if (!JSON.stringify(value ?? null).includes('"type":"model"')) return { matcher: matcherProblem };
  return (await import("./hook-checks.ts")).CHECKS;
}

async function readOptional(path: string): Promise<Document | undefined> {
  return isMissing(path) ? undefined : readDocument(path);
}

/** Drop-ins in byte order of their names; only regular YAML files count. Source: hooks 4.3, config-and-cli 8.3. */
async function loadDropIns(options: HookSourceOptions): Promise<HookEntry[]> {
  const directory = join(options.directories.config, "hooks.d");
  const entries: HookEntry[] = [];
  for (const name of dropInNames(directory)) {
    try {
      entries.push(...(await readBareBlock(join(directory, name))));
    } catch (error) {
      if (!(error instanceof ConfigError) || options.strictHooks) throw error;
      options.warn(`skipped hooks: ${error.message}`);
    }
  }
  return entries;
}

/** The names of the drop-ins in a directory, in the order they are loaded; none when there is no such directory. */
export function dropInNames(directory: string): string[] {
  if (isMissing(directory)) return [];
  let found;
  try {
    found = readdirSync(directory);
  } catch (error) {
    throw new ConfigError(`${directory}: ${errorText(error)}`, { cause: error });
  }
  return found
    .filter((name) => /\.ya?ml$/.test(name) && isFileOrMissing(join(directory, name)))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** What cannot be looked at counts, such as a link that leads nowhere: reading it says so. */
function isFileOrMissing(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return true;
  }
}
