import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** A link that leads to nothing leads through at most this many others. */
const MAX_LINKS = 40;

/**
 * An absolute path as the system follows it: links are resolved as far as the path exists, and `..` leaves the directory
 * that a link before it leads to.
 */
export function realPathOf(path: string): string {
  if (isStreamDevice(path)) return path;
  if (!/\/\.\.(?:\/|$)/.test(path)) return realOf(path, MAX_LINKS);
  let current = "/";
  for (const part of path.split("/")) {
    if (part === "..") current = dirname(current);
    else if (part !== "" && part !== ".") current = realOf(join(current, part), MAX_LINKS);
  }
  return current;
}

/** A path with its links resolved, where the end may not exist. */
function realOf(path: string, links: number): string {
  const missing: string[] = [];
  for (let above = path; ; above = dirname(above)) {
    const real = existing(above) ?? target(above, links);
    if (real !== undefined) return join(real, ...missing);
    if (dirname(above) === above) return path;
    missing.unshift(basename(above));
  }
}

function existing(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Where a link leads although nothing is there: a program that writes through it makes the file. */
function target(path: string, links: number): string | undefined {
  try {
    if (links === 0 || !lstatSync(path).isSymbolicLink()) return undefined;
    return realOf(resolve(existing(dirname(path)) ?? dirname(path), readlinkSync(path)), links - 1);
  } catch {
    return undefined;
  }
}

/** True for a device that every program may read and write, such as `/dev/null`. It lies in no place that matters. */
export function isStreamDevice(path: string): boolean {
  return /^\/dev\/(?:null|std\w+|tty|fd(?:\/.*)?)$/.test(path);
}
