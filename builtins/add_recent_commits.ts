import { readGitText } from "../src/lib/process/git.ts";
import { parseInteger } from "../src/lib/text/integer.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";

const DEFAULT_COUNT = 10;

/** Adds the last commits, one line each. */
export const run = defineBuiltin(async (input, [limit], { env, signal, log }) => {
  if (input.cwd === "") return undefined;
  const count = parseInteger(limit) ?? 0;
  const shown = count > 0 && Number.isSafeInteger(count) ? count : DEFAULT_COUNT;
  const args = [
    "log",
    "--oneline",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "-n",
    String(Math.min(shown, 10_000)),
  ];
  const result = await readGitText({ args, cwd: input.cwd, env, signal });
  if (result.kind === "failed") {
    log("debug", `add_recent_commits: ${result.reason}`);
    return undefined;
  }
  return result.output === "" ? undefined : contextOutput(input.hook_event_name, `Recent commits:\n\n${result.output}`);
});
