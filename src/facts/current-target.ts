import { delimiter, join, resolve } from "node:path";
import type { Env } from "../lib/env.ts";
import { readUserFileSync } from "../lib/files/read-file.ts";
import { isObject } from "../lib/json.ts";
import { parseYaml } from "../lib/platform.ts";

/** Larger files of settings are not read. */
const LIMIT = 4 * 1024 * 1024;

/** Where programs look for their settings. */
export interface TargetPlace {
  cwd: string;
  home: string;
  env: Env;
}

/**
 * The target that a program uses if no option names one, as its own settings say: the context of a cluster, the profile of a
 * cloud, the workspace. Undefined if they name none.
 */
export function currentTarget(program: string, place: TargetPlace): string | undefined {
  return Object.hasOwn(SETTINGS, program) ? SETTINGS[program]?.(place) : undefined;
}

const SETTINGS: Readonly<Record<string, (place: TargetPlace) => string | undefined>> = {
  kubectl: kubeContext,
  helm: kubeContext,
  aws: ({ env }) => env["AWS_PROFILE"] || env["AWS_DEFAULT_PROFILE"] || undefined,
  terraform: workspace,
  tofu: workspace,
  terragrunt: workspace,
};

/** Of several files the first that names a context counts. */
function kubeContext({ cwd, home, env }: TargetPlace): string | undefined {
  const given = (env["KUBECONFIG"] ?? "").split(delimiter).filter(Boolean);
  const files = given.length > 0 ? given : [join(home, ".kube", "config")];
  for (const file of files) {
    const context = contextIn(textOf(resolve(cwd, file)));
    if (context !== undefined) return context;
  }
  return undefined;
}

function contextIn(text: string | undefined): string | undefined {
  if (!text?.includes("current-context")) return undefined;
  try {
    const config = parseYaml(text);
    const context = isObject(config) ? config["current-context"] : undefined;
    return typeof context === "string" && context !== "" ? context : undefined;
  } catch {
    return undefined; // the program cannot read it either
  }
}

function workspace({ cwd, env }: TargetPlace): string | undefined {
  const data = resolve(cwd, env["TF_DATA_DIR"] || ".terraform");
  return env["TF_WORKSPACE"] || textOf(join(data, "environment"))?.trim() || undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readUserFileSync(path, { limit: LIMIT }).toString("utf8");
  } catch {
    return undefined; // missing, or not to be read
  }
}
