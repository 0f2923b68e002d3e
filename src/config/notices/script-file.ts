import { type Env, variableName } from "../../lib/env.ts";
import { startProblem } from "../../lib/process/start-problem.ts";
import type { HookScript } from "./hook-script.ts";

/** What is wrong with a file that an interpreter or hooksh itself reads: it need not be executable. */
const READ_PROBLEMS = { argument: ["missing", "directory", "carriage_return"], module: ["missing", "directory"] };

/** Why a script cannot run as its hook has it; undefined if nothing is known to be wrong. */
export function scriptProblem({ written, path, start }: HookScript, env: Env): string | undefined {
  const shown = JSON.stringify(written);
  if (start === "name") {
    if (Bun.which(written, { PATH: env[variableName(env, "PATH")] ?? "" })) return undefined;
    return `${shown} is not in PATH: write a path with a slash, such as "\${hook_dir}/${written}"`;
  }
  const problem = startProblem(path);
  if (!problem || (start !== "path" && !READ_PROBLEMS[start].includes(problem.kind))) return undefined;
  const place = problem.text.endsWith(path) ? "" : `: ${path}`;
  return `${shown}: ${problem.text}${place}`;
}
