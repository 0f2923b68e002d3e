import { resolve } from "node:path";
import { type Env, homeDirectory } from "../../lib/env.ts";

const ANY_VARIABLE = /\$\{\s*(?:env\.)?([A-Za-z_][A-Za-z0-9_]*)\s*\}|\$([A-Za-z_][A-Za-z0-9_]*)/g;

/**
 * Expands `~`, `$VAR`, `${VAR}` and `${env.VAR}` in a configured directory, and resolves relative paths against `base`.
 * Returns `base` for an empty value, and warns if the value is empty only after expansion.
 */
export function expandWorkingDir(configured: string, base: string, env: Env, warn: (message: string) => void): string {
  if (configured === "") return base;
  const home = homeDirectory(env);
  const tilde = configured === "~" ? home : configured.startsWith("~/") ? home + configured.slice(1) : configured;
  const expanded = tilde.replace(
    ANY_VARIABLE,
    (_all, braced: string | undefined, plain: string | undefined) => env[braced ?? plain ?? ""] ?? "",
  );
  if (expanded === "") {
    warn(`working_dir ${JSON.stringify(configured)} is empty after expansion: using ${base}`);
    return base;
  }
  return resolve(base, expanded);
}

const BRACED_ENV = /\$\{\s*env\.([A-Za-z_][A-Za-z0-9_]*)\s*\}/g;

/** Replaces `${env.VAR}` in the `env` values of a hook with variables of the process. Any other `$` stays. */
export function expandEnv(configured: Readonly<Record<string, string>>, env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(configured).map(([name, value]) => [
      name,
      value.replace(BRACED_ENV, (_all, variable: string) => env[variable] ?? ""),
    ]),
  );
}
