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
 * a commit or a ref. What is ours beside git's files stands in its folder `hooksh`.
 *
 * Source: hooks 11.5.
 */
export interface Shadow {
  git: Git;
  worktree: Worktree;
  directory: string;
  /** The folder of checkpoint lists, the lock and work in progress. */
  state: string;
  /** Where every shadow lies; recorded nowhere, should it be inside the worktree. */
  store: string;
}

/** The shadow of a worktree; it need not exist yet. */
export function shadowOf(git: Git, worktree: Worktree, dataDirectory: string): Shadow {
  const id = sha256(normalize(worktree.root)).slice(0, 32);
  const store = join(dataDirectory, "snapshot");
  const directory = join(store, id);
  return { git, worktree, directory, state: join(directory, "hooksh"), store };
}

/** True when the shadow has been set up. */
export function shadowExists(shadow: Shadow): boolean {
  return existsSync(join(shadow.directory, "HEAD"));
}

/** These keep every file as it is on the disk: no line-end conversion, no filter, links and modes as they are. */
const EXACT = ["core.autocrlf=false", "core.longpaths=true", "core.symlinks=true", "core.fsmonitor=false"];
const NO_FILES_OF_THE_USER = [`core.attributesFile=${devNull}`, `core.excludesFile=${devNull}`];
const ALWAYS = [...EXACT, "core.fileMode=true", ...NO_FILES_OF_THE_USER].flatMap((setting) => ["-c", setting]);

/** Rules of the highest rank: what the worktree's own `.gitattributes` say has no effect. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n";

/** Runs git on the shadow with the worktree as its files; only the shadow's own configuration counts. */
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

/** Makes the repository if need be; a setup that was cut off is done again. */
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

/** Takes away what an earlier process left half done; only the holder of the lock may. */
export function clearLeftovers(shadow: Shadow): void {
  rmSync(join(shadow.directory, "index.lock"), { force: true });
  for (const name of readdirSync(shadow.state)) {
    if (name.startsWith("work-")) rmSync(join(shadow.state, name), { recursive: true, force: true });
  }
}

/** The name of a folder in the state folder for work in progress; cleared away after a crash. */
export function newWorkName(): string {
  return `work-${randomUUID()}`;
}

/**
 * Lends an index file of its own: a copy of the shadow's, or an empty one. Git's work on it touches nothing else, so a
 * git process that outlives ours cannot spoil the shadow.
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

/** Makes a lent index the shadow's own. */
export function keepIndex(shadow: Shadow, index: string): void {
  renameSync(index, join(shadow.directory, "index"));
}

function copyIndex(from: string, to: string): void {
  const stat = statSync(from, { throwIfNoEntry: false });
  if (!stat) return;
  copyFileSync(from, to);
  // Git compares a file's time with the index's to know which files may have changed in the same instant: the copy must
  // not look younger than the original.
  const time = Math.floor(stat.mtimeMs - 1) / 1000;
  utimesSync(to, time, time);
}
