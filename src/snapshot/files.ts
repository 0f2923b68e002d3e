import { closeSync, fsyncSync, lstatSync, openSync, renameSync, type Stats, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import * as v from "valibot";

/** Writes a file so that after a crash the disk holds either the old content or the new. */
export function writeAtomically(path: string, content: string): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, content, { mode: 0o600 });
  syncToDisk(temporary);
  renameSync(temporary, path);
  syncToDisk(dirname(path));
}

/** Parses JSON. Undefined if the text is not JSON or does not have the schema's shape. */
export function parseJson<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | undefined {
  try {
    const parsed = v.safeParse(schema, JSON.parse(text));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined; // not JSON: the caller decides how to handle it
  }
}

/** Waits until a file, or the entries of a directory, are on the disk. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The state of a path itself, without following a symbolic link; undefined if nothing is there. */
export function lstatOrNothing(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True if the error says that nothing is at the path. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/**
 * The directories above a path: all exist, one is missing, or one is a link, a file, or the root of another repository.
 */
export type AncestorKind = "directories" | "missing" | "link" | "file" | "nested";

/**
 * Returns a function that examines the directories between a worktree's root and a path. Each directory is examined
 * once.
 */
export function ancestry(root: string): (path: string) => AncestorKind {
  const known = new Map<string, AncestorKind>([["", "directories"]]);
  const look = (directory: string): AncestorKind => {
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

function lookAt(directory: string): AncestorKind {
  const stat = lstatOrNothing(directory);
  if (!stat) return "missing";
  if (stat.isSymbolicLink()) return "link";
  if (!stat.isDirectory()) return "file";
  return lstatOrNothing(`${directory}/.git`) ? "nested" : "directories";
}

/** The directory of a path in the worktree; empty for the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

/** The path of a directory relative to the root, with a final slash; undefined if it is outside. */
export function pathBelow(root: string, directory: string): string | undefined {
  const path = relative(root, directory);
  if (path === "" || path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return `${path.split(sep).join("/")}/`;
}

/** The absolute form of a path in the worktree. */
export function absolutePath(root: string, path: string): string {
  return join(root, ...path.split("/"));
}
