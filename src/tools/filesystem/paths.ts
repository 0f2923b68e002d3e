import { readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { type Env, homeDirectory } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { isInside } from "../../lib/files/paths.ts";

const MAX_LINKS = 40;

/** A path that a tool call named. */
export interface Place {
  /** The absolute path, with symbolic links. */
  path: string;
  /** The path with symbolic links resolved, which tools open. */
  real: string;
}

/** Returns a path relative to a directory, with `/` between names; undefined if it is not inside the directory. */
export function pathWithin(directory: string, path: string): string | undefined {
  return isInside(path, directory) && path !== directory ? relative(directory, path).replaceAll(sep, "/") : undefined;
}

/**
 * Resolves a text to an absolute path; `~` is the home directory. Throws a {@link UserError} if it is not a valid path.
 */
export function absolutePath(text: string, workingDir: string, env: Env): string {
  if (text.trim() === "") throw new UserError("the path is blank");
  if (text.includes("\0")) throw new UserError("the path holds a NUL character");
  if (isForeign(text)) throw new UserError(`${text} is a path of another operating system (prefix ./ if not)`);
  if (text !== "~" && !text.startsWith("~/")) return resolve(workingDir, text);
  const home = homeDirectory(env);
  if (!home) throw new UserError(`${text}: no home directory`);
  return resolve(home, text.slice(2));
}

/**
 * Resolves every symbolic link of an absolute path, also broken ones; names that do not exist stay. Throws a
 * {@link UserError} if a link cannot be read or there are too many.
 */
export function realPath(path: string): string {
  const pending = namesOf(path);
  let real = parse(path).root;
  let links = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const next = name === ".." ? dirname(real) : join(real, name);
    const target = name === ".." ? undefined : linkTarget(next);
    if (target === undefined) {
      real = next;
      continue;
    }
    if (++links > MAX_LINKS) throw new UserError(`${path}: too many symbolic links`);
    if (isAbsolute(target)) real = parse(target).root;
    pending.push(...namesOf(target));
  }
  return real;
}

/** Resolves the symbolic links of a path except for its last name. */
export function realEntry(path: string): string {
  return join(realPath(dirname(path)), basename(path));
}

function isForeign(text: string): boolean {
  return process.platform === "win32" ? text.startsWith("/") : /^([A-Za-z]:[\\/]|\\\\)/.test(text);
}

/** Returns the names in a path, the last one first. */
function namesOf(path: string): string[] {
  const below = path.slice(parse(path).root.length);
  return below
    .split(sep)
    .filter((name) => name !== "" && name !== ".")
    .reverse();
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // EINVAL: not a link; the others: nothing there
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UserError(`${path}: ${String(code ?? error)}`, { cause: error });
  }
}
