import { statSync } from "node:fs";
import { dirname } from "node:path";
import { fallbackWarning } from "../cli/global-flags.ts";
import { warn } from "../cli/print.ts";
import { sessionFile } from "../cli/session-flags.ts";
import type { Directories } from "../lib/env.ts";
import { ConfigError, UsageError, UserError } from "../lib/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import { createSession, type Session } from "../runtime/session/session.ts";
import { isSessionId } from "../runtime/session/session-id.ts";
import type { StoredSession } from "../runtime/store/queries.ts";
import { openStore, type Store } from "../runtime/store/store.ts";
import type { Journal } from "../runtime/stream/runtime.ts";
import type { RunSetup } from "./load-setup.ts";
import type { RunFlags } from "./run-flags.ts";

/** The session storage of a run, and the session it resumes. */
export interface StoredRun {
  /** Undefined if the session cannot be stored. */
  journal: Journal | undefined;
  /** The stored session that the run resumes. */
  resumed: Session | undefined;
  /** The id that the user chose for a new session. */
  newId: string | undefined;
  /** The stored id that is most like the one for a new session. */
  nearId: string | undefined;
  /** Loads a stored session; undefined if there is none with the id. Throws a {@link UserError} for a sub-session. */
  load(id: string): Session | undefined;
  /** Lists conversations with users, newest first; only those of a folder, if one is given. */
  list(limit: number, folder?: string): StoredSession[];
  /** Gives a stored session another title. */
  retitle(id: string, title: string): void;
  /** Removes a stored session with its sub-sessions. */
  remove(id: string): void;
  /** Closes the storage, and warns about what could not be stored. Never throws. */
  close(): void;
}

/**
 * Opens the stored sessions for a run. If they cannot be opened, throws a {@link UserError} if the run names a session
 * or a file; otherwise warns, and the run is not stored. `-1`, `-2` ... count the sessions of the folder.
 */
export function openStoredRun(flags: RunFlags, directories: Directories, folder: string): StoredRun {
  const required = flags.session !== undefined || flags["session-db"] !== undefined;
  const path = sessionFile(flags["session-db"], directories);
  const lost = fallbackWarning("data", dirname(path));
  if (lost !== undefined) warn(lost);
  const store = open(path, required, flags["any-folder"] ? undefined : folder);
  if (!store)
    return {
      journal: undefined,
      resumed: undefined,
      newId: undefined,
      nearId: undefined,
      load: () => undefined,
      list: () => [],
      retitle: () => {},
      remove: () => {},
      close: () => {},
    };
  const journal = store.journal({ required, warn });
  const resumed = flags.session === undefined ? undefined : loadSession(store, flags.session);
  return {
    journal,
    resumed,
    newId: resumed ? undefined : flags.session,
    nearId:
      resumed || flags.session === undefined
        ? undefined
        : nearest(
            flags.session,
            store.list().map(({ id }) => id),
          ),
    load: (id) => loadSession(store, id),
    list: (limit, folder) => store.list(limit, folder),
    retitle: (id, title) => store.retitle(id, title),
    remove: (id) => void store.remove(id),
    close: () => {
      journal.close();
      store.close();
    },
  };
}

function open(path: string, required: boolean, folder: string | undefined): Store | undefined {
  try {
    return openStore(path, { folder });
  } catch (error) {
    if (required || error instanceof ConfigError || !(error instanceof UserError)) throw error;
    warn(`the session is not stored: ${error.message}`);
    return undefined;
  }
}

function loadSession(store: Store, reference: string): Session | undefined {
  if (!/^-\d+$/.test(reference) && !isSessionId(reference)) {
    const name = JSON.stringify(reference);
    throw new UsageError(
      `--session ${name}: an id must not start with a dash, dot or space, and must not contain a slash`,
    );
  }
  const session = store.load(reference);
  // The loop would treat it as a task between agents, for which user prompt hooks do not run.
  if (session?.parentId !== undefined) {
    throw new UserError(`session ${session.id} is a sub-session of session ${session.parentId}: resume that one`);
  }
  return session;
}

/**
 * Returns the directory of a run: the one that a flag names, else the one of the resumed session. An imported session
 * may not have any.
 */
export function sessionDirectory({ resumed }: StoredRun, flags: RunFlags, current: string): string {
  return resumed && flags["working-dir"] === undefined ? directoryOf(resumed, current) : current;
}

function directoryOf({ id, workingDir }: Session, current: string): string {
  if (!workingDir || statSync(workingDir, { throwIfNoEntry: false })?.isDirectory()) return workingDir || current;
  throw new UserError(
    `session ${id} ran in ${workingDir}, which no longer exists: name a directory with --working-dir`,
  );
}

/** Where a session runs, and with what. */
interface SessionPlace {
  stored: StoredRun;
  flags: RunFlags;
  /** The folder of the command line. */
  cwd: string;
  workingDir: string;
  setup: Pick<RunSetup, "safetyMode" | "agentFile">;
}

/** Returns a sentence for each thing that differs from the run before: the folder, and the agent file. */
export function resumedElsewhere(resumed: Session, { cwd, workingDir, setup }: SessionPlace): string[] {
  const { id, startedIn, agentFile } = resumed;
  const known = [workingDir, startedIn];
  const notes: string[] = [];
  if (resumed.workingDir && resumed.workingDir !== workingDir)
    notes.push(`session ${id} ran in ${resumed.workingDir}; its tools now work in ${workingDir}`);
  else if (!known.includes(cwd))
    notes.push(`session ${id} belongs to another folder: its tools work in ${workingDir}, not in ${cwd}`);
  if (agentFile !== undefined && agentFile !== setup.agentFile)
    notes.push(`session ${id} ran with the agent file ${agentFile}; it goes on with ${setup.agentFile}`);
  return notes;
}

/**
 * Changes a session that is resumed at the prompt as if the run had started with it: the directory and the safety mode
 * that flags chose hold for it too. Throws a {@link UserError} if its directory no longer exists.
 */
export function resumeAtPrompt(session: Session, flags: RunFlags, current: Session): Session {
  const { workingDir, safetyMode } = current;
  const isBound = flags["working-dir"] !== undefined || flags.worktree !== undefined;
  session.workingDir = isBound ? workingDir : directoryOf(session, workingDir);
  if (flags.safety === undefined && flags.yolo === undefined) return session;
  delete session.safetyMode;
  return Object.assign(session, safetyMode === undefined ? {} : { safetyMode });
}

/** Returns the session of a run. A resumed session keeps its safety mode unless a flag names another. */
export function sessionOf({ stored, flags, cwd, workingDir, setup }: SessionPlace): Session {
  const { resumed, newId } = stored;
  const { safetyMode, agentFile } = setup;
  const mode = safetyMode === undefined ? {} : { safetyMode };
  if (!resumed) {
    return createSession(workingDir, {
      ...mode,
      agentFile,
      ...(newId === undefined ? {} : { id: newId }),
      ...(workingDir === cwd ? {} : { startedIn: cwd }),
    });
  }
  resumed.workingDir = workingDir;
  resumed.agentFile = agentFile;
  if (flags.safety !== undefined || flags.yolo !== undefined) {
    delete resumed.safetyMode;
    Object.assign(resumed, mode);
  }
  return resumed;
}
