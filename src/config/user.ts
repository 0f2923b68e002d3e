import { join } from "node:path";
import type { Directories } from "../lib/env.ts";
import { ConfigError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { type PermissionsConfig, PermissionsSchema } from "./agent-schema.ts";
import { checkSchema } from "./check-schema.ts";
import { type Document, type Path, pathText, type Problem, readDocument, renderProblems } from "./document.ts";
import { SAFETY_MODES, type SafetyMode, type Schema } from "./keys.ts";
import { isMissing } from "./is-missing.ts";
import { type ModelConfig, ModelSchema, type ProviderConfig, ProviderSchema } from "./model-schema.ts";
import { checkPermissions } from "./permissions.ts";
import { Report } from "./report.ts";
import { SCHEMA_VERSION } from "./upgrade.ts";

/** A reference under a short name, and what a run of it starts with. Source: config-and-cli 8.2. */
export interface Alias {
  path: string;
  safety?: SafetyMode;
  yolo?: boolean;
  model?: string;
  hide_tool_results?: boolean;
}

/** What hooksh understands of the user's `config.yaml`; hooks are read from `document` where they are needed. */
export interface UserConfig {
  /** Absent when there is no file. */
  document?: Document;
  defaultModel?: string | ModelConfig;
  aliases: Readonly<Record<string, Alias>>;
  providers: Readonly<Record<string, ProviderConfig>>;
  permissions?: PermissionsConfig;
  /** `settings.safety`, else `autonomous` for `settings.YOLO`. */
  safety?: SafetyMode;
  hideToolResults: boolean;
  snapshot: boolean;
  /** One line each: what was skipped. */
  warnings: readonly string[];
}

/** What an alias stands for; undefined for a text that is none. */
export function aliasPath({ aliases }: Pick<UserConfig, "aliases">, text: string): string | undefined {
  return Object.hasOwn(aliases, text) ? aliases[text]?.path : undefined;
}

/** The user's configuration file. */
export function userConfigPath(directories: Pick<Directories, "config">): string {
  return join(directories.config, "config.yaml");
}

/**
 * Loads `config.yaml`; a missing file is an empty one, and keys that mean nothing here are left alone. Throws a
 * {@link ConfigError} for a syntax error, a wrong safety mode and wrong permissions: a rule that is silently dropped is
 * worse. Everything else that is wrong is skipped with a warning.
 *
 * Source: config-and-cli 8.2.
 */
export async function loadUserConfig(directories: Pick<Directories, "config">): Promise<UserConfig> {
  const path = userConfigPath(directories);
  if (isMissing(path)) return { aliases: {}, providers: {}, hideToolResults: false, snapshot: false, warnings: [] };
  const document = await readDocument(path);
  const value = document.value ?? {};
  if (!isObject(value)) throw new ConfigError(`${path}: expected a mapping`);
  const settings = isObject(value["settings"]) ? value["settings"] : {};
  const fatal = new Report();
  const skipped: Problem[] = [];
  const config = {
    ...readDefaultModel(value["default_model"], skipped),
    aliases: readEntries(value["aliases"], ["aliases"], skipped, readAlias),
    providers: readEntries(value["providers"], ["providers"], skipped, readProvider),
    ...readPermissions(settings["permissions"], fatal),
    ...readSafety(settings, ["settings"], fatal.problems),
    hideToolResults: settings["hide_tool_results"] === true,
    snapshot: settings["snapshot"] === true,
  };
  if (value["version"] !== undefined && value["version"] !== "v1") {
    skipped.push({ path: ["version"], message: `unknown version ${JSON.stringify(value["version"])}, read as v1` });
  }
  if (fatal.problems.length > 0) throw new ConfigError(await renderProblems(document, fatal.problems));
  return { document, ...config, warnings: await renderProblems(document, skipped) };
}

function readDefaultModel(value: unknown, skipped: Problem[]): Pick<UserConfig, "defaultModel"> {
  if (value === undefined || value === null || value === "") return {};
  if (typeof value === "string") return { defaultModel: value };
  const defaultModel = readChecked(ModelSchema, value, ["default_model"], skipped);
  return defaultModel === undefined ? {} : { defaultModel };
}

/** Reads what is sound; the problems of an entry skip that entry. */
function readEntries<T>(
  value: unknown,
  path: Path,
  skipped: Problem[],
  read: (entry: unknown, path: Path, skipped: Problem[]) => T | undefined,
): Record<string, T> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    skipped.push({ path, message: "expected a mapping; skipped" });
    return {};
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, entry]): [string, T][] => {
      const found = read(entry, [...path, name], skipped);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

function readProvider(value: unknown, path: Path, skipped: Problem[]): ProviderConfig | undefined {
  return readChecked(ProviderSchema, value, path, skipped);
}

function readChecked<const S extends Schema>(schema: S, value: unknown, path: Path, skipped: Problem[]) {
  const { value: read, problems } = checkSchema(schema, value, path, SCHEMA_VERSION);
  if (problems.length === 0) return read;
  skipped.push(
    ...problems.map((problem) => ({ ...problem, message: `${problem.message}; ${pathText(path)} is skipped` })),
  );
  return undefined;
}

/** What an alias may be called. Source: config-and-cli 8.2. */
export const ALIAS_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

function readAlias(value: unknown, path: Path, skipped: Problem[]): Alias | undefined {
  const entry = typeof value === "string" ? { path: value } : isObject(value) ? value : {};
  const problems: Problem[] = [];
  if (!ALIAS_NAME.test(String(path.at(-1))))
    problems.push({ path, at: "key", message: "expected a name of letters, digits, _ and -" });
  if (typeof entry["path"] !== "string" || entry["path"] === "") problems.push({ path, message: "expected a path" });
  const { safety } = readSafety({ safety: entry["safety"] }, path, problems);
  skipped.push(...problems.map((problem) => ({ ...problem, message: `${problem.message}; the alias is skipped` })));
  if (problems.length > 0) return undefined;
  return {
    path: String(entry["path"]),
    ...(safety === undefined ? {} : { safety }),
    ...(typeof entry["yolo"] === "boolean" ? { yolo: entry["yolo"] } : {}),
    ...(typeof entry["model"] === "string" && entry["model"] !== "" ? { model: entry["model"] } : {}),
    ...(typeof entry["hide_tool_results"] === "boolean" ? { hide_tool_results: entry["hide_tool_results"] } : {}),
  };
}

function readPermissions(value: unknown, fatal: Report): Pick<UserConfig, "permissions"> {
  if (value === undefined || value === null) return {};
  const path = ["settings", "permissions"];
  const { value: permissions, problems } = checkSchema(PermissionsSchema, value, path, SCHEMA_VERSION);
  fatal.problems.push(...problems);
  checkPermissions(permissions, path, fatal);
  return permissions === undefined ? {} : { permissions };
}

/** What is wrong with the safety mode in `settings`. */
export function safetyProblems(settings: Record<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  readSafety(settings, ["settings"], problems);
  return problems;
}

function readSafety(settings: Record<string, unknown>, path: Path, problems: Problem[]): Pick<UserConfig, "safety"> {
  const { safety, YOLO } = settings;
  if (safety === undefined || safety === null || safety === "") return YOLO === true ? { safety: "autonomous" } : {};
  const mode = SAFETY_MODES.find((candidate) => candidate === safety);
  if (mode) return { safety: mode };
  const message = `expected one of ${SAFETY_MODES.join(", ")} but got ${JSON.stringify(safety)}`;
  problems.push({ path: [...path, "safety"], message });
  return {};
}
