import { isObject } from "../../lib/json.ts";
import { singleQuoted } from "../../shell/quote-word.ts";

/** The command of a hook for hooksh, and the losses. */
export interface HookCommand {
  command: string;
  args: string[];
  /** The text or program that tells where a script is: without the shell that is put in front. */
  text: string;
  losses: string[];
}

/** Runs its arguments, which no shell expands. */
const EXEC_ARGUMENTS = 'exec "$@"';

/** The keys that hold the command of one system, first choice first. */
const SYSTEM_KEYS: Readonly<Record<string, readonly string[]>> = {
  win32: ["windows", "powershell", "commandWindows", "command_windows"],
  darwin: ["osx", "bash"],
  linux: ["linux", "bash"],
};

/** Every key that {@link commandOf} reads. */
export const COMMAND_KEYS: readonly string[] = [
  "command",
  "exec",
  "args",
  "shell",
  ...new Set(Object.values(SYSTEM_KEYS).flat()),
];

/** The words that start a shell, before the text of a command for that shell. */
const SHELLS: Readonly<Record<string, readonly string[]>> = {
  bash: ["bash", "-c"],
  powershell: ["pwsh", "-NoProfile", "-NonInteractive", "-Command"],
};

/** Returns the command of a hook for this system, or why there is none. */
export function commandOf(
  entry: Readonly<Record<string, unknown>>,
  platform: string,
): HookCommand | { problem: string } {
  const keys = [...(SYSTEM_KEYS[platform] ?? ["bash"]), "command", "exec"];
  const given = [...new Set([...keys, ...COMMAND_KEYS])].filter(
    (key) => key !== "args" && key !== "shell" && typeof entry[key] === "string" && entry[key] !== "",
  );
  const key = keys.find((name) => given.includes(name));
  if (key === undefined) {
    const others = given.join(", ");
    return { problem: given.length === 0 ? "it has no command" : `its command is for other systems only: ${others}` };
  }
  const text = String(entry[key]);
  const losses = given
    .filter((name) => name !== key && entry[name] !== text)
    .map((name) => `${name} is not kept: hooksh has one command for all systems`);
  const { args } = entry;
  if (Array.isArray(args) && args.every((arg) => typeof arg === "string"))
    return fromWords([text, ...args], text, losses);
  if (args !== undefined && args !== null) return { problem: "args is not a list of texts" };
  const shell = entry["shell"];
  if (shell === undefined || shell === null) return { command: text, args: [], text, losses };
  const words = typeof shell === "string" && Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  return words ? fromWords([...words, text], text, losses) : { problem: `shell ${JSON.stringify(shell)} is unknown` };
}

/** A placeholder that the host itself replaces; a shell does the same with it in double quotes. */
const PLACEHOLDER = /\$\{[A-Z][A-Z0-9_]*\}/;

function fromWords(words: readonly string[], text: string, losses: string[]): HookCommand {
  if (!words.some((word) => PLACEHOLDER.test(word))) return { command: EXEC_ARGUMENTS, args: [...words], text, losses };
  return { command: words.map(quoted).join(" "), args: [], text, losses };
}

function quoted(word: string): string {
  if (!PLACEHOLDER.test(word)) return singleQuoted(word);
  return `"${word.replace(/[\\"`]|\$(?!\{[A-Z][A-Z0-9_]*\})/g, "\\$&")}"`;
}

/** Returns the keys of a host's entry for a command that {@link commandOf} returned: its inverse. */
export function commandEntry(command: string, args: readonly string[]): Record<string, unknown> {
  if (command !== EXEC_ARGUMENTS || args.length === 0) return { command };
  for (const [shell, words] of Object.entries(SHELLS)) {
    const text = args[words.length];
    if (args.length === words.length + 1 && words.every((word, index) => args[index] === word))
      return { command: text, shell };
  }
  const [program, ...rest] = args;
  return { command: program, args: rest };
}

/** Merges the keys of an `action` into the entry, where the host nests the command. */
export function flatEntry(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { action, ...rest } = entry;
  return isObject(action) ? { ...rest, ...action } : entry;
}
