import { makeWord, type Word } from "./word.ts";

/** How a program that starts another one reads its arguments. */
interface Launcher {
  /** Short options that take a value, as letters. */
  valued?: string;
  /** Short options without a value. Any other option is read both ways. */
  plain?: string;
  /** The number of operands before the program. */
  operands?: number;
  /** Short options with which it starts no program. */
  asks?: string;
  /** True if it appends further arguments to the command. */
  appends?: boolean;
}

/** Programs and builtins whose operands are another command. */
const LAUNCHERS = new Map<string, Launcher>(
  Object.entries({
    "-": {},
    builtin: {},
    busybox: {},
    caffeinate: { valued: "tw", plain: "disum" },
    chroot: { operands: 1 },
    chrt: { operands: 1, valued: "DPT", plain: "abdfiorRv" },
    command: { plain: "p", asks: "vV" },
    doas: { valued: "uC", plain: "Lns" },
    env: { valued: "uCSaP", plain: "i0v" },
    exec: { valued: "a", plain: "cl" },
    ionice: { valued: "cn", plain: "t" },
    ltrace: {},
    nice: { valued: "n", plain: "0123456789" },
    nocorrect: {},
    noglob: {},
    nohup: {},
    nsenter: {},
    repeat: { operands: 1 },
    setarch: {},
    setsid: { plain: "cfw" },
    stdbuf: { valued: "ioe" },
    strace: {},
    sudo: { valued: "acCDghpRrtTuU", plain: "ABbEeHiKklNnPSsVv" },
    taskset: { operands: 1, plain: "ac" },
    time: { valued: "fo", plain: "apqvV" },
    timeout: { operands: 1, valued: "ks", plain: "fpv" },
    toybox: {},
    unbuffer: {},
    unshare: {},
    xargs: { valued: "aEdILnPsJRS", plain: "0eiloprtx", appends: true },
  } satisfies Record<string, Launcher>),
);

/** Programs that run an argument, or a file, as commands in their own ways: every word counts. */
const INTERPRETERS =
  /^(?:su|runuser|script|watch|parallel|ssh|flock|perl|python[\d.]*|ruby|node|bun|deno|php|lua|[gmn]?awk|g?sed|tclsh|expect|n?vim?|ex|ed|emacs|gdb|entr|mapfile|readarray|compgen|screen|tmux|at|batch|crontab|systemd-run|osascript|pwsh|powershell|cmd)(?:\.exe)?$/;

/** Builtins that change the meaning of later words, or run text from elsewhere: the whole line counts as text. */
export const MEANING = new Set([
  "alias",
  "hash",
  "enable",
  "source",
  ".",
  "fc",
  "complete",
  "bind",
  "abbr",
  "functions",
  "autoload",
]);

const SHELLS = /^(?:(?:ba|da|z|k|mk|pdk|ya|a|fi|rba|tc|c)?sh|ksh93)$/;

/** True for programs whose operands are another command, such as `env`. */
export function isLauncher(name: string): boolean {
  return LAUNCHERS.has(name);
}

/** True for shells, and for programs and builtins that {@link startedBy} understands. */
export function isKnownStarter(name: string): boolean {
  return (
    LAUNCHERS.has(name) ||
    SHELLS.test(name) ||
    name === "eval" ||
    name === "trap" ||
    name === "find" ||
    name === "fd" ||
    name === "fdfind"
  );
}

/** True for the name of a shell with this language. */
export function isShell(name: string): boolean {
  return SHELLS.test(name);
}

/** What a simple command starts besides its first program. */
export interface Started {
  /** Indexes of words that may be a program, the first one included. */
  programs: readonly number[];
  /** Words that a shell reads as one text: `eval`, `sh -c`. */
  code: readonly (readonly Word[])[];
  /** True if unknown arguments follow. */
  appends: boolean;
  /** True if any word may start a command. */
  anywhere: boolean;
  /** True if it runs commands from its standard input, or from a file that the line creates. */
  reads: boolean;
  /** Tokens that are replaced by input in everything it starts. */
  replaced: readonly string[];
  /** True if the command can change the meaning of other words in the line. */
  opaque: boolean;
}

