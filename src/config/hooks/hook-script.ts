import { basename, join, resolve } from "node:path";
import { type Env, homeDirectory, variableName } from "../../lib/env.ts";
import { findExecutable } from "../../lib/platform.ts";
import { startProblem } from "../../lib/process/start-problem.ts";
import { expandWorkingDir } from "../expansion/expand-variables.ts";
import { HOOK_DIR_VARIABLE } from "../expansion/hook-dir.ts";
import { type HookEntry, isHookFile } from "./read-hooks.ts";

/** The file that a hook runs. */
export interface HookScript {
  /** The path as written in the command. */
  written: string;
  /** The absolute path. For a bare name, its path in the hook's working directory. */
  path: string;
  /** The hook's working directory, absolute. */
  base: string;
  /**
   * `path`: the shell runs the file, which must be executable. `name`: the shell finds it in `PATH`. `argument`: an
   * interpreter reads it. `module`: hooksh loads it.
   */
  start: "path" | "name" | "argument" | "module";
  isRelative: boolean;
}

/** The working directory and the environment that hooks start from. */
export interface HookEnvironment {
  /** Absolute. */
  workingDir: string;
  env: Env;
}

/** Programs whose first argument is a script, with the flags that may precede it. */
const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(["sh", "bash", "dash", "zsh", "ksh"].map((name) => [name, /^-[eux]+$/])),
  ...Object.fromEntries(["python", "python3"].map((name) => [name, /^-[uBEsSIO]+$/])),
  ...Object.fromEntries(["node", "bun", "ruby", "perl", "php"].map((name) => [name, /^(?!)/])),
};

/** Words that run the rest of the command line. */
const WRAPPERS = ["exec", "command", "nohup", "time", "env", "/usr/bin/env"];

const SCRIPT_ENDING = /\.(?:sh|bash|zsh|py|rb|pl|php|[cm]?[jt]s)$/;

/** A word of a shell command whose value is known: it depends on nothing but `${hook_dir}`. */
const WORD = new RegExp(
  [
    "\\s*((?:",
    [
      "[^\\s\"'\\\\$`;&|<>(){}*?\\[\\]#!]",
      "\\$\\{\\s*hook_dir\\s*\\}",
      `\\$(?:${HOOK_DIR_VARIABLE}\\b|\\{${HOOK_DIR_VARIABLE}\\})`,
      `"(?:[^"$\`\\\\]|\\$\\{\\s*hook_dir\\s*\\}|\\$(?:${HOOK_DIR_VARIABLE}\\b|\\{${HOOK_DIR_VARIABLE}\\}))*"`,
      "'(?:(?!\\$\\{\\s*hook_dir)[^'])*'",
    ].join("|"),
    ")+)(?=[\\s;&|<>)]|$)",
  ].join(""),
  "y",
);

const HOOK_DIR = new RegExp(`\\$\\{\\s*hook_dir\\s*\\}|\\$(?:${HOOK_DIR_VARIABLE}\\b|\\{${HOOK_DIR_VARIABLE}\\})`, "g");

/** A command with `${hook_dir}` in single quotes, where the shell does not expand it. */
const QUOTED_HOOK_DIR = /^(?:[^"'\\]|"[^"\\]*"|'[^']*')*?'[^']*\$\{\s*hook_dir\s*\}/;

/** True if the shell certainly does not expand `${hook_dir}` in the command of a hook. */
export function hasQuotedHookDir({ hook: { type, command } }: HookEntry): boolean {
  return type === "command" && process.platform !== "win32" && QUOTED_HOOK_DIR.test(command);
}

/** Returns the file that a hook runs; undefined if only a shell could tell. */
export function scriptOfHook(
  { hook, directory }: HookEntry,
  { workingDir, env }: HookEnvironment,
): HookScript | undefined {
  const expand = (text: string) => (directory === undefined ? text : text.replace(HOOK_DIR, () => directory));
  const base = expandWorkingDir(expand(hook.working_dir), workingDir, env, () => {});
  const make = (written: string, start: HookScript["start"]): HookScript | undefined => {
    const text = expand(written);
    if (text.includes("$") || /^~(?!\/)/.test(text)) return undefined;
    const path = text.startsWith("~/") ? join(homeDirectory(env), text.slice(2)) : resolve(base, text);
    return { written, path, base, start, isRelative: !text.startsWith("~/") && resolve("/", text) !== text };
  };
  if (hook.type === "builtin") return isHookFile(hook.command) ? make(hook.command, "module") : undefined;
  if (hook.type !== "command" || process.platform === "win32") return undefined;
  const [first, ...others] = commandWords(hook.command);
  if (first === undefined) return undefined;
  const program = basename(first);
  const flags = Object.hasOwn(INTERPRETERS, program) ? INTERPRETERS[program] : undefined;
  if (flags) {
    const script = others.find((word) => !flags.test(word));
    return script === undefined || script.startsWith("-") || (program === "bun" && script === "run")
      ? undefined
      : make(script, "argument");
  }
  if (first.includes("/")) return make(first, "path");
  return SCRIPT_ENDING.test(first) ? make(first, "name") : undefined;
}

/** The problems that matter for a file that an interpreter or hooksh reads: such a file need not be executable. */
const READ_PROBLEMS = { argument: ["missing", "directory", "carriage_return"], module: ["missing", "directory"] };

/** Says why a script cannot run; undefined if no problem is known. */
export function scriptProblem({ written, path, start }: HookScript, env: Env): string | undefined {
  const quoted = JSON.stringify(written);
  if (start === "name") {
    if (findExecutable(written, env[variableName(env, "PATH")] ?? "")) return undefined;
    return `${quoted} is not in PATH; write a path with a slash, such as "\${hook_dir}/${written}"`;
  }
  const problem = startProblem(path);
  if (!problem || (start !== "path" && !READ_PROBLEMS[start].includes(problem.kind))) return undefined;
  const place = problem.text.endsWith(path) ? "" : `: ${path}`;
  return `${quoted}: ${problem.text}${place}`;
}

/** Returns the leading words of a command whose values are known, without assignments and {@link WRAPPERS}. */
function commandWords(command: string): string[] {
  const words: string[] = [];
  WORD.lastIndex = 0;
  for (let match = WORD.exec(command); match; match = WORD.exec(command)) words.push(unquote(match[1] ?? ""));
  const start = words.findIndex((word) => !WRAPPERS.includes(word) && !/^[A-Za-z_]\w*=/.test(word));
  return start < 0 ? [] : words.slice(start);
}

function unquote(word: string): string {
  return word.replace(
    /"([^"]*)"|'([^']*)'/g,
    (_all, double: string | undefined, single: string | undefined) => double ?? single ?? "",
  );
}
