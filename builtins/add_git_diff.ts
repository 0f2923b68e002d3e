import { readGitText } from "../src/lib/process/git.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";

const SAFE = ["diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--submodule=short"];

/** Adds the statistics of the working-tree diff, or with the argument `full` the diff itself. */
export const run = defineBuiltin(async (input, [form], { env, signal, log }) => {
  if (input.cwd === "") return undefined;
  const full = form === "full";
  const args = full ? SAFE : [...SAFE, "--stat"];
  const result = await readGitText({ args, cwd: input.cwd, env, signal });
  if (result.kind === "failed") {
    log("debug", `add_git_diff: ${result.reason}`);
    return undefined;
  }
  if (result.output === "") return undefined;
  const title = full ? "Current working-tree diff:" : "Current working-tree diff (stat):";
  return contextOutput(input.hook_event_name, `${title}\n\n${result.output}`);
});