/** The number of words after a launcher that are examined to find its program. */
const LOOK_AHEAD = 32;

/** Texts of code that one simple command may hold; with more, the line counts as text. */
export const MAX_CODE = 16;

/** True for `NAME=value`, `NAME+=value` and `NAME[...]=value` in front of a program. */
export function isAssignment(word: Word): boolean {
  return /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(word.text.slice(0, 256));
}

/** The name of a program without its directory; undefined where an expansion decides. */
export function programName(word: Word | undefined): string | undefined {
  if (!word || word.dynamic) return undefined;
  const text = word.text;
  return text
    .slice(text.lastIndexOf("/") + 1)
    .replace(/^=/, "")
    .toLowerCase();
}

/** Finds every program that a simple command starts, behind assignments and launchers. */
export function startedBy(words: readonly Word[], mayVanish: (word: Word) => boolean): Started {
  const programs = new Set<number>();
  const code: (readonly Word[])[] = [];
  const started = { appends: false, anywhere: false, opaque: false, reads: false, replaced: [] as string[] };
  const queue = [0];
  let runs: readonly number[] | undefined;
  let firstRun = 0;
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (programs.has(at) || at >= words.length) continue;
    if (code.length > MAX_CODE) return { programs: [...programs], code: [], ...started, anywhere: true, opaque: true };
    programs.add(at);
    const word = words[at] as Word;
    if (isAssignment(word) || mayVanish(word)) queue.push(at + 1);
    const name = programName(word);
    if (name === undefined) {
      // It may be a launcher with unknown options.
      for (let behind = at + 1; behind < words.length && !programs.has(behind); behind++) programs.add(behind);
      continue;
    }
    const launcher = LAUNCHERS.get(name);
    if (launcher) {
      started.appends ||= launcher.appends === true;
      if (!queuePrograms(words, at, launcher, queue)) started.anywhere = true;
      if (name === "env") code.push(...splitString(words, at));
      if (name === "xargs") started.replaced.push(...replacedBy(words, at));
    } else if (name === "find" || name === "fd" || name === "fdfind") {
      if (runs === undefined) {
        runs = executed(words);
        firstRun = runs.length;
      }
      // What a later find runs, an earlier one may run too: each is queued once.
      const end = firstRun;
      while (firstRun > 0 && (runs[firstRun - 1] ?? 0) > at + 1) firstRun--;
      queue.push(...runs.slice(firstRun, end));
      if (!started.replaced.includes("{}")) started.replaced.push("{}");
      // fd puts the files it finds behind a command without {}.
      started.appends ||= name !== "find" && (runs.at(-1) ?? 0) > at + 1;
    } else if (name === "eval" || name === "trap") {
      const parts = words.slice(words[at + 1]?.text === "--" ? at + 2 : at + 1);
      code.push(parts);
      // Signals follow the code, unless an expansion before it vanishes.
      if (name === "trap" && parts.length > 1) code.push(parts.slice(0, 1));
    } else if (SHELLS.test(name)) {
      const source = takeCode(words, at, code);
      started.reads ||= source === "input";
      started.opaque ||= source === "file";
    } else if (INTERPRETERS.test(name)) started.anywhere = true;
    else if (MEANING.has(name)) {
      started.opaque = true;
      started.reads ||= (name === "." || name === "source") && isInput(words[at + 1]);
    }
  }
  return { programs: [...programs], code, ...started };
}

