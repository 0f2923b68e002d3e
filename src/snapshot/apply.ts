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
import { errorText } from "../lib/errors.ts";
import { absolutePath, ancestry, lstatOrNothing, parentOf, syncToDisk } from "./files.ts";

/** One file of a restoration. */
export interface Step {
  /** Relative to the worktree's root. */
  path: string;
  /** What was there when the restoration was planned; see stateOf. */
  before: string;
  /** The file or link that is to be at the place; undefined when the file goes. */
  content: string | undefined;
  executable: boolean;
  /** The name the file has, beside its place, until it is whole. */
  temporary: string;
}

/** A name that no file of the user has. */
export function temporaryName(): string {
  return `.hooksh-restore-${randomUUID()}`;
}

/** A text that differs whenever the file at a path was replaced or written; nothing there is a state too. */
export function stateOf(path: string): string {
  if (!lstatOrNothing(path)) return "missing";
  const stat = lstatSync(path, { bigint: true });
  return stat.isDirectory() ? "directory" : `${stat.mode}:${stat.size}:${stat.mtimeNs}:${stat.ino}`;
}

/**
 * Restores files: first what goes, then what comes. Done twice, or a second time after a crash, it comes to the same.
 * Never writes behind a symbolic link, never changes a file that is no longer as it was planned, never deletes a
 * directory that is not empty. Returns one line for each file that could not be restored.
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

/** True for a relative path that stays in the worktree and out of every `.git`. */
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
  if (state !== step.before) throw new Error("was changed meanwhile");
  unlinkSync(path);
}

/** Up to the root and the working directory of the session, which stay. */
function removeEmptyDirectories(root: string, scope: string, directory: string): void {
  for (let path = directory; path !== ""; path = parentOf(path)) {
    if (path === scope || scope.startsWith(`${path}/`)) return;
    if (!["directories", "nested"].includes(ancestry(root)(`${path}/x`))) return;
    try {
      rmdirSync(absolutePath(root, path));
    } catch {
      return; // not empty: it holds something that is not ours to delete
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
    if (state !== step.before) throw new Error("was changed meanwhile");
  }
  try {
    makeCopy(content, temporary, step.executable, path);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Copies a file or a link; of an earlier file at the place it keeps the permissions, but for the execute bits. */
function makeCopy(content: string, temporary: string, executable: boolean, place: string): void {
  const wanted = lstatSync(content);
  if (wanted.isSymbolicLink()) return symlinkSync(readlinkSync(content), temporary);
  copyFileSync(content, temporary, constants.COPYFILE_EXCL);
  const earlier = lstatOrNothing(place);
  const mode = earlier?.isFile() ? earlier.mode : wanted.mode;
  chmodSync(temporary, executable ? (mode & 0o777) | ((mode & 0o444) >> 2) : mode & 0o666);
  syncToDisk(temporary);
}

function isSame(path: string, content: string, executable: boolean): boolean {
  const [there, wanted] = [lstatSync(path), lstatSync(content)];
  if (there.isSymbolicLink() || wanted.isSymbolicLink()) {
    return there.isSymbolicLink() && wanted.isSymbolicLink() && readlinkSync(path) === readlinkSync(content);
  }
  if (!there.isFile() || there.size !== wanted.size || ((there.mode & 0o100) !== 0) !== executable) return false;
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
