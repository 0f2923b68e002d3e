import { findExecutable } from "../platform.ts";
import { type Env, variableName } from "../process-env.ts";

/** How to call a family of shells. */
interface Shell {
  /** Returns the arguments that run a command text. */
  run: (text: string) => string[];
  /**
   * Returns the arguments that run a command text with arguments: `"$@"` in POSIX shells, `$argv` in fish and csh,
   * `$args` in PowerShell. Absent if the shell has nothing like it.
   */
  runWith?: (text: string, args: readonly string[], program: string) => string[];
  /** Returns the reference to an environment variable in a command text. */
  variable: (name: string) => string;
}

const posix: Shell = {
  run: (text) => ["-c", text],
  // The first argument after the text is $0.
  runWith: (text, args, program) => ["-c", text, program, ...args],
  variable: (name) => `\${${name}}`,
};

/** In these, every argument after the text is in `$argv`; none is `$0`. */
const csh: Shell = { ...posix, runWith: (text, args) => ["-c", text, ...args] };

const powershell: Shell = {
  run: (text) => ["-NoProfile", "-NonInteractive", "-Command", text],
  // PowerShell would append further arguments to the text and parse them as code.
  runWith: (text, args) =>
    powershell.run(`& {\n${text}\n} ${args.map((arg) => `'${arg.replaceAll("'", "''")}'`).join(" ")}`),
  variable: (name) => `\${env:${name}}`,
};

/** By program name. Any other shell counts as a POSIX shell. */
const SHELLS: Readonly<Record<string, Shell>> = {
  fish: { ...csh, variable: (name) => `$${name}` },
  csh,
  tcsh: csh,
  pwsh: powershell,
  powershell,
  cmd: { run: (text) => ["/C", text], variable: (name) => `%${name}%` },
};

/**
 * Returns the program and arguments that run a command text in the platform's shell: `$SHELL -c` or `/bin/sh -c` on
 * Unix, PowerShell or `cmd.exe` on Windows. `args` become the arguments of the command text; throws if the shell does
 * not support them.
 */
export function shellCommand(text: string, env: Env, args: readonly string[] = []): string[] {
  const program = shellProgram(env);
  const shell = shellOf(program);
  if (args.length === 0) return [program, ...shell.run(text)];
  if (!shell.runWith) throw new Error(`args cannot be passed to a command through ${program}: install PowerShell`);
  return [program, ...shell.runWith(text, args, program)];
}

/**
 * Returns the reference to an environment variable in the syntax of the platform's shell: `${NAME}` in a POSIX shell.
 */
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
  const file = program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1).toLowerCase();
  const name = file.endsWith(".exe") ? file.slice(0, -".exe".length) : file;
  return Object.hasOwn(SHELLS, name) ? (SHELLS[name] ?? posix) : posix;
}

/** Shells with the same separators, quotes and redirections. */
const POSIX_SYNTAX = /^(?:(?:ba|da|z|k|mk|lk|pdk|ya|a|fi|rba)?sh|ksh93|busybox|toybox)$/;

/** True if {@link shellCommand} uses a shell that reads simple command lines as sh does. */
export function hasPosixSyntax(env: Env): boolean {
  return process.platform !== "win32" && POSIX_SYNTAX.test((shellCommand("", env)[0] ?? "").split("/").at(-1) ?? "");
}
