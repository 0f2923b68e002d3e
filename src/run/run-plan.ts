import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { CommandInput } from "../cli/define-command.ts";
import { directoriesOf, openLog } from "../cli/global-flags.ts";
import { warn } from "../cli/print.ts";
import { isSafetyMode, SAFETY_MODES } from "../config/permissions/safety-modes.ts";
import { type ModelTraffic, openModelTraffic } from "../hooks/model-traffic.ts";
import { checkTrust, isInteractive } from "../hooks/trust-check.ts";
import { type Directories, processEnv } from "../lib/env.ts";
import { UsageError } from "../lib/errors.ts";
import type { Team } from "../runtime/agent/agent.ts";
import type { AttachedFile } from "../runtime/session/attached-file.ts";
import { checkTeam } from "../runtime/team/check-team.ts";
import type { LastOutcomes } from "../terminal/front-end/last-outcomes.ts";
import { loadSetup, type RunSetup } from "./load-setup.ts";
import { isForProgram, type RUN_FLAGS, type RunFlags, type RunMessages } from "./run-flags.ts";
import type { RunLedger } from "./run-ledger.ts";
import { attachedFiles, checkMessages } from "./run-messages.ts";
import { openStoredRun, type StoredRun } from "./stored-run.ts";

export type RunInput = CommandInput<typeof RUN_FLAGS>;

/** A run of which everything is loaded and checked that needs no tool to be started. */
export interface RunPlan extends RunInput {
  /** Keeps the account of the run. */
  readonly ledger: RunLedger;
  /** `--working-dir`, else the current directory: where files that flags name are looked for. */
  readonly cwd: string;
  readonly directories: Directories;
  readonly setup: RunSetup;
  readonly stored: StoredRun;
  readonly traffic: ModelTraffic;
  /** The messages of the command line. */
  readonly given: readonly string[];
  /** Files that go with the first message. */
  readonly files: readonly AttachedFile[];
}

/** A run with everything loaded, before its session starts. */
export interface SessionRun extends RunPlan {
  team: Team;
  workingDir: string;
  messages: RunMessages;
  /** How each hook ended last; the hooks of the team write it. */
  outcomes: LastOutcomes;
}

/**
 * Loads what a run needs, and asks for trust where the agent needs it. Throws a `UserError` for whatever keeps the run
 * from starting.
 */
export async function planRun(input: RunInput, ledger: RunLedger): Promise<RunPlan> {
  const { flags, signal } = input;
  const [reference, ...given] = input.positionals;
  checkMessages(given);
  const files = await attachedFiles(flags.attach, signal);
  const cwd = workingDirOf(flags);
  const directories = directoriesOf(flags);
  const setup = await loadSetup({ reference, flags, workingDir: cwd, directories, signal });
  await checkTrust(setup.file, {
    // A dry run starts nothing, so a found file needs no trust.
    flags: { ...flags, "trust-folder": flags["trust-folder"] || flags["dry-run"] },
    directories,
    interactive: isInteractive() && !isForProgram(flags),
    signal,
  });
  await checkTeam(setup.file, {
    ...modelOptions({ setup, flags, directories }),
    models: { offline: flags.replay !== undefined },
    // A dry run checks what is written; a server can be started later.
    ...(flags["dry-run"] ? { onSilentServer: warn } : {}),
  });
  const stored = openStoredRun(flags, directories, cwd);
  return { ...input, ledger, cwd, directories, setup, stored, traffic: await openModelTraffic(flags), given, files };
}

/** The part of the options of a team that its models need. */
export function modelOptions({ setup, flags, directories }: Pick<RunPlan, "setup" | "flags" | "directories">) {
  const { lookup, userDefaultModel } = setup;
  return { env: processEnv(), lookup, userDefaultModel, log: openLog(flags, directories) };
}

/** Throws a {@link UsageError} for flags that contradict each other or have an invalid value. */
export function checkFlags(flags: RunFlags): void {
  if (flags.replay !== undefined && flags.record !== undefined)
    throw new UsageError("--replay and --record=FILE cannot be used together: a replay has no traffic with models");
  if (flags["replay-stream"] !== undefined && flags.replay === undefined)
    throw new UsageError("--replay-stream requires --replay");
  const format = flags["output-format"];
  const other = [flags.json && "--json", flags.last && "--last", flags.print && "--print"].find(Boolean);
  if (format !== undefined && other) throw new UsageError(`--output-format and ${other} cannot be used together`);
  if (flags.print && flags.json) throw new UsageError("--print and --json cannot be used together");
  if (flags["any-folder"] && !/^-\d+$/.test(flags.session ?? ""))
    throw new UsageError("--any-folder says what --session -1, -2 and so on count: it requires one of them");
  if (flags["replay-loose"] && flags.replay === undefined) throw new UsageError("--replay-loose requires --replay");
  if (flags.safety !== undefined && !isSafetyMode(flags.safety))
    throw new UsageError(`--safety takes ${SAFETY_MODES.join(", ")}`);
}

export function workingDirOf(flags: RunFlags): string {
  const given = flags["working-dir"];
  if (given === undefined) return process.cwd();
  const path = resolve(given);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--working-dir ${given}: no such directory`);
  return path;
}