/** Queues the words after a launcher that may be its program. Returns false if there are too many. */
function queuePrograms(words: readonly Word[], launcherAt: number, launcher: Launcher, queue: number[]): boolean {
  const { valued = "", plain = "", operands = 0, asks } = launcher;
  let missing = operands;
  let unsure = false;
  for (let at = launcherAt + 1; at < words.length; at++) {
    if (at > launcherAt + LOOK_AHEAD) return false;
    const word = words[at] as Word;
    const text = word.text;
    if (text === "--") {
      unsure = false;
      continue;
    }
    if (word.dynamic && !text.startsWith("-")) unsure = true;
    if (text.startsWith("-") && text.length > 1) {
      if (asks && !text.startsWith("--") && [...asks].some((letter) => text.includes(letter))) return true;
      const reading = readOption(text, valued, plain);
      if (reading === "valued") at++;
      unsure = reading === "unsure";
      continue;
    }
    if (isAssignment(word)) {
      // A program may have such a name, though a launcher such as env reads it as a variable.
      queue.push(at);
      continue;
    }
    if (missing > 0) {
      missing--;
      if (unsure) queue.push(at);
      continue;
    }
    queue.push(at);
    if (!unsure) return true;
    unsure = false;
  }
  return true;
}

/** Whether the next word is the value of an option. */
function readOption(text: string, valued: string, plain: string): "plain" | "valued" | "unsure" {
  if (text.startsWith("--")) return text.includes("=") ? "plain" : "unsure";
  for (let at = 1; at < text.length; at++) {
    const letter = text.charAt(at);
    if (valued.includes(letter)) return at === text.length - 1 ? "valued" : "plain";
    if (!plain.includes(letter)) return "unsure";
  }
  return "plain";
}

/** The text that `env -S` splits into words. */
function splitString(words: readonly Word[], from: number): (readonly Word[])[] {
  for (let at = from + 1; at < Math.min(words.length, from + LOOK_AHEAD); at++) {
    const word = words[at] as Word;
    const text = word.text;
    const head = /^(?:-[i0v]*S|--split-string=?)/.exec(text)?.[0];
    if (head === undefined) continue;
    const rest = makeWord(word.units.slice(head.length), word.quoted);
    return [rest.units.length > 0 ? [rest, ...words.slice(at + 1)] : words.slice(at + 1)];
  }
  return [];
}

/** The indexes at which programs start that a `find` before them may run. */
function executed(words: readonly Word[]): number[] {
  return words.flatMap((word, at) =>
    /^-(?:exec|execdir|ok|okdir|\w*[xX]|-exec|-exec-batch)$/.test(word.text) ? [at + 1] : [],
  );
}

/** The tokens that `xargs` replaces. */
function replacedBy(words: readonly Word[], from: number): string[] {
  for (let at = from + 1; at < Math.min(words.length, from + LOOK_AHEAD); at++) {
    const [, attached] = /^(?:-[0eloprtx]*[IJi]|--replace=?)(.*)$/s.exec((words[at] as Word).text) ?? [];
    if (attached !== undefined)
      return [attached, (words[at + 1] ?? (words[at] as Word)).text, "{}"].filter((text) => text !== "");
  }
  return [];
}

/** True for a pseudo-file, such as a device, whose content is unknown. */
function isInput(word: Word | undefined): boolean {
  return !word || word.dynamic || /^(?:\/dev\/|\/proc\/|-$)/.test(word.text);
}

/** Collects the code that `sh -c` runs, and returns where else a shell takes its commands from. */
function takeCode(words: readonly Word[], from: number, code: (readonly Word[])[]): "arguments" | "file" | "input" {
  let hasCode = false;
  let readsInput = false;
  for (let at = from + 1; at < words.length; at++) {
    const word = words[at] as Word;
    const text = word.text;
    if (/^--command=/.test(text)) {
      code.push([makeWord(word.units.slice("--command=".length), word.quoted)]);
      return "arguments";
    }
    if (/^[-+]/.test(text) && text.length > 1) {
      if (/^-[A-Za-z]*c|^--command$/.test(text)) hasCode = true;
      // Some programs called sh take the code from the same word.
      if (/^-[A-Za-z]*c.*\s/s.test(text))
        code.push([makeWord(word.units.slice(word.units.indexOf("c") + 1), word.quoted)]);
      if (/^-[A-Za-z]*s/.test(text)) readsInput = true;
      if (/^[-+][A-Za-z]*[oO]$|^--(?:rcfile|init-file)$/.test(text)) at++;
      continue;
    }
    if (hasCode) code.push([word]);
    return hasCode ? "arguments" : readsInput || isInput(word) ? "input" : "file";
  }
  return "input";
}
