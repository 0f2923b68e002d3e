import { resolve } from "node:path";
import { homeDirectory, variableName } from "../../lib/env.ts";
import { findExecutable } from "../../lib/platform.ts";
import { startProblem } from "../../lib/process/start-problem.ts";
import { type HandlerEnvironment, PROGRAM_OF_A_HOOK_FAILED } from "../handler.ts";

/** Advice for a command that its shell could not start. Empty if there is none. */
export function exitHint(
  command: string,
  stderr: string,
  { workingDir, env }: Pick<HandlerEnvironment, "workingDir" | "env">,
): { hint?: string } {
  if (stderr.includes("${HOOKSH_HOOK_DIR}"))
    return { hint: "${hook_dir} is not expanded inside single quotes: use double quotes" };
  const word = firstWord(command, env);
  // The shell names the program that it could not start, which may be another word of the command.
  if (word === undefined || !stderr.includes(word)) return {};
  const hint = /[/\\]/.test(word) ? fileHint(resolve(workingDir, word), word, workingDir) : nameHint(word, env);
  return hint === undefined ? {} : { hint };
}

/** The program at the start of a command, after any assignments; undefined if only a shell could tell. */
function firstWord(command: string, env: HandlerEnvironment["env"]): string | undefined {
  const words = /^\s*(?:[A-Za-z_]\w*=[^\s"'$`]*\s+)*("[^"`]*"|'[^']*'|[^\s"'`|&;<>()]+)/.exec(command);
  const quoted = words?.[1] ?? "";
  const bare = quoted.replace(/^["']|["']$/g, "");
  const expanded = quoted.startsWith("'")
    ? bare
    : bare.replace(/\$\{(\w+)\}|\$(\w+)/g, (_all, braced?: string, plain?: string) => env[braced ?? plain ?? ""] ?? "");
  const word = expanded.startsWith("~/") ? homeDirectory(env) + expanded.slice(1) : expanded;
  return word === "" || word.includes("$") ? undefined : word;
}

function nameHint(name: string, env: HandlerEnvironment["env"]): string | undefined {
  const isFound = findExecutable(name, env[variableName(env, "PATH")] ?? "") !== undefined;
  return isFound ? undefined : `no program ${JSON.stringify(name)} on the PATH: install it, or write its path`;
}

nameHint.help = PROGRAM_OF_A_HOOK_FAILED;

function fileHint(path: string, word: string, workingDir: string): string | undefined {
  const problem = startProblem(path);
  if (!problem) return undefined;
  const isRelative = problem.kind === "missing" && path !== word;
  const begins = isRelative
    ? ` (relative paths begin in ${workingDir}; \${hook_dir} is the folder of the file that declares the hook)`
    : "";
  return `${path}: ${problem.text}${begins}`;
}
