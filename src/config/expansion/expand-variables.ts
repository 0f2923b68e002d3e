import { resolve } from "node:path";
import { type Env, homeDirectory } from "../../lib/env.ts";
import { shellVariable } from "../../lib/process/system-shell.ts";

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

/** The variable that names the folder of the declaring file in the environment of a hook. */
export const HOOK_DIR_VARIABLE = "HOOKSH_HOOK_DIR";

const HOOK_DIR = /\$\{\s*hook_dir\s*\}/g;

/** The part of a hook in which `${hook_dir}` may occur. */
interface HookTexts {
  type: string;
  command: string;
  args: readonly string[];
  working_dir: string;
}

/**
 * Replaces `${hook_dir}` in `command` and `args` with the folder of the file that declares the hook. In a shell
 * command it becomes a reference to {@link HOOK_DIR_VARIABLE}, so that the shell never parses the folder's name as
 * code. Throws if the hook uses `${hook_dir}` and no file declares it.
 */
export function expandHookDir<H extends HookTexts>(hook: H, directory: string | undefined, env: Env): H {
  const { command, working_dir, args, type } = hook;
  if (![command, working_dir, ...args].some((text) => text.search(HOOK_DIR) >= 0)) return hook;
  if (directory === undefined) throw new Error("${hook_dir} has no value, because no local file declares the hook");
  const replaced = (text: string, by = directory) => text.replace(HOOK_DIR, () => by);
  return {
    ...hook,
    command: replaced(command, type === "command" ? shellVariable(HOOK_DIR_VARIABLE, env) : directory),
    args: args.map((arg) => replaced(arg)),
  };
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
