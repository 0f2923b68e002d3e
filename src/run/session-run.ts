import type { Team } from "../runtime/agent/agent.ts";
import type { AttachedFile } from "../runtime/session/attached-file.ts";
import type { LastOutcomes } from "../terminal/front-end/last-outcomes.ts";
import type { RunSetup } from "./load-setup.ts";
import type { RunFlags, RunMessages } from "./run-flags.ts";
import type { RunLedger } from "./run-ledger.ts";
import type { StoredRun } from "./stored-run.ts";

/** A run with everything loaded, before its session starts. */
export interface SessionRun {
  flags: RunFlags;
  signal: AbortSignal;
  onInterrupt: (handler: () => boolean) => void;
  team: Team;
  setup: RunSetup;
  workingDir: string;
  messages: RunMessages;
  /** Files that go with the first message. */
  files: readonly AttachedFile[];
  stored: StoredRun;
  /** Keeps the account of the run. */
  ledger: RunLedger;
  /** How each hook ended last; the hooks of the team write it. */
  outcomes: LastOutcomes;
}
