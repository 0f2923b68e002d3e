import type { PathValue } from "../facts.ts";
import { realPathOf } from "../files/real-path.ts";

/** One spelling of a path that a step touches. */
export type PathForm = Pick<PathValue, "path" | "glob" | "extent" | "read" | "elsewhere">;

/**
 * How a path has to fit. `either`: it is enough that it may be so, for conditions that restrict; `both`: it has to be so
 * however the path is spelled, for conditions that lift a restriction.
 */
export type Need = "either" | "both";

/** True if an absolute path is a directory or lies below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}

/** A path as given and with its links resolved. */
export function formsOf(path: string): string[] {
  return [...new Set([path, realPathOf(path)])];
}

/** Where the part of a path begins that an expansion or a pattern of names decides; -1 if there is none. */
export function openAt({ path, glob }: Pick<PathForm, "path" | "glob">): number {
  return path.search(glob ? /[*?[\0]/ : /\0/);
}
