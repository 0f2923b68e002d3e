import { resolve } from "node:path";
import { BUILTINS } from "../../../builtins/index.ts";
import { type Directories, processEnv } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import type { Evaluators } from "../../model/evaluators/evaluator.ts";
import type { BuiltinRow } from "../../protocol/builtin.ts";
import type { EventName } from "../../protocol/events.ts";
import { redactionArgs } from "../../redaction/args.ts";
import type { RedactionOptions } from "../../redaction/redact.ts";
import type { TeamRules } from "../rules/agent-rules.ts";
import {
  collectAll,
  documentsOf,
  holdsRules,
  loadRules,
  noRulesNotice,
  type PlacedRule,
  RULE_KEYS,
} from "../rules/load-rules.ts";
import { userKeyProblems } from "../user/user-keys.ts";
import { DEFAULT_WATCH, readWatchSettings, type WatchSettings } from "../user/watch-settings.ts";
import { type Document, type Path, problemsError, readDocument, renderProblems, sourceOf } from "../yaml/document.ts";
import { readConfigDirectory } from "./config-directory.ts";
import type { RoutingAgent } from "./evaluator-hooks.ts";
import { GUARDS_STAY, guardPolicy } from "./guard-policy.ts";
import { matcherProblem } from "./hook-filter.ts";
import {
  defineHook,
  type HookChecks,
  type HookDefinition,
  type HookEntry,
  type HooksBlock,
  readHooks,
  readUnknownTools,
  UNKNOWN_TOOLS,
} from "./read-hooks.ts";

/** A hook given on the command line: `--hook-stop CMD`, `--hook EVENT[:MATCHER]=CMD`. */
export interface FlagHook {
  event: EventName;
  matcher: string;
  command: string;
  /** The flag as given, for `--details`. */
  flag: string;
}

/** The keys of an agent that are shorthands for hooks. */
export interface AgentDefaults {
  add_date?: boolean | undefined;
  add_environment_info?: boolean | undefined;
  add_prompt_files?: readonly string[] | undefined;
  add_prompt_files_depth?: number | undefined;
  /** On unless `false`. An object has the settings of the redaction. */
  redact_secrets?: boolean | RedactionOptions | undefined;
}

/** A hooks block and its place in a document. */
export interface PlacedBlock {
  document: Document;
  path: Path;
  value: unknown;
  /** The evaluators of the file. */
  evaluators?: Evaluators;
}

/** The hooks blocks that hold for an agent, in their order, and the agent with its shorthands. */
export interface AgentHooks {
  blocks: readonly PlacedBlock[];
  defaults: AgentDefaults & RoutingAgent;
  /** The evaluators of the agent's file, which hooks of the user may name, too. */
  evaluators: Evaluators;
  /** The files whose rules hold for the agent, the team's own first. */
  rules: readonly TeamRules[];
}

/** Which turns snapshots record: all, none, or those in which a tool may write, as at a terminal. */
export type SnapshotMode = boolean | "writes";

/** The hook sources other than the agent, and how to handle invalid ones. */
export interface HookSourceOptions {
  directories: Directories;
  /** `--hooks-file`, in flag order. */
  hooksFiles?: readonly string[];
  /** The base of relative `hooksFiles`. Default: the working directory of the process. */
  cwd?: string | undefined;
  flagHooks?: readonly FlagHook[];
  /** Skips `settings.hooks` and `hooks.d` (`--no-user-hooks`). */
  noUserHooks?: boolean;
  /** Makes a file that is not read for its name an error instead of a warning. */
  refusesMisnamed?: boolean;
  /** Skips an invalid drop-in with a warning instead of throwing (`--skip-broken-hooks`). */
  skipBrokenHooks?: boolean;
  /** Wins over `settings.snapshot`. */
  snapshot?: SnapshotMode | undefined;
  /** Every configured hook only observes (`--observe`). */
  observe?: boolean;
  /** The builtin `guards_stay` judges every tool call before all other hooks (`--guards-stay`). */
  guardsStay?: boolean;
  /** Receives one line for each skipped source. */
  warn: (message: string) => void;
}

/** The hooks that apply to every agent, and settings that concern all hooks. */
export interface UserHooks {
  entries: HookEntry[];
  /** The rules beside the hooks, in the order of their sources. */
  rules: PlacedRule[];
  snapshot: SnapshotMode;
  watch: WatchSettings;
  /** Every configured hook only observes, an agent's own too. */
  observe: boolean;
}

