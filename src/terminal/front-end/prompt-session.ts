import type { Directories } from "../../lib/env.ts";
import { endSession, startSession } from "../../runtime/conversation/session-lifecycle.ts";
import type { AttachedFile } from "../../runtime/session/attached-file.ts";
import { createSession, type Session } from "../../runtime/session/session.ts";
import type { StoredSession } from "../../runtime/store/queries.ts";
import { type Runtime, stopBackgroundTasks } from "../../runtime/stream/runtime.ts";
import type { LastOutcomes } from "./last-outcomes.ts";
import type { RunControl } from "./run-control.ts";
import type { InputLine, SentLine, Terminal } from "./terminal.ts";

/** The state of a run at the prompt, from its first line to its last. */
export interface Conversation {
  readonly runtime: Runtime;
  /** Holds the current session; `/clear` replaces it. */
  readonly current: { session: Session };
  readonly terminal: Terminal;
  readonly input: InputLine;
  readonly control: RunControl;
  readonly directories: Directories;
  /** The file of stored sessions. */
  readonly sessionFile: string;
  /** True if hooks record snapshots. */
  readonly hasSnapshots: boolean;
  readonly stored: {
    /** The folder that the run was started in. */
    readonly folder: string;
    /** Lists conversations with users, newest first; only those of a folder, if one is given. */
    list(limit: number, folder?: string): StoredSession[];
    /** Loads a stored session to look at; undefined if there is none with the id. Throws a `UserError` for a sub-session. */
    load(id: string): Session | undefined;
    /** Changes a loaded session so that this run can continue it. Throws a `UserError` if its directory is gone. */
    adopt(session: Session): Session;
    retitle(id: string, title: string): void;
    remove(id: string): void;
  };
  /** The models that the agent file names. */
  readonly modelNames: readonly string[];
  readonly outcomes: LastOutcomes;
  /** Lines to read before asking the user for one. */
  readonly pending: SentLine[];
  /** Commands that were typed while the agent worked and that wait for its answer. */
  readonly afterAnswer: SentLine[];
  /** Files that go with the first message. */
  readonly firstFiles: AttachedFile[];
  /** Resolves once the files of every line that was typed so far are read. */
  reading: Promise<void>;
  /** The safety mode each session had before `/yolo`. */
  readonly earlierModes: WeakMap<Session, string | undefined>;
  /** When Ctrl+C was pressed last, in milliseconds since 1970; 0 if it was not. */
  interruptedAt: number;
  /** True once the user wants to leave. */
  isLeaving: boolean;
}

/** Ends the session and starts `next`, or a new one with the same safety mode. Drops queued messages: they were meant for the old session. */
export async function replaceSession(conversation: Conversation, next?: Session): Promise<void> {
  const { runtime, current, control } = conversation;
  const { workingDir, startedIn, agentFile, safetyMode } = current.session;
  runtime.queues.steering.splice(0);
  runtime.queues.followUps.splice(0);
  await stopBackgroundTasks(runtime, "the session has ended");
  await endSession(runtime, current.session, "clear");
  current.session =
    next ??
    createSession(workingDir, {
      ...(startedIn === undefined ? {} : { startedIn }),
      ...(agentFile === undefined ? {} : { agentFile }),
      ...(safetyMode === undefined ? {} : { safetyMode }),
    });
  await startSession(runtime, current.session, next ? "resume" : "clear", control.beginStream());
}
