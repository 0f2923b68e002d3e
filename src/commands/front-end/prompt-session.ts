import type { Directories } from "../../lib/env.ts";
import { type Runtime, stopBackgroundTasks } from "../../runtime/runtime.ts";
import { createSession, type Session } from "../../runtime/session/session.ts";
import { endSession, startSession } from "../../runtime/session/session-lifecycle.ts";
import type { PromptLine } from "./prompt-line.ts";
import type { RunControl } from "./run-control.ts";
import type { Terminal } from "./terminal.ts";

/** What a run at the prompt is about, from its first line to its last. */
export interface Conversation {
  readonly runtime: Runtime;
  /** The session that is answered now; `/clear` puts another in its place. */
  readonly current: { session: Session };
  readonly terminal: Terminal;
  readonly prompt: PromptLine;
  readonly control: RunControl;
  readonly directories: Directories;
  /** The file of stored sessions. */
  readonly sessionFile: string;
  /** True when hooks record snapshots. */
  readonly hasSnapshots: boolean;
  /** Lines to be read before the user is asked for one. */
  readonly pending: string[];
  /** Commands that were typed while the agent worked, and have to wait for its answer. */
  readonly afterAnswer: string[];
  /** The safety mode each session had before `/yolo`. */
  readonly earlierModes: WeakMap<Session, string | undefined>;
  /** The user wants to leave. */
  isLeaving: boolean;
}

/** Ends the session and begins another one in its place. What still waits was meant for the old one. */
export async function replaceSession({ runtime, current, control }: Conversation): Promise<void> {
  const { workingDir, safetyMode } = current.session;
  runtime.queues.steering.splice(0);
  runtime.queues.followUps.splice(0);
  await stopBackgroundTasks(runtime);
  await endSession(runtime, current.session, "clear");
  current.session = createSession(workingDir, safetyMode === undefined ? {} : { safetyMode });
  await startSession(runtime, current.session, "clear", control.beginStream());
}
