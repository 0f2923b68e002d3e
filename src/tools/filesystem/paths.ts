import { readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { type Env, homeDirectory } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { isInside } from "../../lib/files/inside.ts";

const MAX_LINKS = 40;

/** A path as a tool call meant it. */
export interface Place {
  /** Absolute, as it was spelled. */
  path: string;
  /** Without symbolic links; what is opened. */
  real: string;
}

/** The way from a directory to what lies in it, with `/` between names; undefined for anything else. */
export function pathWithin(directory: string, path: string): string | undefined {
  return isInside(path, directory) && path !== directory ? relative(directory, path).replaceAll(sep, "/") : undefined;
}

/** The absolute path a text means; `~` is the home directory. Throws a {@link UserError} for what is no path here. */
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
 * An absolute path with every symbolic link followed, a dangling one too; what does not exist keeps its name.
 * Throws a {@link UserError} when a link cannot be read or links go in circles.
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

/** A path whose last name is not followed when it is a symbolic link. */
export function realEntry(path: string): string {
  return join(realPath(dirname(path)), basename(path));
}

function isForeign(text: string): boolean {
  return process.platform === "win32" ? text.startsWith("/") : /^([A-Za-z]:[\\/]|\\\\)/.test(text);
}

/** The names of a path, the last one first. */
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
    // EINVAL: no link; the others: nothing there
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UserError(`${path}: ${String(code ?? error)}`, { cause: error });
  }
}
