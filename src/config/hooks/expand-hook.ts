import type { Env } from "../../lib/env.ts";
import { shellVariable } from "../../lib/process/system-shell.ts";
import type { HookDefinition } from "./read-hooks.ts";

/** Names the folder of the file that declares a hook, in the hook's environment. */
export const HOOK_DIR_VARIABLE = "HOOKSH_HOOK_DIR";

const HOOK_DIR = /\$\{\s*hook_dir\s*\}/g;

/**
 * A hook with `${hook_dir}` replaced in `command` and `args` by the folder of the file that declares it; `working_dir` is
 * left to `expandWorkingDir`. In the text of a shell command it becomes a reference to the environment variable: the folder's name is never parsed
 * as shell code. Throws if no file declares the hook.
 */
export function expandHookDir<H extends HookDefinition>(hook: H, directory: string | undefined, env: Env): H {
  const { command, working_dir, args, type } = hook;
  if (![command, working_dir, ...args].some((text) => text.search(HOOK_DIR) >= 0)) return hook;
  if (directory === undefined) throw new Error("${hook_dir} has no value: no file of this machine declares the hook");
  const replaced = (text: string, by = directory) => text.replace(HOOK_DIR, () => by);
  return {
    ...hook,
    command: replaced(command, type === "command" ? shellVariable(HOOK_DIR_VARIABLE, env) : directory),
    args: args.map((arg) => replaced(arg)),
  };
}

const BRACED_ENV = /\$\{\s*env\.([A-Za-z_][A-Za-z0-9_]*)\s*\}/g;

/** A hook's `env` values with `${env.VAR}` taken from the process environment; every other `$` stays. */
export function expandEnv(configured: Readonly<Record<string, string>>, env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(configured).map(([name, value]) => [
      name,
      value.replace(BRACED_ENV, (_all, variable: string) => env[variable] ?? ""),
    ]),
  );
}
