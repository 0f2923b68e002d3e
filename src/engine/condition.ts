import { partsOfCondition } from "../config/hooks/hook-filter.ts";
import type { HostCall } from "../dialects/dialect.ts";
import { matchesGlob } from "../lib/files/glob.ts";
import { isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { mayRun } from "../shell/command-pattern.ts";

/**
 * True if a tool call fits the condition of a hook (`if`). A pattern on the command of a shell fits if the shell may run a
 * command that it covers, as `permissions.deny` judges it. In doubt the hook runs: if the argument is absent or no text.
 */
export function fitsCondition(condition: string, payload: Payload, host: HostCall | undefined): boolean {
  const { tool_name: name, tool_qualified_name: qualified, tool_input: input } = payload;
  const names = [name, qualified, ...(host?.tool?.names ?? [])].filter((each) => typeof each === "string");
  const { tool, patterns } = partsOfCondition(condition);
  if (!names.some((each) => matchesGlob(tool, each))) return false;
  return patterns.every(({ argument, glob }) => {
    const value = isObject(input) ? input[argument] : undefined;
    if (typeof value !== "string") return true;
    // `git push *` is also about `git push` alone.
    return matchesGlob(glob, value) || (argument === "cmd" && mayRun(value, [glob, glob.replace(/ \*$/, "")]));
  });
}
