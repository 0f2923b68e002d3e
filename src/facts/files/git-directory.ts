import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import type { Env } from "../../lib/env.ts";
import { readIfRegular } from "./read-if-regular.ts";

/** A git work tree, found without starting git. */
export interface WorkTree {
  /** Its top directory. */
  top: string;
  /** The git directory: `.git`, or the one of a linked work tree or submodule. */
  directory: string;
  /** The directory with what all work trees share: configuration, branches. */
  common: string;
}

/** Finds the work tree that a directory belongs to, as git does: up to the directories of `GIT_CEILING_DIRECTORIES`. */
export function findWorkTree(directory: string, env: Env): WorkTree | undefined {
  const ceilings = ceilingsOf(env);
  for (let top = directory; ; top = dirname(top)) {
    if (top !== directory && ceilings.has(realOrSame(top))) return undefined;
    const found = gitDirectoryOf(top);
    if (found !== undefined) return { top, directory: found, common: commonOf(found) };
    if (dirname(top) === top) return undefined;
  }
}

/** The git directory of a work tree: `.git`, or the one that a file of this name points to. */
export function gitDirectoryOf(top: string): string | undefined {
  const path = join(top, ".git");
  if (existsSync(join(path, "HEAD"))) return path;
  const [, target] = /^gitdir: (.+)$/m.exec(readIfRegular(path) ?? "") ?? [];
  return target === undefined ? undefined : resolve(top, target.trimEnd());
}

function commonOf(directory: string): string {
  const shared = readIfRegular(join(directory, "commondir"))?.trim();
  return shared ? resolve(directory, shared) : directory;
}

function ceilingsOf(env: Env): ReadonlySet<string> {
  const listed = (env["GIT_CEILING_DIRECTORIES"] ?? "").split(delimiter);
  return new Set(listed.filter((path) => path !== "").map(realOrSame));
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
