import { statSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Directories } from "../../lib/env.ts";
import { ConfigError, UsageError, UserError } from "../../lib/errors.ts";
import type { Journal } from "../../runtime/runtime.ts";
import { createSession, type Session } from "../../runtime/session/session.ts";
import { openStore, type Store } from "../../runtime/store/store.ts";
import { warn } from "../cli/print.ts";
import { sessionFile } from "../cli/session-flags.ts";
import type { RunFlags } from "./run-flags.ts";

/** What a run stores its session with, and the session it goes on with. */
export interface StoredRun {
  /** Absent when nothing can be stored. */
  journal: Journal | undefined;
  /** The stored session that is taken up. */
  resumed: Session | undefined;
  /** The id a new session has to have. */
  newId: string | undefined;
  /** Says what could not be stored. Never throws. */
  close(): void;
}

/**
 * Opens the sessions of a run. One that names a session or a file cannot do without them; any other goes on with a
 * warning when they cannot be opened. Throws a {@link UserError}.
 */
export function openStoredRun(flags: RunFlags, directories: Directories): StoredRun {
  const required = flags.session !== undefined || flags["session-db"] !== undefined;
  const store = open(sessionFile(flags["session-db"], directories), required);
  if (!store) return { journal: undefined, resumed: undefined, newId: undefined, close: () => {} };
  const journal = store.journal({ required, warn });
  const resumed = flags.session === undefined ? undefined : loadSession(store, flags.session);
  return {
    journal,
    resumed,
    newId: resumed ? undefined : flags.session,
    close: () => {
      journal.close();
      store.close();
    },
  };
}

function open(path: string, required: boolean): Store | undefined {
  try {
    return openStore(path);
  } catch (error) {
    if (required || error instanceof ConfigError || !(error instanceof UserError)) throw error;
    warn(`the session is not stored: ${error.message}`);
    return undefined;
  }
}

/** An id becomes a part of file names and messages. */
const ID = /^(?![-.\s])[^\p{Cc}/\\]{1,200}$/u;

function loadSession(store: Store, reference: string): Session | undefined {
  if (!/^-\d+$/.test(reference) && !ID.test(reference)) {
    const name = JSON.stringify(reference);
    throw new UsageError(`--session ${name}: an id begins with no dash, dot or space and holds no slash`);
  }
  const session = store.load(reference);
  // The loop would take it for a task between agents, where the hooks on prompts are not asked.
  if (session?.parentId !== undefined) {
    throw new UserError(`session ${session.id} is a part of session ${session.parentId}: go on with that one`);
  }
  return session;
}

/** The directory of a run: the one a flag named, else the one of the session that is taken up. */
export function sessionDirectory({ resumed }: StoredRun, flags: RunFlags, current: string): string {
  if (!resumed || flags["working-dir"] !== undefined) return current;
  if (statSync(resumed.workingDir, { throwIfNoEntry: false })?.isDirectory()) return resumed.workingDir;
  throw new UserError(
    `session ${resumed.id} ran in ${resumed.workingDir}, which is gone: name a directory with --working-dir`,
  );
}

/**
 * The session of a run. One that is taken up keeps its safety mode unless a flag names another.
 *
 * Source: runtime 15.3.
 */
export function sessionOf(
  { resumed, newId }: StoredRun,
  flags: RunFlags,
  workingDir: string,
  safetyMode: string | undefined,
): Session {
  const mode = safetyMode === undefined ? {} : { safetyMode };
  if (!resumed) return createSession(workingDir, { ...mode, ...(newId === undefined ? {} : { id: newId }) });
  resumed.workingDir = workingDir;
  if (flags.safety !== undefined || flags.yolo !== undefined) {
    delete resumed.safetyMode;
    Object.assign(resumed, mode);
  }
  return resumed;
}

/** The title of a conversation: how its first message begins, on one line. Source: runtime 15.5. */
export function titleOf(message: string): string {
  const line = stripVTControlCharacters(message.slice(0, 2000))
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return [...line].slice(0, 60).join("").trimEnd();
}
