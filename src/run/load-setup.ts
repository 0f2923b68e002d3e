import { basename, join } from "node:path";
import { mistypedVariables } from "../cli/mistyped-variables.ts";
import { printError, warn } from "../cli/print.ts";
import { checkRestrictions } from "../cli/restriction-flag.ts";
import { sourceContext } from "../cli/source-context.ts";
import { type LoadedAgentFile, loadAgentFile } from "../config/agent/load-agent.ts";
import { expandText } from "../config/expansion/expand.ts";
import type { SnapshotMode } from "../config/hooks/hook-sources.ts";
import type { ModelContext } from "../config/models/named-models.ts";
import type { PermissionRules } from "../config/permissions/permission-rules.ts";
import { isSafetyMode, SAFETY_MODES } from "../config/permissions/safety-modes.ts";
import { digestOf } from "../config/sources/content.ts";
import { type Lookup, openSecrets } from "../config/user/secrets.ts";
import type { TerminalSettings } from "../config/user/terminal-settings.ts";
import { type Alias, loadUserConfig, type UserConfig, unenforcedFor } from "../config/user/user-config.ts";
import type { Document } from "../config/yaml/document.ts";
import { isInteractive } from "../hooks/trust-check.ts";
import { type Directories, type Env, isFallbackDirectory, missingHome, processEnv } from "../lib/env.ts";
import { ConfigError, UsageError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { cannotRun } from "../runtime/agent/agent.ts";
import { isForProgram, type RunFlags } from "./run-flags.ts";

export interface RunSetup {
  file: LoadedAgentFile;
  /** The name of the agent file without its extension. */
  configName: string;
  /** The agent as the user named it; undefined if it was found. */
  reference: string | undefined;
  /** The path of the agent file, or the reference of a remote one. */
  agentFile: string;
  startAgent: string;
  /** Looks up a variable that the configuration names. */
  lookup: Lookup;
  userPermissions: Partial<PermissionRules> | undefined;
  /** `config.yaml`; undefined if the user has no such file. */
  userConfig: Document | undefined;
  userDefaultModel: ModelContext["userDefault"];
  /** The safety mode of a new session; undefined if none is configured. */
  safetyMode: string | undefined;
  hideToolResults: boolean;
  terminal: TerminalSettings;
  /** Which turns the run records besides what hooks of the agent record; undefined if only the settings say. */
  snapshot: SnapshotMode | undefined;
  /** True if a hook, a setting or the terminal records snapshots. */
  hasSnapshots: boolean;
  expandText: (text: string, where: string) => string;
}

export interface SetupOptions {
  reference: string | undefined;
  flags: RunFlags;
  workingDir: string;
  directories: Directories;
  signal?: AbortSignal;
  /** Default: reads the files of `--env-from-file`, the environment, and the user's `.env`. */
  lookup?: Lookup;
}

/** Loads the agent file and the user's settings. Throws a `ConfigError` or a `UsageError`. */
export async function loadSetup({
  reference,
  flags,
  workingDir,
  directories,
  signal,
  ...given
}: SetupOptions): Promise<RunSetup> {
  const env = processEnv();
  mistypedVariables(env).forEach(warn);
  const home = flags["no-user-hooks"] ? undefined : missingHome("config", { config: flags["config-dir"] });
  if (home !== undefined && !isFallbackDirectory("config", directories.config))
    warn(`HOME is ${home}, which does not exist, so config.yaml and hooks.d are not found`);
  const user = await loadUserConfig(directories);
  const lookup =
    given.lookup ??
    openSecrets({
      envFiles: flags["env-from-file"],
      env,
      configDirectory: directories.config,
      cwd: workingDir,
    });
  const alias = reference !== undefined && Object.hasOwn(user.aliases, reference) ? user.aliases[reference] : undefined;
  const overrides = flags.model.length > 0 ? flags.model : alias?.model ? [alias.model] : [];
  const file = await loadAgentFile(alias?.path ?? reference, {
    cwd: workingDir,
    inform: (message) => (flags.quiet ? undefined : printError(message)),
    userProviders: user.providers,
    modelOverrides: overrides,
    strictVersion: flags["strict-version"] ?? false,
    loadExternal: !flags["dry-run"],
    sources: { ...sourceContext({ directories, cwd: workingDir, signal }), lookup },
  });
  const startAgent = flags.agent ?? file.defaultAgent;
  const agent = file.agents.find(({ name }) => name === startAgent);
  if (!agent) {
    throw new UsageError(
      `--agent ${startAgent}: no such agent; the file has ${file.agents.map(({ name }) => name).join(", ")}`,
    );
  }
  for (const warning of [...user.warnings, ...file.warnings]) warn(warning);
  const objection = cannotRun({ name: agent.name, ...(agent.harness ? { harness: agent.harness.type } : {}) });
  if (objection) throw new ConfigError(objection);
  checkRestrictions([...(await unenforcedFor(user, reference)), ...file.unenforced], flags);
  const recordsItself = file.agents.some(({ hooks }) => usesSnapshot(hooks));
  const isAtTerminal = isInteractive() && !isForProgram(flags);
  const snapshot =
    flags.snapshot ?? (user.snapshot === undefined && isAtTerminal && !recordsItself ? "writes" : undefined);
  return {
    file,
    configName: configNameOf(file),
    reference,
    agentFile: agentFileOf(file),
    startAgent,
    lookup,
    userPermissions: user.permissions,
    userConfig: user.document,
    userDefaultModel: user.defaultModel,
    safetyMode: chooseSafetyMode(flags, env, { alias, user, own: agent.safety, file: file.safety }),
    hideToolResults: flags["hide-tool-results"] ?? alias?.hide_tool_results ?? user.hideToolResults,
    terminal: user.terminal,
    snapshot,
    hasSnapshots: recordsItself || (snapshot ?? user.snapshot ?? false) !== false,
    expandText: (text, where) => {
      const expanded = expandText(text, lookup);
      for (const message of expanded.warnings) warn(`${where}: ${message}`);
      return expanded.text;
    },
  };
}

/** True if a hooks block uses the builtin `snapshot`. */
function usesSnapshot(hooks: unknown): boolean {
  if (Array.isArray(hooks)) return hooks.some(usesSnapshot);
  if (!isObject(hooks)) return false;
  return hooks["command"] === "snapshot" || Object.values(hooks).some(usesSnapshot);
}

/**
 * Returns the name under which toolsets store their data. For an agent from elsewhere it contains a digest of the
 * reference, so that the agent cannot read the data of a local file with the same name.
 */
function configNameOf({ document, filesToTrust }: LoadedAgentFile): string {
  const name = basename(document.file).replace(/\.[^.]+$/, "");
  const remote = filesToTrust.some(({ reference, source }) => source === "remote" && reference === document.file);
  return remote ? `${name.replace(/[^\w.-]/g, "_")}-${digestOf(document.file).slice("sha256:".length, 16)}` : name;
}

function agentFileOf({ document }: LoadedAgentFile): string {
  return document.directory === undefined ? document.file : join(document.directory, basename(document.file));
}

interface SafetySources {
  alias: Alias | undefined;
  user: UserConfig;
  own: string | undefined;
  file: string | undefined;
}

/** Returns the first mode that is set, in this order: flags, environment, alias, user settings, agent, file. */
function chooseSafetyMode(flags: RunFlags, env: Env, { alias, user, own, file }: SafetySources): string | undefined {
  if (flags.safety !== undefined) return flags.safety;
  if (flags.yolo !== undefined) return flags.yolo ? "autonomous" : (own ?? file);
  const variable = env["HOOKSH_SAFETY"] || (env["HOOKSH_YOLO"] === "1" ? "autonomous" : undefined);
  if (variable !== undefined && !isSafetyMode(variable))
    throw new UsageError(`HOOKSH_SAFETY takes ${SAFETY_MODES.join(", ")}, not ${JSON.stringify(variable)}`);
  return variable ?? alias?.safety ?? (alias?.yolo ? "autonomous" : undefined) ?? user.safety ?? own ?? file;
}
