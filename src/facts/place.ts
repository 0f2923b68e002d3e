import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { type Directories, type Env, homeDirectory } from "../lib/env.ts";
import { once } from "../lib/once.ts";
import { findExecutable } from "../lib/platform.ts";
import { findWorkTree } from "./files/git-directory.ts";

/** Where a call runs, and what its paths are compared with. All paths are absolute. */
export interface Place {
  cwd: string;
  home: string;
  /** The top directory of the git work tree of `cwd`, else `cwd`. */
  project: string;
  env: Env;
  /** Directories for temporary files. */
  temporary: readonly string[];
  /** The files that the rules and hooks in force were read from, and the libraries of hooks. */
  policy: readonly string[];
  /** Patterns of further guarded files. */
  guarded: readonly string[];
  /** Paths of this program. */
  program: readonly string[];
  platform: string;
  /** Where hooksh keeps its configuration and records, if that is known. */
  directories?: Directories;
}

export interface PlaceOptions {
  cwd: string;
  env: Env;
  directories?: Directories;
  policy?: readonly string[];
  guarded?: readonly string[];
}

const TEMPORARY = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/private/var/folders", "/dev/shm"];

/** Returns the place of a call that runs in a directory. */
export function placeOf({ cwd, env, directories, policy = [], guarded = [] }: PlaceOptions): Place {
  const directory = resolve(cwd);
  const variables = ["TMPDIR", "TEMP", "TMP"].flatMap((name) => (env[name] ? [resolve(env[name])] : []));
  // Looked for only if a set needs it: the search takes time.
  const program = once(programPaths);
  return {
    cwd: directory,
    home: homeDirectory(env),
    project: findWorkTree(directory, env)?.top ?? directory,
    env,
    // A variable that names the root must not make every path a temporary one.
    temporary: [...new Set([...TEMPORARY, tmpdir(), ...variables])].filter((path) => path !== "/"),
    policy: policy.map((path) => resolve(path)),
    guarded,
    get program() {
      return program();
    },
    platform: process.platform,
    ...(directories && { directories }),
  };
}

/** This program, and the one that its name finds, as they are called and without links. */
export function programPaths(): string[] {
  const found = [process.execPath, findExecutable("hooksh")].filter((path) => path !== undefined);
  return [...new Set(found.flatMap((path) => [path, realpathSync(path)]))];
}
