import type { Env } from "../../lib/env.ts";
import { isObject } from "../../lib/json.ts";
import { expandToolsetEnv } from "../expansion/expand.ts";
import { expandWorkingDir } from "../expansion/expand-variables.ts";
import type { ToolsetConfig } from "./toolset-schema.ts";

/** The working directory and variables for expanding a toolset entry. */
export interface ToolsetScope {
  workingDir: string;
  env: Env;
  lookup: (name: string) => string | undefined;
  /** Called for a directory that is empty after expansion. */
  warn: (message: string) => void;
}

/** Expands variables in `env`, `working_dir`, also of scripts, and `path`. `missing` lists the variables of `env` that are not set. */
export function expandToolset(entry: ToolsetConfig, { workingDir, env, lookup, warn }: ToolsetScope) {
  const expanded: ToolsetConfig = { ...entry };
  const variables = isTexts(entry["env"]) ? expandToolsetEnv(entry["env"], lookup) : undefined;
  if (variables) expanded["env"] = variables.env;
  const directory = (value: string) => expandWorkingDir(value, workingDir, env, warn);
  for (const key of ["working_dir", "path"]) {
    const value = entry[key];
    if (typeof value === "string") expanded[key] = directory(value);
  }
  if (isObject(entry["shell"])) {
    const scripts = Object.entries(entry["shell"]);
    expanded["shell"] = Object.fromEntries(scripts.map(([name, script]) => [name, inDirectory(script, directory)]));
  }
  return { entry: expanded, missing: variables?.missing ?? [] };
}

function inDirectory(script: unknown, directory: (value: string) => string): unknown {
  if (!isObject(script) || typeof script["working_dir"] !== "string") return script;
  return { ...script, working_dir: directory(script["working_dir"]) };
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((inner) => typeof inner === "string");
}
