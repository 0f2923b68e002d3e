import { closeSync, fsyncSync, lstatSync, openSync, renameSync, type Stats, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import * as v from "valibot";

/** Writes a file so that a crash leaves the old content or the new, on the disk as well. */
export function writeAtomically(path: string, content: string): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, content, { mode: 0o600 });
  syncToDisk(temporary);
  renameSync(temporary, path);
  syncToDisk(dirname(path));
}

/** The value of a JSON text; undefined when the text is not JSON or not of this shape. */
export function parseJson<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | undefined {
  try {
    const parsed = v.safeParse(schema, JSON.parse(text));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined; // not JSON: the caller says what that means
  }
}

/** Returns when the file, or the entries of the directory, are on the disk. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The state of a path itself (a symbolic link is not followed), or undefined when nothing is there. */
export function lstatOrNothing(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True when the error says that nothing is at the path. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** What the directories above a path are. */
export type Above = "directories" | "missing" | "link" | "file" | "nested";

/**
 * Looks at the directories between a worktree's root and its paths, each one once: whether one of them is a symbolic
 * link (which leads elsewhere), a file, missing, or the root of another repository.
 */
export function ancestry(root: string): (path: string) => Above {
  const known = new Map<string, Above>([["", "directories"]]);
  const look = (directory: string): Above => {
    const seen = known.get(directory);
    if (seen) return seen;
    const above = look(parentOf(directory));
    const passable = above === "directories" || above === "nested";
    const itself = passable ? lookAt(absolutePath(root, directory)) : above;
    const found = itself === "directories" ? above : itself;
    known.set(directory, found);
    return found;
  };
  return (path) => look(parentOf(path));
}

function lookAt(directory: string): Above {
  const stat = lstatOrNothing(directory);
  if (!stat) return "missing";
  if (stat.isSymbolicLink()) return "link";
  if (!stat.isDirectory()) return "file";
  return lstatOrNothing(`${directory}/.git`) ? "nested" : "directories";
}

/** The directory of a path of the worktree; empty for the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

/** The path of a directory relative to the root with a final slash, or undefined when it lies elsewhere. */
export function pathBelow(root: string, directory: string): string | undefined {
  const path = relative(root, directory);
  if (path === "" || path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return `${path.split(sep).join("/")}/`;
}

/** The absolute form of a path of the worktree. */
export function absolutePath(root: string, path: string): string {
  return join(root, ...path.split("/"));
}
