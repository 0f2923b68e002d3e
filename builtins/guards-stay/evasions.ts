import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Place } from "../../src/facts/place.ts";
import { resolvePath } from "../../src/facts/resolve-path.ts";
import type { ShellStep } from "../../src/facts/shell-steps.ts";
import { HOLE, type Invocation } from "../../src/shell/steps/invocation.ts";
import { readGit } from "../../src/shell/steps/programs/git-words.ts";

/** A command as the rows of this file see it. */
interface Command {
  /** Lower case, without its directory; undefined where an expansion decides. */
  name: string | undefined;
  /** As spelled. */
  program: string;
  args: readonly string[];
  invocation: Invocation;
}

/** What a command does to evade guards without changing a file; undefined if it does nothing of the kind. */
export function evasionOf({ invocation }: ShellStep, place: Place): string | undefined {
  const { programs, spelled, words } = invocation;
  const args = words.map(({ text }) => text);
  const names = programs.length > 0 ? programs : [undefined];
  for (const each of names) {
    const name = each?.includes(HOLE) ? undefined : each;
    const what = evasion({ name, program: spelled, args, invocation }, place);
    if (what !== undefined) return what;
  }
  return undefined;
}

function evasion(step: Command, place: Place): string | undefined {
  const { name, args, invocation } = step;
  return (
    hooksChanges(step) ??
    (/^p?kill(?:all)?$/.test(name ?? "") ? kills(step) : undefined) ??
    (name === "git" ? gitHooks(args) : undefined) ??
    (/^(?:alias|hash|function|enable)$/.test(name ?? "") && args.some((arg) => /^hooksh(?:=|$)/.test(arg))
      ? `${name} gives the name hooksh to another program`
      : undefined) ??
    [...invocation.assigns.map(({ name: variable, value }) => [variable, value.text] as const), ...declared(step)]
      .map(([variable, value]) => replaces(variable, value, step, place))
      .find(Boolean)
  );
}

/** The verbs of hooksh that change which guards run, where agents find hooksh, or what it trusts. */
const CHANGES = new Set(["install", "uninstall", "trust"]);

function hooksChanges({ name, program, args }: Command): string | undefined {
  const at = isHooksh(name ?? program)
    ? 0
    : args.findIndex((arg, at) => at < 4 && isHooksh(arg.slice(arg.lastIndexOf("/") + 1))) + 1;
  const isLauncher = /^(?:npx|bunx|pnpm|yarn|npm|bun|node)$/.test(name ?? "");
  if (!isHooksh(name ?? program) && !(isLauncher && at > 0)) return undefined;
  const words = args.slice(at);
  if (words.some((word) => word === "--dry-run" || word === "--help" || word === "-h")) return undefined;
  const verb = words.find((word) => !word.startsWith("-"));
  if (verb !== undefined && CHANGES.has(verb)) return `hooksh ${verb} changes which guards are in force`;
  return verb === "status" && words.includes("--forget")
    ? "hooksh status --forget drops the record of a registration"
    : undefined;
}

function isHooksh(name: string): boolean {
  return /^hooksh[\w.-]*$/i.test(name.slice(name.lastIndexOf("/") + 1));
}

/** Signals to hooksh by its name, or to the processes that the line finds by it. */
function kills({ name, args, invocation: { inner, fedBy } }: Command): string | undefined {
  const says = `${name} ends hooksh`;
  const looks = [...inner, ...fedBy].some(({ words }) => words.some(({ text }) => /hooksh/i.test(text)));
  if (name === "kill") return looks ? says : undefined;
  const patterns = args.filter((arg) => !arg.startsWith("-"));
  if (patterns.some((arg) => /hooksh/i.test(arg))) return says;
  const isFull = args.some((arg) => /^-\w*f|^--full$/.test(arg));
  const running = isFull ? "hooksh dispatch --dialect --event --hooks-file --guards-stay" : "hooksh";
  if (name === "killall" && !args.some((arg) => /^-\w*r|^--regexp$/.test(arg))) return undefined;
  return patterns.some((pattern) => finds(pattern, running)) ? says : undefined;
}

function finds(pattern: string, text: string): boolean {
  try {
    return pattern.length < 256 && new RegExp(pattern, "i").test(text);
  } catch {
    return false;
  }
}

function gitHooks(args: readonly string[]): string | undefined {
  const { verb, rest } = readGit(args);
  const sets =
    verb === "config" &&
    rest.some((arg) => /^core\.hookspath$/i.test(arg)) &&
    !rest.some((arg) => /^--get|^get$|^--list$|^-l$/.test(arg));
  return sets || args.some((arg) => /^(?:--config-env=)?core\.hookspath=/i.test(arg))
    ? "git stops running the hooks of the repository"
    : undefined;
}

/** The variables that `export`, `declare` and `env` set. */
function declared({ name, args }: Command): (readonly [string, string])[] {
  if (!/^(?:export|declare|typeset|local|readonly|env|sudo|set|setenv)$/.test(name ?? "")) return [];
  return args.flatMap((arg) => {
    const [, variable, value] = /^(\w+)\+?=(.*)$/s.exec(arg) ?? [];
    return variable === undefined || value === undefined ? [] : [[variable, value] as const];
  });
}

const LOADED = /^(?:LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|DYLD_\w+|BUN_OPTIONS|BUN_INSPECT_PRELOAD)$/;

/** A variable that makes another program run as hooksh, or code run in it. */
function replaces(
  variable: string,
  value: string,
  { name, invocation: { directories } }: Command,
  place: Place,
): string | undefined {
  if (LOADED.test(variable) && isHooksh(name ?? "")) return `${variable} loads other code into hooksh`;
  if (variable !== "PATH") return undefined;
  const known = new Set((place.env["PATH"] ?? "").split(delimiter));
  const added = value.split(delimiter).filter((folder) => !known.has(folder) && !folder.includes(HOLE));
  const isSuspect = added.some((folder) => {
    const touch = { path: folder || ".", glob: false, sure: true, extent: "itself" } as const;
    const paths = resolvePath(touch, { directories, place, read: true, elsewhere: false });
    return paths.some(({ path }) => mayHoldHooksh(path, folder, place));
  });
  return isSuspect
    ? "PATH makes the shell look for programs, hooksh among them, in a folder that may hold another one"
    : undefined;
}

/** True for a folder with a program of that name, and for one that the line or a later one may fill. */
function mayHoldHooksh(folder: string, spelled: string, { home }: Place): boolean {
  if (existsSync(join(folder, "hooksh")) || existsSync(join(folder, "sh"))) return true;
  const isFixed =
    /^[/~]/.test(spelled) && (folder.startsWith(home) || !/^\/(?:tmp|var\/tmp|dev\/shm)(?:\/|$)/.test(folder));
  return !isFixed && !existsSync(folder);
}
