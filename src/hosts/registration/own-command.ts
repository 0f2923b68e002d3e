import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Dialect } from "../../dialects/dialect.ts";
import type { HostFiles } from "../../dialects/host-file.ts";
import { findExecutable, isStandalone } from "../../lib/platform.ts";
import { formatDuration } from "../../lib/text/duration.ts";
import { quoteWord } from "../../shell/quote-word.ts";
import { guardWords, type Refusal, readGuardWords, refusalFor } from "./guarded-line.ts";
import { deadlineUnder } from "./host-deadline.ts";

/** The flags without a value that a registered command line may have. */
const SWITCHES = ["proof", "guards-stay"] as const;

type Switch = (typeof SWITCHES)[number];

/** The words of a command line that starts hooksh for one event of a host. */
export interface DispatchCall {
  dialect: string;
  event: string;
  /** The address of `hooksh serve`, which is asked instead of starting a program: `http://127.0.0.1:4747`. */
  server?: string | undefined;
  /** The program before `dispatch`: its path, for the npm package also that of its script. */
  program: readonly string[];
  /** The file of `--hooks-file`, absolute; absent for the user's own hooks alone. */
  hooksFile?: string | undefined;
  deadline?: string | undefined;
  /** The flags of {@link SWITCHES} to add, without their dashes. */
  switches?: readonly Switch[];
  /** How the line refuses without proof of an answer; absent for an event that a hook cannot refuse. */
  refusal?: Refusal | undefined;
  /** Directories that the user named for hooksh, by their flags: `data-dir`, `capture` and the like. */
  directories?: Readonly<Record<string, string>>;
}

/**
 * Returns the program that hosts start. A path on PATH is preferred to the real one behind its links, because an update
 * of hooksh may move the latter.
 */
export function ownProgram(): readonly string[] {
  if (!isStandalone()) return [process.execPath, resolve(process.argv[1] ?? "")];
  const onPath = findExecutable("hooksh");
  return [onPath && realpathSync(onPath) === realpathSync(process.execPath) ? resolve(onPath) : process.execPath];
}

/** Returns how long a host waits for a hook of an event that `install` registers, in seconds. */
export function waitOf({ timeout }: HostFiles, event: string): number {
  return timeout.fixed?.[event] ?? timeout.seconds;
}

/** Returns the words that start hooksh for an event. */
export function dispatchWords({
  program,
  dialect,
  event,
  hooksFile,
  deadline,
  switches = [],
  directories = {},
}: DispatchCall): string[] {
  return [
    ...program,
    "dispatch",
    "--dialect",
    dialect,
    "--event",
    event,
    ...(hooksFile === undefined ? [] : ["--hooks-file", hooksFile]),
    ...switches.map((flag) => `--${flag}`),
    ...(deadline === undefined ? [] : ["--deadline", deadline]),
    ...Object.entries(directories).flatMap(([flag, path]) => [`--${flag}`, path]),
  ];
}

/**
 * Returns the call that `install` registers for an event of a host. Where the line itself keeps the time, it waits
 * `seconds`, by default a little less than the host; hooksh answers a little earlier.
 */
export function dispatchCall(
  dialect: Dialect,
  files: HostFiles,
  { seconds, ...call }: Omit<DispatchCall, "deadline" | "refusal"> & { seconds?: number | undefined },
): DispatchCall {
  const wait = waitOf(files, call.event);
  const refusal = call.server === undefined ? refusalFor(dialect, call.event, seconds ?? longestWait(wait)) : undefined;
  const switches = [...(call.switches ?? []), ...(refusal ? (["proof"] as const) : [])];
  const deadline = refusal ? `${longestWait(refusal.seconds)}s` : formatDuration(deadlineUnder(wait));
  return { ...call, switches, refusal, deadline };
}

/** Returns the whole seconds after which one has to answer another that waits this long. */
export function longestWait(seconds: number): number {
  return Math.floor(deadlineUnder(seconds) / 1000);
}

/**
 * Returns the command line to register: for an event with a refusal, one that wants proof of an answer. Windows has no
 * line that every shell understands.
 */
