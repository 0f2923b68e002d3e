import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { errorText, type Help } from "../lib/errors.ts";
import { absolutePath, ancestry, lstatOrNothing, parentOf, syncToDisk } from "./files.ts";

const FILE_NOT_RESTORED: Help = {
  cause: "The file changed after the agent's change and is left as it is, or something else is at its path.",
  cure: "Look at both versions with `hooksh undo show`, move yours aside, and undo again.",
};

/** A file to restore. */
export interface Step {
  /** Relative to the worktree's root. */
  path: string;
  /** The state of the path when the restoration was planned; see {@link stateOf}. */
  before: string;
  /** The file or link to put at the path; undefined if the file is to be deleted. */
  content: string | undefined;
  executable: boolean;
  /** The name of the new file in the same directory until it is complete. */
  temporary: string;
}

/** A name that no file of the user has. */
export function temporaryName(): string {
  return `.hooksh-restore-${randomUUID()}`;
}

/** A text that changes whenever the file at a path is replaced or written. A missing file has a state too. */
export function stateOf(path: string): string {
  if (!lstatOrNothing(path)) return "missing";
  const stat = lstatSync(path, { bigint: true });
  return stat.isDirectory() ? "directory" : `${stat.mode}:${stat.size}:${stat.mtimeNs}:${stat.ino}`;
}

/**
 * Restores files: first the deletions, then the rest. Running it again, for example after a crash, gives the same
 * result. It never writes through a symbolic link, never changes a file that has changed since the restoration was
 * planned, and never deletes a directory that is not empty. Returns one line for each file that could not be restored.
 */
export function applySteps(root: string, scope: string, steps: readonly Step[]): string[] {
  const problems: string[] = [];
  const attempt = (step: Step, act: () => void) => {
    try {
      if (!isSafe(step.path)) throw new Error("not a path of the worktree");
      act();
    } catch (error) {
      problems.push(`${JSON.stringify(step.path)}: ${errorText(error)}`);
    }
  };
  const leaving = steps.filter((step) => step.content === undefined);
  for (const step of leaving) attempt(step, () => removeFile(root, step));
  for (const step of leaving) {
    if (isSafe(step.path)) removeEmptyDirectories(root, scope, parentOf(step.path));
  }
  for (const step of steps) {
    const { content } = step;
    if (content !== undefined) attempt(step, () => placeFile(root, step, content));
  }
  return problems;
}

/** True for a relative path inside the worktree and outside every `.git`. */
function isSafe(path: string): boolean {
  return path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git");
}

function removeFile(root: string, step: Step): void {
  const above = ancestry(root)(step.path);
  if (above === "missing" || above === "file") return;
  if (above === "link") throw new Error("a directory above it is a symbolic link");
  const path = absolutePath(root, step.path);
  const state = stateOf(path);
  if (state === "missing" || state === "directory") return;
  if (state !== step.before) throw new Error("has changed in the meantime");
  unlinkSync(path);
}

removeFile.help = FILE_NOT_RESTORED;

/** Removes empty directories upwards, but neither the root nor the working directory of the session. */
function removeEmptyDirectories(root: string, scope: string, directory: string): void {
  for (let path = directory; path !== ""; path = parentOf(path)) {
    if (path === scope || scope.startsWith(`${path}/`)) return;
    if (!["directories", "nested"].includes(ancestry(root)(`${path}/x`))) return;
    try {
      rmdirSync(absolutePath(root, path));
    } catch {
      return; // not empty: it holds files that are not ours to delete
    }
  }
}

function placeFile(root: string, step: Step, content: string): void {
  const path = absolutePath(root, step.path);
  const directory = absolutePath(root, parentOf(step.path));
  const above = ancestry(root)(step.path);
  if (above === "link") throw new Error("a directory above it is a symbolic link");
  if (above === "file") throw new Error("a directory above it is a file");
  if (above === "missing") mkdirSync(directory, { recursive: true });
  const temporary = join(directory, step.temporary);
  rmSync(temporary, { force: true });
  const state = stateOf(path);
  if (state === "directory") {
    rmdirSync(path);
  } else if (state !== "missing") {
    if (isSame(path, content, step.executable)) return;
    if (state !== step.before) throw new Error("has changed in the meantime");
  }
  try {
    makeCopy(content, temporary, step.executable, path);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

placeFile.help = FILE_NOT_RESTORED;

/** Copies a file or a link. Keeps the permissions of a file that is replaced, except for the execute bits. */
function makeCopy(content: string, temporary: string, executable: boolean, place: string): void {
  const source = lstatSync(content);
  if (source.isSymbolicLink()) return symlinkSync(readlinkSync(content), temporary);
  copyFileSync(content, temporary, constants.COPYFILE_EXCL);
  const earlier = lstatOrNothing(place);
  const mode = earlier?.isFile() ? earlier.mode : source.mode;
  chmodSync(temporary, executable ? (mode & 0o777) | ((mode & 0o444) >> 2) : mode & 0o666);
  syncToDisk(temporary);
}

function isSame(path: string, content: string, executable: boolean): boolean {
  const [target, source] = [lstatSync(path), lstatSync(content)];
  if (target.isSymbolicLink() || source.isSymbolicLink()) {
    return target.isSymbolicLink() && source.isSymbolicLink() && readlinkSync(path) === readlinkSync(content);
  }
  if (!target.isFile() || target.size !== source.size || ((target.mode & 0o100) !== 0) !== executable) return false;
  return sameBytes(path, content);
}

function sameBytes(one: string, other: string): boolean {
  const files = [openSync(one, "r"), openSync(other, "r")];
  const buffers = files.map(() => Buffer.alloc(1024 * 1024));
  try {
    for (;;) {
      const [a = Buffer.alloc(0), b = Buffer.alloc(0)] = files.map((file, at) => {
        const buffer = buffers[at] ?? Buffer.alloc(0);
        return buffer.subarray(0, readSync(file, buffer));
      });
      if (!a.equals(b)) return false;
      if (a.length === 0) return true;
    }
  } finally {
    files.forEach(closeSync);
  }
}
