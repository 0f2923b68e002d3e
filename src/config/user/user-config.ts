import { join } from "node:path";
import type { Directories } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import { isMissing } from "../../lib/files/paths.ts";
import { isObject } from "../../lib/json.ts";
import { type ModelConfig, ModelSchema, type ProviderConfig, ProviderSchema } from "../models/model-schema.ts";
import { checkPermissions, type PermissionsConfig, PermissionsSchema } from "../permissions/permission-rules.ts";
import { isSafetyMode, type SafetyMode } from "../permissions/safety-modes.ts";
import { checkSchema, SCHEMA_VERSION } from "../yaml/check-schema.ts";
import {
  type Document,
  type Path,
  type Problem,
  problemsError,
  readDocument,
  renderProblems,
} from "../yaml/document.ts";
import { ProblemReport } from "../yaml/problem-report.ts";
import { DEFAULT_TERMINAL, readTerminalSettings, type TerminalSettings } from "./terminal-settings.ts";
import { userKeyProblems } from "./user-keys.ts";
import { readWatchSettings } from "./watch-settings.ts";

/** A short name for a reference, with settings for its runs. */
export interface Alias {
  path: string;
  safety?: SafetyMode;
  yolo?: boolean;
  model?: string;
  hide_tool_results?: boolean;
  /** A restriction that hooksh does not enforce. */
  sandbox?: boolean;
}

/** The settings of the user's `config.yaml`. Hooks are read from `document` when they are needed. */
export interface UserConfig {
  /** Absent if there is no file. */
  document?: Document;
  defaultModel?: string | ModelConfig;
  aliases: Readonly<Record<string, Alias>>;
  providers: Readonly<Record<string, ProviderConfig>>;
  permissions?: PermissionsConfig;
  /** `settings.safety`, or `autonomous` for `settings.YOLO`. */
  safety?: SafetyMode;
  hideToolResults: boolean;
  /** Absent if the settings do not say. */
  snapshot?: boolean;
  terminal: TerminalSettings;
  /** One line each. */
  warnings: readonly string[];
  /** One line for each restriction of the default model that hooksh does not enforce. */
  unenforced: readonly string[];
}

/** Returns the reference of an alias; undefined if the text is not an alias. */
export function aliasPath({ aliases }: Pick<UserConfig, "aliases">, text: string): string | undefined {
  return Object.hasOwn(aliases, text) ? aliases[text]?.path : undefined;
}

/** Returns one line for each restriction in the user's configuration that a run of the reference would not enforce. */
export async function unenforcedFor(user: UserConfig, reference: string | undefined): Promise<readonly string[]> {
  const alias = reference !== undefined && Object.hasOwn(user.aliases, reference) ? user.aliases[reference] : undefined;
  if (!alias?.sandbox || !user.document) return user.unenforced;
  const message = "not supported yet: this restriction is not enforced";
  const line = await renderProblems(user.document, [
    { path: ["aliases", reference ?? "", "sandbox"], at: "key", message },
  ]);
  return [...user.unenforced, ...line];
}

/** Returns the path of the user's configuration file. */
export function userConfigPath(directories: Pick<Directories, "config">): string {
  return join(directories.config, "config.yaml");
}

/**
 * Loads `config.yaml`. A missing file counts as empty, and docker-agent's keys without a use in hooksh are ignored.
 * Throws a {@link ConfigError} that lists all other unknown keys and all invalid values, so that no guard or rule is
 * lost unnoticed.
 */
export async function loadUserConfig(directories: Pick<Directories, "config">): Promise<UserConfig> {
  const path = userConfigPath(directories);
  if (isMissing(path))
    return {
      aliases: {},
      providers: {},
      hideToolResults: false,
      terminal: DEFAULT_TERMINAL,
      warnings: [],
      unenforced: [],
    };
  return readUserConfig(await readDocument(path));
}

/** {@link loadUserConfig} for a parsed `config.yaml`. */
export async function readUserConfig(document: Document): Promise<UserConfig> {
  const value = document.value ?? {};
  if (!isObject(value)) throw new ConfigError(`${document.file}: expected a mapping`);
  const settings = isObject(value["settings"]) ? value["settings"] : {};
  const report = new ProblemReport();
  const terminal = readTerminalSettings(settings);
  report.problems.push(...userKeyProblems(value), ...readWatchSettings(settings).problems, ...terminal.problems);
  for (const { path, message } of terminal.advice) report.notice("advice", path, message);
  const config = {
    ...readDefaultModel(value["default_model"], report),
    aliases: readEntries(value["aliases"], ["aliases"], report.problems, readAlias),
    providers: readEntries(value["providers"], ["providers"], report.problems, readProvider),
    ...readPermissions(settings["permissions"], report),
    ...safetyOf(settings),
    hideToolResults: settings["hide_tool_results"] === true,
    ...(typeof settings["snapshot"] === "boolean" ? { snapshot: settings["snapshot"] } : {}),
    terminal: terminal.terminal,
  };
  await checkUserModels(config, report);
  if (report.problems.length > 0) throw await problemsError(document, report.problems);
  const { version } = value;
  const limits = report.notices.filter(({ kind }) => kind === "unenforced");
  const advice = report.notices.filter(({ kind }) => kind === "advice");
  const isKnown = version === undefined || version === null || version === "v1";
  const warning = { path: ["version"], message: `unknown version ${JSON.stringify(version)}; the file is read as v1` };
  return {
    document,
    ...config,
    warnings: await renderProblems(document, isKnown ? advice : [warning, ...advice]),
    unenforced: await renderProblems(document, limits),
  };
}

