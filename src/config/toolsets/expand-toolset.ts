import type { Env } from "../../lib/env.ts";
import { isObject } from "../../lib/json.ts";
import { expandToolsetEnv } from "../expansion/expand.ts";
import { expandWorkingDir } from "../expansion/expand-working-dir.ts";
import type { ToolsetConfig } from "./toolset-schema.ts";

/** Where the variables of a toolset entry are looked up. */
export interface ToolsetScope {
  workingDir: string;
  env: Env;
  lookup: (name: string) => string | undefined;
  /** Called for a directory that is empty after its variables were expanded. */
  warn: (message: string) => void;
}

/** An entry with the variables of its `env`, `working_dir` and `path` expanded, and the variables of `env` that are not set. */
export function expandToolset(entry: ToolsetConfig, { workingDir, env, lookup, warn }: ToolsetScope) {
  const expanded: ToolsetConfig = { ...entry };
  const variables = isTexts(entry["env"]) ? expandToolsetEnv(entry["env"], lookup) : undefined;
  if (variables) expanded["env"] = variables.env;
  for (const key of ["working_dir", "path"]) {
    const value = entry[key];
    if (typeof value === "string") expanded[key] = expandWorkingDir(value, workingDir, env, warn);
  }
  return { entry: expanded, missing: variables?.missing ?? [] };
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((inner) => typeof inner === "string");
}
