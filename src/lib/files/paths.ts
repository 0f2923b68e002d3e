import { accessSync, constants, lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { ConfigError, errorText, UserError } from "../errors.ts";
import { isObject } from "../json.ts";

/**
 * True if nothing exists at a path. Throws a {@link ConfigError} if that cannot be determined: a symbolic link on the
 * way is broken, or a folder cannot be read. Hooks that cannot be read must not count as hooks that were never
 * configured.
 */
export function isMissing(path: string): boolean {
  if (look(path)) return false;
  for (let above = dirname(path); ; above = dirname(above)) {
    if (!look(above) && dirname(above) !== above) continue;
    if (leadsToFolder(above)) return true;
    throw new ConfigError(`${above}: not a directory, or a broken symbolic link`);
  }
}

/** Returns what is at a path, without following a symbolic link. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isObject(error) && (error["code"] === "ENOENT" || error["code"] === "ENOTDIR")) return undefined;
    throw new ConfigError(`${path}: ${errorText(error)}`, { cause: error });
  }
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // a broken link, or a cycle of links
  }
}

/** True if `path` is `directory` or below it. Both must be absolute and normalised. */
export function isInside(path: string, directory: string): boolean {
  const [inner, outer] = [fold(path), fold(directory)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** Most systems other than Linux ignore case in file names. */
function fold(path: string): string {
  return process.platform === "linux" ? path : path.normalize("NFC").toLowerCase();
}

/**
 * True if a path exists or this user can create it. Also true if it is inside a folder of this user that cannot be
 * read: configuration in there must cause an error and not be ignored.
 */
export function existsOrCanBeCreated(path: string): boolean {
  for (let at = path, itself = true; ; at = dirname(at), itself = false) {
    try {
      accessSync(at, itself ? constants.F_OK : constants.W_OK | constants.X_OK);
      return true;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (code === "EACCES") return isHiddenByOwner(at);
      // Leaves other errors (such as a stale mount) to the code that reads the directory.
      if (code !== "ENOENT") return !HOPELESS.includes(code);
      if (at === dirname(at)) return false;
    }
  }
}

const HOPELESS: readonly string[] = ["ENOTDIR", "EROFS", "EPERM"];

/** True if a path cannot be examined because a folder that this user owns denies access. */
function isHiddenByOwner(path: string): boolean {
  if (ownerOf(path) !== undefined) return false; // the path exists, but nothing can be created in it
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const owner = ownerOf(at);
    if (owner !== undefined) return owner === process.getuid?.();
  }
  return false;
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined; // missing or unreadable: the parent folder shows which
  }
}

/**
 * Creates `home` in the system's temporary directory, and the directory `name` in it, so that only this user can write to
 * them. Returns the path of the latter even if it cannot be created. Throws a {@link UserError} if another user owns
 * either or can write to it: they could put configuration there.
 */
export function ownTemporaryDirectory(home: string, name: string): string {
  const path = join(home, name);
  for (const each of [home, path]) {
    try {
      mkdirSync(each, { mode: 0o700 });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) return path;
      requireOwn(each);
    }
  }
  return path;
}

function requireOwn(path: string): void {
  const found = lstatSync(path);
  if (process.platform === "win32") return; // the temporary directory is the user's own there
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0) return;
  throw new UserError(
    `the home directory is missing or not writable, and ${path}, which hooksh uses instead, is not a directory that only` +
      " this user can write: set HOME, or HOOKSH_CONFIG_DIR and HOOKSH_DATA_DIR",
  );
}
