import { randomUUID } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { devNull } from "node:os";
import { join, normalize } from "node:path";
import { sha256 } from "../lib/platform.ts";
import { type Git, type GitCall, runGit } from "../lib/process/git.ts";
import { writeAtomically } from "./files.ts";
import type { Worktree } from "./worktree.ts";

/**
 * The repository in the data directory that holds the recorded states of one worktree: tree objects and an index, never
 * a commit or a ref. Our own files are in its folder `hooksh`, next to git's.
 */
export interface Shadow {
  git: Git;
  worktree: Worktree;
  directory: string;
  /** The folder of checkpoint lists, the lock and work in progress. */
  state: string;
  /** The directory of all shadows. It is never recorded, in case it is inside the worktree. */
  store: string;
}

/** The shadow of a worktree; it does not have to exist. */
export function shadowOf(git: Git, worktree: Worktree, dataDirectory: string): Shadow {
  const id = sha256(normalize(worktree.root)).slice(0, 32);
  const store = join(dataDirectory, "snapshot");
  const directory = join(store, id);
  return { git, worktree, directory, state: join(directory, "hooksh"), store };
}

/** True if the shadow has been set up. */
export function shadowExists(shadow: Shadow): boolean {
  return existsSync(join(shadow.directory, "HEAD"));
}

/** Settings that keep every file as it is on disk: no line-end conversion, no filters, links and modes unchanged. */
const EXACT = ["core.autocrlf=false", "core.longpaths=true", "core.symlinks=true", "core.fsmonitor=false"];
const NO_FILES_OF_THE_USER = [`core.attributesFile=${devNull}`, `core.excludesFile=${devNull}`];
const ALWAYS = [...EXACT, "core.fileMode=true", ...NO_FILES_OF_THE_USER].flatMap((setting) => ["-c", setting]);

/** Rules of the highest rank, which override the worktree's own `.gitattributes`. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n";

/** Runs git on the shadow with the worktree's files. Only the shadow's own configuration applies. */
export function runInShadow(shadow: Shadow, call: Omit<GitCall, "cwd"> & { files?: string }): Promise<string> {
  const { files = shadow.worktree.root, env, args, ...rest } = call;
  return runGit(shadow.git, {
    ...rest,
    args: [...ALWAYS, "--git-dir", shadow.directory, "--work-tree", files, ...args],
    cwd: files,
    env: {
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: devNull,
      GIT_ATTR_NOSYSTEM: "1",
      GIT_LITERAL_PATHSPECS: "1",
      ...env,
    },
  });
}

/** Creates the repository if needed. A setup that was interrupted is done again. */
export async function setUpShadow(shadow: Shadow): Promise<void> {
  const done = join(shadow.state, "ready");
  if (existsSync(done) && shadowExists(shadow)) return;
  rmSync(join(shadow.directory, "config.lock"), { force: true });
  const inPlace = { cwd: shadow.directory, env: { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull } };
  await runGit(shadow.git, { ...inPlace, args: ["init", "--quiet", "--bare", "--template=", shadow.directory] });
  for (const setting of EXACT) {
    const [key = "", value = ""] = setting.split("=");
    await runGit(shadow.git, { ...inPlace, args: ["--git-dir", shadow.directory, "config", key, value] });
  }
  mkdirSync(join(shadow.directory, "info"), { recursive: true });
  writeFileSync(join(shadow.directory, "info", "attributes"), ATTRIBUTES);
  writeAtomically(done, "");
}

/** Removes what an interrupted process left. Only the holder of the lock may call this. */
export function clearLeftovers(shadow: Shadow): void {
  rmSync(join(shadow.directory, "index.lock"), { force: true });
  for (const name of readdirSync(shadow.state)) {
    if (name.startsWith("work-")) rmSync(join(shadow.state, name), { recursive: true, force: true });
  }
}

/** The name of a folder for work in progress, which is removed after a crash. */
export function newWorkName(): string {
  return `work-${randomUUID()}`;
}

/**
 * Calls `use` with a private index file: a copy of the shadow's, or an empty one. A git process that outlives ours
 * cannot damage the shadow through it.
 */
export async function withIndex<T>(
  shadow: Shadow,
  from: "current" | "empty",
  use: (index: string) => Promise<T>,
): Promise<T> {
  const work = join(shadow.state, newWorkName());
  mkdirSync(work);
  const index = join(work, "index");
  try {
    if (from === "current") copyIndex(join(shadow.directory, "index"), index);
    return await use(index);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Makes a private index the shadow's own. */
export function keepIndex(shadow: Shadow, index: string): void {
  renameSync(index, join(shadow.directory, "index"));
}

function copyIndex(from: string, to: string): void {
  const stat = statSync(from, { throwIfNoEntry: false });
  if (!stat) return;
  copyFileSync(from, to);
  // Git compares a file's time with the index's to find files that may have changed in the same instant, so the copy
  // must not be newer than the original.
  const time = Math.floor(stat.mtimeMs - 1) / 1000;
  utimesSync(to, time, time);
}
