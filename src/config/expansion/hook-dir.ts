import { shellVariable } from "../../lib/process/system-shell.ts";
import type { Env } from "../../lib/process-env.ts";

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
  if (!usesHookDir([command, working_dir, ...args])) return hook;
  if (directory === undefined) throw new Error("${hook_dir} has no value, because no local file declares the hook");
  const replaced = (text: string, by = directory) => text.replace(HOOK_DIR, () => by);
  return {
    ...hook,
    command: replaced(command, type === "command" ? shellVariable(HOOK_DIR_VARIABLE, env) : directory),
    args: args.map((arg) => replaced(arg)),
  };
}

function usesHookDir(texts: readonly string[]): boolean {
  for (const text of texts) if (text.includes("hook_dir") && text.search(HOOK_DIR) >= 0) return true;
  return false;
}

/** The environment with the folder of the hook's file, without that of an outer hook that runs hooksh itself. */
export function withHookDir(env: Env, directory: string | undefined): Env {
  if (directory !== undefined) return { ...env, [HOOK_DIR_VARIABLE]: directory };
  if (env[HOOK_DIR_VARIABLE] === undefined) return env;
  const { [HOOK_DIR_VARIABLE]: _outer, ...rest } = env;
  return rest;
}
