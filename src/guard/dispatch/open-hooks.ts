/**
 * Judges events that others send: `dispatch`, `serve` and `replay`, with what records and watches them. It runs no
 * agent.
 *
 * @packageDocumentation
 */
import type { Flags } from "../../cli/flags.ts";
import { directoriesOf, type GLOBAL_FLAGS, openLog } from "../../cli/global-flags.ts";
import { isTerminalLike, printError, reserveStandardOutput, warn } from "../../cli/print.ts";
import { checkRestrictions, type RESTRICTION_FLAGS } from "../../cli/restriction-flag.ts";
import { type HookEntry, isOwnHook } from "../../config/hooks/read-hooks.ts";
import { BUILT_IN_TOOLS, builtInToolFor } from "../../config/toolsets/built-in-tools.ts";
import type { HostCall } from "../../dialects/dialect.ts";
import { Executor } from "../../engine/executor.ts";
import type { Log } from "../../engine/handler.ts";
import { newRegistry } from "../../engine/registry.ts";
import type { TRUST_FLAGS } from "../../hooks/hook-flags.ts";
import { lazyModelClient, type MODEL_FLAGS } from "../../hooks/lazy-model-client.ts";
import { loadHookEntries, type SOURCE_FLAGS } from "../../hooks/load-hooks.ts";
import { type Env, missingHome, processEnv } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { compileMatcher } from "../../pattern/pattern.ts";
import type { BuiltinMemory } from "../../protocol/builtin.ts";
import { openObservers } from "../watch/open-observers.ts";
import type { WATCH_FLAGS, WatchOptions } from "../watch/watch-options.ts";

/** The part of a command line that names hooks. */
export interface HooksCommand {
  flags: Flags<
    typeof SOURCE_FLAGS &
      typeof MODEL_FLAGS &
      typeof TRUST_FLAGS &
      typeof RESTRICTION_FLAGS &
      typeof WATCH_FLAGS &
      typeof GLOBAL_FLAGS
  >;
  positionals: readonly string[];
}

/** The configured hooks, ready to be run. */
export interface OpenHooks {
  /**
   * Creates an executor; `env` is added to the environment of hooks. `host`: the event of an agent that it is for.
   * `memory`: what builtins keep between the events of a session; by default for this executor only.
   */
  executor: (setting: { workingDir: string; env?: Env; host?: HostCall; memory?: BuiltinMemory }) => Executor;
  log: Log;
  dataDir: string;
}

/**
 * Loads the hooks that the command line and the configuration name. Without an agent, only the hooks themselves are
 * loaded (cold start). Nothing is recorded about a replay. Throws a `ConfigError` or a `UsageError`.
 */
export async function openHooks(
  { flags, positionals }: HooksCommand,
  cwd: string,
  source: WatchOptions["source"] | "replay" = "dispatch",
): Promise<OpenHooks> {
  const directories = directoriesOf(flags);
  const log = openLog(flags, directories);
  const [reference] = positionals;
  const notices = reference === undefined ? (["fatal"] as const) : (["relative", "fatal"] as const);
  const loaded = await loadHookEntries({ reference, flags, directories, cwd, notices });
  const { entries, rules, agent, file, routes, unenforced, watch } = loaded;
  if (source !== "replay") checkHome(flags, entries, rules.length > 0);
  checkRestrictions(unenforced, flags);
  if (file && file.filesToTrust.length > 0) {
    const { checkTrust } = await import("../../hooks/trust-check.ts");
    await checkTrust(file, { flags, directories, interactive: false }); // standard input is for events
  }
  if (entries.some(({ hook }) => isOwnHook(hook))) reserveStandardOutput();
  const registry = newRegistry(lazyModelClient({ flags, file, directories, cwd }));
  const observers =
    source === "replay" ? [] : await openObservers({ flags, settings: watch, directories, source, warn });
  const executor: OpenHooks["executor"] = ({ workingDir, env = {}, host, memory }) =>
    new Executor(entries, {
      workingDir,
      env: { ...processEnv(), ...env },
      directories,
      log,
      registry,
      host,
      observers,
      routes,
      rules,
      agent,
      keepsHistory: source !== "replay",
      ...(memory ? { memory } : {}),
    });
  return { executor, log, dataDir: directories.data };
}

/**
 * Warns that the home directory, and so the user's own hooks, does not exist. Throws a {@link ConfigError} if there are no
 * other hooks: nothing would judge the events.
 */
function checkHome(flags: HooksCommand["flags"], entries: readonly HookEntry[], hasRules: boolean): void {
  const home = flags["no-user-hooks"] ? undefined : missingHome("config", { config: flags["config-dir"] });
  const hasOthers = hasRules || entries.some(({ implicit, hook }) => !implicit && hook.command !== "guards_stay");
  if (home === undefined) {
    isUnguarded = !hasRules && entries.every(({ hook }) => hook.command === "guards_stay");
    return;
  }
  const missing = `HOME is ${home}, which does not exist, so config.yaml and hooks.d are not found`;
  if (!hasOthers)
    throw new ConfigError(`no hooks: ${missing}: set HOME, or name the hooks with --config-dir or --hooks-file`);
  warn(missing);
}

let isUnguarded = false;

/** Returns the note for a host for which no hook is configured any more; a person at a terminal is told otherwise. */
export function unguardedNote(): string | undefined {
  if (!isUnguarded || isTerminalLike(2)) return undefined;
  return "no hook is configured, so nothing judges this agent; hooksh status lists the hooks";
}

const noted = new Set<string>();

/**
 * Says once for each event that no hook and no rule is configured for it, or that the tool of its payload is none that a matcher names,
 * but that another name of it is.
 */
export function noteIfUnjudged(executor: Executor, { hook_event_name: event, tool_name: tool }: UnjudgedEvent): void {
  if (executor.rules.some(({ on }) => on.some((each) => each === event))) return;
  const entries = executor.hooks.flatMap(({ entry }) => (entry.event === event ? [entry] : []));
  const name = typeof tool === "string" ? tool : "";
  const fits = (one: string) => entries.some(({ matcher }) => compileMatcher(matcher)([one]));
  const near = name === "" || fits(name) ? undefined : (builtInToolFor(name) ?? nearest(name, BUILT_IN_TOOLS));
  const key = entries.length === 0 ? event : `${event} ${name}`;
  if (noted.has(key) || (entries.length > 0 && (near === undefined || !fits(near)))) return;
  noted.add(key);
  printError(
    entries.length === 0
      ? `note: no hook is configured for ${event}, so nothing judges it; hooksh status lists the hooks`
      : `note: no matcher of ${event} names the tool ${JSON.stringify(name.slice(0, 100))}, so no hook judges it; did you mean "${near}"?`,
  );
}

interface UnjudgedEvent {
  hook_event_name: string;
  tool_name?: unknown;
}
