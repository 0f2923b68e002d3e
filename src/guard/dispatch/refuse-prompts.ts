import { displayName, type HookEntry } from "../../config/hooks/read-hooks.ts";
import type { DecodedTool } from "../../dialects/dialect.ts";
import type { Executor } from "../../engine/executor.ts";
import type { Help } from "../../lib/errors.ts";
import { promptOf } from "../../shell/prompts.ts";

const SHELL_REFUSED_ON_CODEX: Help = {
  cause:
    "The command starts a program that reads commands from a terminal. Codex runs no hook for what the model types into it (`write_stdin`), so hooksh refuses such programs while a hook on `pre_tool_use` or `tool_guard` matches the shell.",
  cure: "The model can run each command in a call of its own. A shell that the user needs belongs into another terminal.",
};

/** Builtins that judge no command. */
const NO_GUARDS: readonly string[] = ["guards_stay", "redact_secrets", "unknown_tools"];

/**
 * Returns why a call of the shell is refused although no hook objects: it starts a program that reads commands from its
 * terminal, the host runs no hook for what is typed there, and a guard of commands is active. Else undefined.
 */
export function promptRefusal({ input: { cmd, tty }, names }: DecodedTool, executor: Executor): string | undefined {
  const program = typeof cmd === "string" ? promptOf(cmd) : undefined;
  if (program === undefined && tty !== true) return undefined;
  const guard = executor.hooks.find(({ entry, matches }) => isGuard(entry) && matches(names))?.entry;
  if (guard === undefined) return undefined;
  const started =
    program === undefined ? "this command gets a terminal" : `${program} would read commands from a terminal`;
  return `${started}, and this agent asks no hook about what is typed there, so the guard ${displayName(guard.hook)} could not judge it: run each command in a call of its own`;
}

promptRefusal.help = SHELL_REFUSED_ON_CODEX;

function isGuard({ event, hook, implicit }: HookEntry): boolean {
  return (
    (event === "pre_tool_use" || event === "tool_guard") &&
    !implicit &&
    hook.mode !== "observe" &&
    !(hook.type === "builtin" && NO_GUARDS.includes(hook.command))
  );
}
