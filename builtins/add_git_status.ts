import { readGitText } from "../src/lib/process/git.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";

/** Adds the branch and the changed files. */
export const run = defineBuiltin(async (input, _args, { env, signal, log }) => {
  if (input.cwd === "") return undefined;
  // A submodule's own state is left out: finding it would run git under that repository's configuration.
  const args = ["status", "--short", "--branch", "--ignore-submodules=dirty"];
  const result = await readGitText({ args, cwd: input.cwd, env, signal });
  if (result.kind === "failed") {
    log("debug", `add_git_status: ${result.reason}`);
    return undefined;
  }
  return result.output === ""
    ? undefined
    : contextOutput(input.hook_event_name, `Current git status:\n\n${result.output}`);
});
