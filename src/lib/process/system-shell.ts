import { basename } from "node:path";
import { type Env, variableName } from "../env.ts";
import { findExecutable } from "../platform.ts";

/** How one family of shells is called. */
interface Shell {
  /** The arguments that run a command text. */
  run: (text: string) => string[];
  /**
   * The arguments that run a command text with arguments of its own: `"$@"` in POSIX shells, `$argv` in fish and csh,
   * `$args` in PowerShell. Absent where a shell has no such thing.
   */
  runWith?: (text: string, args: readonly string[], program: string) => string[];
  /** How a command text refers to an environment variable. */
  variable: (name: string) => string;
}

const posix: Shell = {
  run: (text) => ["-c", text],
  // The first argument behind the text is $0.
  runWith: (text, args, program) => ["-c", text, program, ...args],
  variable: (name) => `\${${name}}`,
};

/** These take every argument behind the text for `$argv`, and have no name before it. */
const csh: Shell = { ...posix, runWith: (text, args) => ["-c", text, ...args] };

const powershell: Shell = {
  run: (text) => ["-NoProfile", "-NonInteractive", "-Command", text],
  // PowerShell would join further arguments with the text and parse them as code.
  runWith: (text, args) =>
    powershell.run(`& {\n${text}\n} ${args.map((arg) => `'${arg.replaceAll("'", "''")}'`).join(" ")}`),
  variable: (name) => `\${env:${name}}`,
};

/** By the program's name; every other shell counts as a POSIX one. */
const SHELLS: Readonly<Record<string, Shell>> = {
  fish: { ...csh, variable: (name) => `$${name}` },
  csh,
  tcsh: csh,
  pwsh: powershell,
  powershell,
  cmd: { run: (text) => ["/C", text], variable: (name) => `%${name}%` },
};

/**
 * The program and arguments that run a command text through the platform's shell: `$SHELL -c` on Unix, `/bin/sh -c`
 * without it; PowerShell, else `cmd.exe`, on Windows. `args` become the arguments of the text itself; throws where the
 * shell cannot take any.
 */
export function shellCommand(text: string, env: Env, args: readonly string[] = []): string[] {
  const program = shellProgram(env);
  const shell = shellOf(program);
  if (args.length === 0) return [program, ...shell.run(text)];
  if (!shell.runWith) throw new Error(`args cannot be passed to a command through ${program}: install PowerShell`);
  return [program, ...shell.runWith(text, args, program)];
}

/** How a command text for the platform's shell refers to an environment variable: `${NAME}` in a POSIX shell. */
export function shellVariable(name: string, env: Env): string {
  return shellOf(shellProgram(env)).variable(name);
}

function shellProgram(env: Env): string {
  if (process.platform !== "win32") return env["SHELL"] || "/bin/sh";
  return (
    findExecutable("pwsh") ??
    findExecutable("powershell") ??
    (env[variableName(env, "ComSpec")] || "C:\\Windows\\System32\\cmd.exe")
  );
}

function shellOf(program: string): Shell {
  const name = (program.split(/[/\\]/).at(-1) ?? "").toLowerCase().replace(/\.exe$/, "");
  return Object.hasOwn(SHELLS, name) ? (SHELLS[name] ?? posix) : posix;
}

/** Shells that agree on separators, quotes and redirections. */
const POSIX_SYNTAX = /^(?:(?:ba|da|z|k|mk|lk|pdk|ya|a|fi|rba)?sh|ksh93|busybox|toybox)$/;

/** True if {@link shellCommand} runs its text with a shell whose syntax is that of sh, as far as a line of commands goes. */
export function hasPosixSyntax(env: Env): boolean {
  return process.platform !== "win32" && POSIX_SYNTAX.test(basename(shellCommand("", env)[0] ?? ""));
}