/** The hooks and rules of one source. */
interface SourceHooks {
  entries: HookEntry[];
  rules: PlacedRule[];
}

const NOTHING: SourceHooks = { entries: [], rules: [] };

interface Source {
  read: () => Promise<SourceHooks>;
  /** True if an error in this source is only a warning. */
  mayBeSkipped?: boolean | undefined;
}

/**
 * Loads the hooks of the user's configuration, the drop-ins, the hooks files and the flags, in that order. Throws a
 * {@link ConfigError} with the problems of all sources. With `skipBrokenHooks` an invalid drop-in is only a warning.
 */
export async function loadUserHooks(options: HookSourceOptions): Promise<UserHooks> {
  const user: UserHooks = {
    entries: [],
    rules: [],
    snapshot: false,
    watch: DEFAULT_WATCH,
    observe: options.observe === true,
  };
  const problems: string[] = [];
  const files = (options.hooksFiles ?? []).map(
    (file): Source => ({ read: () => readHooksFile(resolve(options.cwd ?? ".", file), options.warn, file) }),
  );
  for (const { read, mayBeSkipped } of [...ownSources(options, user), ...files]) {
    try {
      const { entries, rules } = await read();
      user.entries.push(...entries);
      user.rules.push(...rules);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (mayBeSkipped) options.warn(`skipped hooks: ${error.message}`);
      else problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  for (const { event, matcher, command, flag } of options.flagHooks ?? [])
    user.entries.push(entryOf(event, defineHook({ type: "command", command }), flag, matcher));
  if (options.guardsStay) user.entries.unshift(GUARDS_STAY_ENTRY);
  return { ...user, snapshot: options.snapshot ?? user.snapshot };
}

/** Returns configured hooks as `--observe` demands: all of them only observe. */
export function observedIf(observe: boolean | undefined, entries: HookEntry[]): HookEntry[] {
  return observe ? entries.map((entry) => ({ ...entry, hook: { ...entry.hook, mode: "observe" } })) : entries;
}

/** Returns rules as `--observe` demands. */
export function observedRulesIf(observe: boolean | undefined, rules: PlacedRule[]): PlacedRule[] {
  return observe ? rules.map((rule) => ({ ...rule, observe: true })) : rules;
}

/**
 * The sources in the configuration directory. Reading `config.yaml` also sets `snapshot` and `watch` of `user`. Without
 * the user's own hooks (`--no-user-hooks`) only these are read.
 */
function ownSources(options: HookSourceOptions, user: UserHooks): Source[] {
  const { directories, skipBrokenHooks, noUserHooks, refusesMisnamed, warn } = options;
  const { config, dropIns, misnamed, notices } = readConfigDirectory(directories.config);
  const mayContinue = !refusesMisnamed || noUserHooks || skipBrokenHooks;
  if (misnamed.length > 0 && !mayContinue) throw new ConfigError(misnamed);
  notices.forEach(warn);
  const settings: Source = {
    read: async () => {
      if (config === undefined) return NOTHING;
      const { document, settings: found, watch } = await readSettings(config);
      user.watch = watch;
      if (noUserHooks) return NOTHING;
      user.snapshot = found["snapshot"] === true;
      const block = { document, path: ["settings"], value: found };
      const [unknownTools, hooks, rules] = await collectAll<[HookEntry[], HookEntry[], PlacedRule[]]>(
        () => loadUnknownTools(document, found[UNKNOWN_TOOLS]),
        () => loadHooksBlock(document, ["settings", "hooks"], found["hooks"]),
        () => loadRules(block),
      );
      const entries = [...unknownTools, ...hooks];
      if ("hooks" in found && entries.length === 0) warn(`${config}: settings.hooks defines no hook`);
      const notice = noRulesNotice(block);
      if (notice !== undefined) warn(notice);
      return { entries, rules };
    },
  };
  if (noUserHooks) return [settings];
  return [
    settings,
    ...dropIns.map((path) => ({ read: () => readHooksFile(path, warn), mayBeSkipped: skipBrokenHooks })),
  ];
}

/**
 * Reads the user's configuration and its `settings`. Throws a {@link ConfigError} for an unknown key, because it
 * could be a misspelt key with guards, and for an invalid safety mode.
 */
async function readSettings(
  path: string,
): Promise<{ document: Document; settings: Record<string, unknown>; watch: WatchSettings }> {
  const document = await readDocument(path);
  const value = document.value ?? {};
  const settings = isObject(value) ? (value["settings"] ?? {}) : undefined;
  if (!isObject(value) || !isObject(settings)) {
    throw new ConfigError(
      await renderProblems(document, [{ path: isObject(value) ? ["settings"] : [], message: "expected a mapping" }]),
    );
  }
  const { watch, problems: watchProblems } = readWatchSettings(settings);
  const problems = [...userKeyProblems(value), ...watchProblems];
  if (problems.length > 0) throw await problemsError(document, problems);
  return { document, settings, watch };
}

/**
 * Returns the hooks of an agent in order: those of its files and its own, the user's, then those that its keys and the
 * settings imply.
 */
export async function hooksOfAgent(
  agent: AgentHooks,
  user: Pick<UserHooks, "entries" | "snapshot"> & Partial<Pick<UserHooks, "observe" | "rules">>,
): Promise<HookEntry[]> {
  const own = await loadHooksBlocks(agent.blocks);
  const configured = await withEvaluators([...own, ...user.entries], agent);
  const entries = [...observedIf(user.observe, configured), ...impliedHooks(agent.defaults, user.snapshot)];
  const documents = [...agent.blocks.map(({ document }) => document), ...documentsOf(user.rules ?? [])];
  return guardPolicy(entries, documents, { workingDir: process.cwd(), env: processEnv() });
}

/** Returns the rules that hold for an agent: those of its team first, then the user's. */
export async function rulesOfAgent(
  agent: Pick<AgentHooks, "rules">,
  user: Pick<UserHooks, "rules"> & Partial<Pick<UserHooks, "observe">>,
): Promise<PlacedRule[]> {
  // Loaded only with an agent file (cold start).
  const { rulesOfTeam } = await import("../rules/agent-rules.ts");
  return observedRulesIf(user.observe, [...(await rulesOfTeam(agent.rules)), ...user.rules]);
}

/**
 * Gives the evaluator hooks of an agent what they ask; without an agent file there is nothing that they can ask. Throws a
 * {@link ConfigError}.
 */
export async function withEvaluators(entries: HookEntry[], agent?: AgentHooks): Promise<HookEntry[]> {
  if (!entries.some(({ hook }) => hook.type === "evaluator")) return entries;
  const { bindEvaluators } = await import("./evaluator-hooks.ts");
  const blocks = new Map(agent?.blocks.map(({ document, evaluators }) => [document, evaluators]));
  const evaluatorsOf = (document: Document | undefined) =>
    (document && blocks.get(document)) ?? agent?.evaluators ?? {};
  return bindEvaluators(entries, evaluatorsOf, agent?.defaults);
}

/** Returns the hooks that an agent's keys and the user's settings imply. Their order is part of the contract. */
export function impliedHooks(defaults: AgentDefaults, snapshot: SnapshotMode): HookEntry[] {
  const entries: HookEntry[] = [];
  const add = (setting: string, command: string, events: readonly EventName[], args: readonly string[] = []) => {
    for (const event of events)
      entries.push(entryOf(event, defineHook({ type: "builtin", command, args: [...args] }), setting));
  };
  if (defaults.add_date) add("add_date: true", "add_date", ["turn_start"]);
  const { add_prompt_files: files = [], add_prompt_files_depth: depth = 0 } = defaults;
  if (files.length > 0)
    add("add_prompt_files", "add_prompt_files", ["turn_start"], [...files, ...(depth > 0 ? [`--depth=${depth}`] : [])]);
  if (defaults.add_environment_info) add("add_environment_info: true", "add_environment_info", ["session_start"]);
  const { redact_secrets: redaction = true } = defaults;
  if (redaction !== false) {
    const args = redaction === true ? [] : redactionArgs(redaction);
    add("redact_secrets", "redact_secrets", ["pre_tool_use", "before_llm_call", "tool_response_transform"], args);
  }
  if (snapshot === true)
    add("settings.snapshot: true", "snapshot", ["session_start", "turn_start", "turn_end", "session_end"]);
  if (snapshot === "writes") {
    const hook = defineHook({ type: "builtin", command: "snapshot", args: ["writes"] });
    for (const event of ["pre_tool_use", "turn_end", "session_end"] as const)
      entries.push({ ...entryOf(event, hook, "snapshots at a terminal"), implicit: true });
  }
  for (const [command, row] of Object.entries<BuiltinRow>(BUILTINS)) {
    for (const event of row.always ?? []) {
      entries.push({ ...entryOf(event, defineHook({ type: "builtin", command }), "always"), implicit: true });
    }
  }
  return entries;
}

/** On the lane whose hooks run first and whose answers no mode overrides. */
const GUARDS_STAY_ENTRY: HookEntry = {
  ...entryOf("pre_tool_use", defineHook({ type: "builtin", command: GUARDS_STAY }), "--guards-stay"),
  lane: "preempt",
};

function entryOf(event: EventName, hook: HookDefinition, source: string, matcher = ""): HookEntry {
  return { event, matcher, lane: "default", hook, path: [], source: async () => source };
}

async function readHooksFile(
  path: string,
  warn: (message: string) => void,
  displayName: string = path,
): Promise<SourceHooks> {
  const document = asHooksDocument(await readDocument(path, displayName));
  const { notices, ...loaded } = await loadHooksDocument(document);
  notices.forEach(warn);
  return loaded;
}

/**
 * Returns the hooks and rules of a hooks file, and the notices about one that has none. Throws a {@link ConfigError} that
 * lists every problem with its position.
 */
export async function loadHooksDocument(document: Document): Promise<SourceHooks & { notices: string[] }> {
  const block = { document, path: [], value: document.value };
  const [entries, rules] = await collectAll<[HookEntry[], PlacedRule[]]>(
    () => loadHooksBlock(document, [], withoutRules(document.value)),
    () => loadRules(block),
  );
  const noRules = noRulesNotice(block);
  if (noRules !== undefined) return { entries, rules, notices: [noRules] };
  const isEmpty = entries.length === 0 && rules.length === 0;
  return { entries, rules, notices: isEmpty ? [`${document.file}: defines no hook`] : [] };
}

/** Returns the value of a hooks file without its rules. */
export function withoutRules(value: unknown): unknown {
  if (!holdsRules(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !RULE_KEYS.includes(key)));
}

/** Marks a document as a bare hooks block, for the paths in messages. Throws a {@link ConfigError} if it is empty. */
export function asHooksDocument(document: Document): Document {
  if (document.value !== null && document.value !== undefined) return { ...document, root: ["hooks"] };
  throw new ConfigError(
    `${document.file}: holds no hooks: it is empty, null or only comments (write {} if that is intended)`,
  );
}

/** Returns the hook that enforces `settings.unknown_tools`. Throws a {@link ConfigError} for another value. */
async function loadUnknownTools(document: Document, value: unknown): Promise<HookEntry[]> {
  const block: HooksBlock = { entries: [], problems: [] };
  if (value !== undefined) readUnknownTools(block, value, ["settings", UNKNOWN_TOOLS]);
  return placed(document, block);
}

/** Returns the hooks of a block. Throws a {@link ConfigError} that lists every problem with its position. */
export async function loadHooksBlock(document: Document, path: Path, value: unknown): Promise<HookEntry[]> {
  return placed(document, readHooks(value, path, await checksFor(value)));
}

async function placed(document: Document, { entries, problems }: HooksBlock): Promise<HookEntry[]> {
  if (problems.length > 0) throw await problemsError(document, problems);
  const { directory } = document;
  const place = directory === undefined ? {} : { directory };
  return entries.map((entry) => ({ ...entry, ...place, document, source: () => sourceOf(document, entry.path) }));
}

/** Returns the hooks of several blocks, in their order. */
export async function loadHooksBlocks(blocks: readonly PlacedBlock[]): Promise<HookEntry[]> {
  return (await Promise.all(blocks.map(({ document, path, value }) => loadHooksBlock(document, path, value)))).flat();
}

/** The checks of hooks; those of model and evaluator hooks only if there is one (cold start). */
async function checksFor(value: unknown): Promise<HookChecks> {
  if (!/"type":"(?:model|evaluator)"/.test(JSON.stringify(value ?? null))) return { matcher: matcherProblem };
  return (await import("./hook-checks.ts")).HOOK_CHECKS;
}