/** Loads the checks of models only if they are needed (cold start). */
async function checkUserModels(
  { defaultModel, providers }: Pick<UserConfig, "defaultModel" | "providers">,
  report: ProblemReport,
): Promise<void> {
  const names = Object.keys(providers);
  const isName = typeof defaultModel === "string" && !defaultModel.includes("/") && defaultModel !== "auto";
  if (names.length === 0 && typeof defaultModel !== "object" && !isName) return;
  const { checkModel, checkModelName, checkProviderOptions } = await import("../models/check-models.ts");
  for (const name of names) checkProviderOptions(name, providers, report);
  if (isName) checkModelName(defaultModel, ["default_model"], { models: {}, providers }, report);
  if (typeof defaultModel === "object") checkModel(defaultModel, ["default_model"], { models: {}, providers }, report);
}

function readDefaultModel(value: unknown, report: ProblemReport): Pick<UserConfig, "defaultModel"> {
  if (value === undefined || value === null || value === "") return {};
  if (typeof value === "string") return { defaultModel: value };
  const { value: defaultModel, problems, notices } = checkSchema(ModelSchema, value, ["default_model"], SCHEMA_VERSION);
  report.problems.push(...problems);
  report.notices.push(...notices);
  return defaultModel === undefined ? {} : { defaultModel };
}

function readEntries<T>(
  value: unknown,
  path: Path,
  problems: Problem[],
  read: (entry: unknown, path: Path, problems: Problem[]) => T | undefined,
): Record<string, T> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    problems.push({ path, message: "expected a mapping" });
    return {};
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, entry]): [string, T][] => {
      const found = read(entry, [...path, name], problems);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

function readProvider(value: unknown, path: Path, problems: Problem[]): ProviderConfig | undefined {
  const checked = checkSchema(ProviderSchema, value, path, SCHEMA_VERSION);
  problems.push(...checked.problems);
  return checked.value;
}

export const ALIAS_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

function readAlias(value: unknown, path: Path, problems: Problem[]): Alias | undefined {
  const entry = typeof value === "string" ? { path: value } : isObject(value) ? value : {};
  if (!ALIAS_NAME.test(String(path.at(-1))))
    problems.push({
      path,
      at: "key",
      message: "expected a name of letters, digits, _ and - that starts with a letter or digit",
    });
  const { path: reference, model } = entry;
  if (typeof reference !== "string" || reference === "") {
    problems.push({ path, message: "expected the path or reference of an agent" });
    return undefined;
  }
  if (model !== undefined && model !== null && typeof model !== "string")
    problems.push({ path: [...path, "model"], message: `expected a text but got ${JSON.stringify(model)}` });
  return {
    path: reference,
    ...safetyOf({ safety: entry["safety"] }),
    ...(entry["yolo"] === true ? { yolo: true } : {}),
    ...(typeof model === "string" && model !== "" ? { model } : {}),
    ...(typeof entry["hide_tool_results"] === "boolean" ? { hide_tool_results: entry["hide_tool_results"] } : {}),
    ...(entry["sandbox"] === true ? { sandbox: true } : {}),
  };
}

function readPermissions(value: unknown, report: ProblemReport): Pick<UserConfig, "permissions"> {
  if (value === undefined || value === null) return {};
  const path = ["settings", "permissions"];
  const { value: permissions, problems } = checkSchema(PermissionsSchema, value, path, SCHEMA_VERSION);
  report.problems.push(...problems);
  checkPermissions(permissions, path, report);
  return permissions === undefined ? {} : { permissions };
}

/** Returns the safety mode of settings or an alias. `safety` wins over `YOLO`. */
function safetyOf({ safety, YOLO }: Record<string, unknown>): Pick<UserConfig, "safety"> {
  if (isSafetyMode(safety)) return { safety };
  return YOLO === true ? { safety: "autonomous" } : {};
}
