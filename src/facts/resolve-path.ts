import { statSync } from "node:fs";
import { basename } from "node:path";
import { expandAlternatives } from "../shell/paths/path-text.ts";
import { HOLE } from "../shell/steps/invocation.ts";
import type { Among, PathTouch } from "../shell/steps/program-facts.ts";
import type { PathValue } from "./facts.ts";
import { realPathOf } from "./files/real-path.ts";
import type { Place } from "./place.ts";

/** Where a path is touched. */
export interface TouchedAt {
  /** The directories that may be in force, `""` for that of the call. */
  directories: readonly string[];
  place: Place;
  /** True if the step only reads it. */
  read: boolean;
  /** True on another machine or in a container. */
  elsewhere: boolean;
}

/** No system takes a longer path. */
const MAX_PATH = 4096;

/**
 * Returns the absolute paths that a touch may mean: in every directory that may be in force, and for every alternative in
 * braces. They are sure only if there is one directory.
 */
export function resolvePath(touch: PathTouch, { directories, place, read, elsewhere }: TouchedAt): PathValue[] {
  const values = new Map<string, PathValue>();
  const among = touch.among && resolvedAmong(touch.among, directories, place);
  for (const text of touch.glob ? expandAlternatives(touch.path) : [touch.path]) {
    if (text === "") continue;
    const raw = new Set(directories.map((directory) => absolute(text, directory, place, elsewhere)));
    for (const spelled of raw) {
      const path = withoutDots(spelled, touch.glob);
      // Files that are copied into a directory keep their names.
      const paths =
        touch.into && !elsewhere && isDirectory(path) ? touch.into.map((name) => `${path}/${name}`) : [path];
      for (const each of paths) {
        const resolved = elsewhere ? each : resolvedOf(each === path ? spelled : each, each, touch.glob);
        // One spelling may lead to several files: `passwd` and `etc/../passwd` behind a link.
        values.set(`${each}\0${resolved}`, {
          path: each,
          ...(resolved !== each && { resolved }),
          glob: touch.glob && /[*?[]/.test(each),
          sure: touch.sure && raw.size === 1,
          extent: touch.extent,
          ...(among && { among }),
          ...(touch.operator !== undefined && { operator: touch.operator }),
          read,
          elsewhere,
        });
      }
    }
  }
  return [...values.values()];
}

/** The paths in it from the root. A slash or a dot at their end stays: it says what is copied. */
function resolvedAmong(among: Among, directories: readonly string[], place: Place): Among {
  const all = (texts: readonly string[]) => [
    ...new Set(texts.flatMap((text) => directories.map((directory) => absolute(text, directory, place, false)))),
  ];
  switch (among.kind) {
    case "found":
      return { ...among, directories: all(among.directories) };
    case "copied":
      return { ...among, from: all(among.from) };
    case "work-tree":
      return { ...among, unless: all(among.unless) };
    case "patched":
      return { ...among, files: all(among.files) };
    default:
      return among;
  }
}

/** A path from the root, with its dots. One of which the beginning is not known stays as it is. */
function absolute(text: string, directory: string, place: Place, elsewhere: boolean): string {
  const path = withHome(text, place, elsewhere);
  if (/^[/\0~]/.test(path) || isDrive(path)) return path;
  const from = directory === "" ? (elsewhere ? "~" : place.cwd) : withHome(directory, place, elsewhere);
  if (/^[/\0~]/.test(from) || isDrive(from)) return `${from}/${path}`;
  return `${elsewhere ? "~" : place.cwd}/${from}/${path}`;
}

function isDirectory(path: string): boolean {
  return !path.includes(HOLE) && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function isDrive(path: string): boolean {
  return /^[A-Za-z]:(?:[\\/]|$)/.test(path);
}

/** Replaces `~` and `~user`. The home directory of another machine is not known, so that `~` stays. */
function withHome(text: string, { home, cwd, env }: Place, elsewhere: boolean): string {
  const [, user, rest = ""] = /^~([^/]*)(\/.*)?$/s.exec(text) ?? [];
  if (user === undefined) return text;
  if (user.includes(HOLE) || user === "-") return HOLE + rest;
  if (elsewhere && user === "") return text;
  if (user === "+") return cwd + rest;
  if (user === "root") return (env["USER"] === "root" ? home : "/root") + rest;
  return (user === "" || user === basename(home) || user === env["USER"] ? home : `/home/${user}`) + rest;
}

/**
 * Resolves `.`, `..` and double slashes. What an expansion names may be several directories deep, so that a path with `..`
 * behind one may lie anywhere.
 */
function withoutDots(path: string, glob: boolean): string {
  const [root = "", ...parts] = path.split("/");
  const kept: string[] = [];
  let start = root;
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (
      kept.at(-1)?.includes(HOLE) ||
      (kept.length === 0 && start.includes(HOLE)) ||
      (glob && kept.at(-1) === "**")
    ) {
      start = HOLE;
      kept.length = 0;
    } else if (kept.length === 0 && start === "~") start = HOLE;
    else kept.pop();
  }
  return kept.length === 0 && start === "" ? "/" : [start, ...kept].join("/");
}

/** The path with its links resolved, up to the first part that an expansion or a pattern of names decides. */
function resolvedOf(spelled: string, path: string, glob: boolean): string {
  if (!spelled.startsWith("/") || spelled.length > MAX_PATH) return path;
  const at = spelled.search(glob ? /[*?[\0]/ : /\0/);
  if (at < 0) return realPathOf(spelled);
  const cut = spelled.lastIndexOf("/", at);
  const behind = spelled.slice(cut + 1);
  // A pattern that is left upwards again ends where its links lead to, which only the files say.
  if (/\/\.\.(?:\/|$)/.test(behind)) return path;
  const folder = realPathOf(spelled.slice(0, cut) || "/");
  return withoutDots(`${folder}/${behind}`, glob);
}
