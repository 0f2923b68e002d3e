import { accessSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../errors.ts";

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