export function registeredLine(call: DispatchCall, platform: string): string {
  const { refusal, switches = [] } = call;
  if (refusal && platform !== "win32") return shellLine([...guardWords(refusal), ...dispatchWords(call)], platform);
  return shellLine(dispatchWords({ ...call, switches: switches.filter((flag) => flag !== "proof") }), platform);
}

/** Quotes words for a POSIX shell, or for PowerShell and cmd on Windows. */
export function shellLine(words: readonly string[], platform: string): string {
  return words.map((word) => quoted(word, platform)).join(" ");
}

function quoted(word: string, platform: string): string {
  const [, variable, rest] = PROJECT_PATH.exec(word) ?? [];
  if (variable !== undefined) return `"${variable}"${quoteWord(rest ?? "")}`;
  const posix = quoteWord(word);
  return platform === "win32" && posix !== word ? `"${word}"` : posix;
}

/** A path below the folder of the project, which a variable of the host names. All other paths are absolute. */
const PROJECT_PATH = /^(\$[A-Z_]+)(\/.*)$/s;

/** Returns the absolute path that a word of a registered command line means in a project. */
export function registeredPath(path: string, project: string): string {
  return resolve(project, path.replace(PROJECT_PATH, ".$2"));
}

/** One word of a command line: bare, or in quotes of either kind. */
const WORD = /\s*((?:'[^']*'|"[^"]*"|\\'|[^\s'"|&;<>()$`])+)/y;

/**
 * Splits a command line into words. Undefined if it uses more shell syntax than quotes: such a line is the user's own,
 * even if it starts hooksh.
 */
export function wordsOf(line: string): string[] | undefined {
  const words: string[] = [];
  WORD.lastIndex = 0;
  for (let at = 0; at < line.trimEnd().length; at = WORD.lastIndex) {
    const found = WORD.exec(line);
    if (!found) return undefined;
    words.push((found[1] ?? "").replace(/'([^']*)'|"([^"]*)"|\\'/g, (all, one, two) => one ?? two ?? all.slice(1)));
  }
  return words;
}

/**
 * Reads a command line that starts `hooksh dispatch` for this dialect. Undefined for every other one: entries are
 * hooksh's own by their command, not by a comment that an editor may drop.
 */
export function readDispatchCall(line: unknown, dialect: string): DispatchCall | undefined {
  if (typeof line !== "string") return undefined;
  const words = wordsOf(line.replace(/^& /, ""));
  if (!words) return undefined;
  const { refusal, rest } = readGuardWords(words);
  const call = readDispatchWords(rest, dialect);
  return call && { ...call, refusal };
}

/** {@link readDispatchCall} for a line that is split already. */
export function readDispatchWords(words: readonly string[], dialect: string): DispatchCall | undefined {
  const verb = words.indexOf("dispatch");
  if (verb < 1 || verb > 2 || !isOwnProgram(words[verb - 1] ?? "")) return undefined;
  const flags = new Map<string, string>();
  const rest = words.slice(verb + 1);
  for (let word = rest.shift(); word !== undefined; word = rest.shift())
    flags.set(word, isSwitch(word) ? "" : (rest.shift() ?? ""));
  if (flags.get("--dialect") !== dialect) return undefined;
  return {
    program: words.slice(0, verb),
    dialect,
    event: flags.get("--event") ?? "",
    hooksFile: flags.get("--hooks-file"),
    deadline: flags.get("--deadline"),
    switches: SWITCHES.filter((flag) => flags.has(`--${flag}`)),
    directories: Object.fromEntries(
      ["config-dir", "data-dir", "cache-dir", "capture", "record-events"].flatMap((name) => {
        const path = flags.get(`--${name}`);
        return path === undefined ? [] : [[name, path]];
      }),
    ),
  };
}

/** True if a registered call refuses changes of guards. */
export function hasGuardsStay({ switches }: DispatchCall): boolean {
  return switches?.includes("guards-stay") ?? false;
}

function isSwitch(word: string): boolean {
  return SWITCHES.some((flag) => word === `--${flag}`);
}

/** True for a program named `hooksh` or `hooksh-linux-x64`, for the script of the npm package, and for this program. */
function isOwnProgram(path: string): boolean {
  return /(^|[\\/])(hooksh[\w.-]*|bin\.js|main\.ts)$/i.test(path) || path === ownProgram().at(-1);
}
