import type { FlagSpecs, Flags } from "../../cli/flags.ts";
import { ANY_FOLDER_FLAG, sessionFile } from "../../cli/session-flags.ts";
import { type Directories, processEnv } from "../../lib/env.ts";
import { type Help, UserError } from "../../lib/errors.ts";
import { latestSession, type SnapshotOptions } from "../../snapshot/controller.ts";

export const NOTHING_RECORDED: Help = {
  cause:
    "There is no snapshot of that session here: snapshots are made in git worktrees, at a terminal or with `--snapshot` or `settings.snapshot: true`.",
  cure: "Run `git init` and make a commit, then turn snapshots on for the next run. `hooksh undo list` shows what there is.",
};

/** The flags that choose the session whose snapshots a command works on. */
export const SNAPSHOT_FLAGS = {
  session: {
    kind: "value",
    hint: "ID|-N",
    description: "The session, -1 is the newest of this folder (default: the last one that changed files here)",
  },
  ...ANY_FOLDER_FLAG,
  "dry-run": { kind: "switch", description: "Print what would be done, and change nothing" },
} as const satisfies FlagSpecs;

/**
 * Returns the session whose snapshots to use, in the worktree of the current directory: the one a flag names, else the
 * one that recorded last. Throws a `UserError` if there is none.
 */
export async function findSnapshots(
  { session: reference, "any-folder": anyFolder }: Flags<typeof SNAPSHOT_FLAGS>,
  directories: Directories,
  signal: AbortSignal,
): Promise<SnapshotOptions> {
  const place = { dataDir: directories.data, cwd: process.cwd(), env: processEnv(), signal };
  const sessionId =
    reference === undefined ? await latestSession(place) : await idOf(reference, directories, anyFolder);
  if (sessionId === undefined) {
    const how = "snapshots are made in git worktrees, at a terminal, with --snapshot or with settings.snapshot: true";
    throw new UserError(`no snapshots here: ${how}`, { help: NOTHING_RECORDED });
  }
  return { ...place, sessionId };
}

async function idOf(reference: string, directories: Directories, anyFolder = false): Promise<string> {
  if (!/^-\d{1,9}$/.test(reference)) return reference;
  const { openStore } = await import("../../runtime/store/store.ts");
  const store = openStore(sessionFile(undefined, directories), { folder: anyFolder ? undefined : process.cwd() });
  try {
    return store.idOf(reference);
  } finally {
    store.close();
  }
}
