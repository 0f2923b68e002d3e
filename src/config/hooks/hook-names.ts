import { basename } from "node:path";
import { displayName, type HookDefinition } from "./read-hooks.ts";

/**
 * Returns the names by which tests and flags may refer to a hook: its display name, and the file name of the script that
 * its command starts with, such as `guard.sh` for `./hooks/guard.sh --strict`.
 */
export function hookNames(hook: HookDefinition): readonly string[] {
  const [program = ""] = hook.command.trim().split(/\s+/);
  const file = hook.type === "model" ? "" : basename(program.replace(/^(["'])(.*)\1$/, "$2"));
  return [...new Set([displayName(hook), file])].filter((name) => name !== "");
}
