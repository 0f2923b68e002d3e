import { accessSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../errors.ts";

/**
 * True for a path that is there, or that this user can make; also for one that this user's own folders hide: what lies
 * there must not be passed over in silence. Looks only as far up as nothing is there.
 */
export function existsOrCanBeCreated(path: string): boolean {
  for (let at = path, itself = true; ; at = dirname(at), itself = false) {
    try {
      accessSync(at, itself ? constants.F_OK : constants.W_OK | constants.X_OK);
      return true;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (code === "EACCES") return isHiddenByOwner(at);
      // Whatever else goes wrong (a share that is gone) is told by who reads there.
      if (code !== "ENOENT") return !HOPELESS.includes(code);
      if (at === dirname(at)) return false;
    }
  }
}

const HOPELESS: readonly string[] = ["ENOTDIR", "EROFS", "EPERM"];

/** True when a folder of this user's is why nothing can be said of a path. */
function isHiddenByOwner(path: string): boolean {
  if (ownerOf(path) !== undefined) return false; // it is there, and nothing can be made in it
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
    return undefined; // not there, or hidden: the folder above says which
  }
}

/**
 * A directory below the system's temporary one that only this user can write, made now so that nobody else can put one
 * there. Where it cannot be made at all, the path as it is. Throws a {@link UserError} for one that is another user's:
 * configuration found there would be theirs.
 */
export function ownTemporaryDirectory(path: string): string {
  try {
    mkdirSync(path, { mode: 0o700 });
    return path;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) return path;
  }
  const found = lstatSync(path);
  if (process.platform === "win32") return path; // the temporary directory is the user's own there
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0) return path;
  throw new UserError(
    `${path}: not a directory that only this user can write, set HOOKSH_CONFIG_DIR and HOOKSH_DATA_DIR`,
  );
}
