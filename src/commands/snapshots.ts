import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print } from "../cli/print.ts";
import { renderCheckpoint, renderCheckpoints } from "../cli/snapshots-text.ts";
import { EXIT_CODES, UsageError, UserError } from "../lib/errors.ts";
import { escapeControls } from "../lib/text/escape-controls.ts";
import {
  type CheckpointSummary,
  listCheckpoints,
  type SnapshotOptions,
  type UndoResult,
} from "../snapshot/controller.ts";
import { parseCheckpointNumber, printUndo, requireCheckpoint, resetFiles } from "./snapshots/reset-files.ts";
import { findSnapshots, SNAPSHOT_FLAGS } from "./snapshots/snapshot-session.ts";

const FLAGS = {
  ...SNAPSHOT_FLAGS,
  to: {
    kind: "value",
    hint: "N|original",
    description: "reset: restore the state before this snapshot, or before all of them (original)",
  },
  yes: { kind: "switch", description: "reset: do not ask" },
  json: { kind: "switch", description: "Print JSON" },
} as const satisfies FlagSpecs;

type SnapshotsInput = CommandInput<typeof FLAGS>;

/** `hooksh snapshots`: lists what sessions changed, and restores earlier states. */
export const command = defineCommand({
  positionals: "list | show [N] | reset",
  description:
    "Lists the snapshots of a session, oldest first; shows the files that changed in one (default: the newest); or resets\n" +
    "the files to their state before a snapshot, and drops that snapshot and all later ones. The project's own git\n" +
    "repository is not changed.",
  flags: FLAGS,
  run: runSnapshots,
});

const ACTIONS = { list, show, reset } as const;

async function runSnapshots(input: SnapshotsInput): Promise<number> {
  const {
    flags,
    positionals: [action = "", number, ...rest],
    signal,
  } = input;
  if (!isAction(action)) throw new UsageError(`snapshots takes list, show or reset, not ${JSON.stringify(action)}`);
  const extra = action === "show" ? rest[0] : number;
  if (extra !== undefined) throw new UsageError(`snapshots ${action} does not take ${JSON.stringify(extra)}`);
  if (action === "reset" && flags.to === undefined) {
    throw new UsageError("snapshots reset needs --to N, or --to original");
  }
  if (action !== "reset" && (flags.to !== undefined || flags.yes || flags["dry-run"])) {
    throw new UsageError("--to, --yes and --dry-run are flags of snapshots reset");
  }
  const given = action === "reset" ? flags.to : number;
  const chosen = given === undefined ? undefined : parseCheckpointNumber(given);
  const options = await findSnapshots(flags.session, directoriesOf(flags), signal);
  const { checkpoints, problems } = await listCheckpoints(options);
  if (problems.length > 0) throw new UserError(problems.join("\n"));
  return ACTIONS[action]({ options, checkpoints, chosen, input });
}

function isAction(text: string): text is keyof typeof ACTIONS {
  return Object.hasOwn(ACTIONS, text);
}

interface Task {
  options: SnapshotOptions;
  checkpoints: CheckpointSummary[];
  chosen: number | undefined;
  input: SnapshotsInput;
}

async function list({ options: { sessionId }, checkpoints, input: { flags } }: Task): Promise<number> {
  if (flags.json) await print(JSON.stringify({ session_id: sessionId, snapshots: checkpoints }, undefined, 2));
  else await print(`Session ${escapeControls(sessionId)}\n${renderCheckpoints(checkpoints, [])}`);
  return EXIT_CODES.ok;
}

async function show({ options, checkpoints, chosen, input: { flags } }: Task): Promise<number> {
  const checkpoint = requireCheckpoint(checkpoints, chosen ?? checkpoints.length - 1, options.sessionId);
  await print(flags.json ? JSON.stringify(checkpoint, undefined, 2) : renderCheckpoint(checkpoint, options.cwd));
  return EXIT_CODES.ok;
}

async function reset({ options, checkpoints, chosen = 0, input: { flags, signal } }: Task): Promise<number> {
  const ask = { dryRun: flags["dry-run"] ?? false, yes: flags.yes ?? false, signal };
  const result = await resetFiles(options, checkpoints, chosen, ask);
  if (!result) return EXIT_CODES.failed;
  return flags.json ? printJson(result, options) : printUndo(result, ask.dryRun);
}

async function printJson({ ok, changes, problems }: UndoResult, { sessionId }: SnapshotOptions): Promise<number> {
  await print(JSON.stringify({ session_id: sessionId, ok, changes, problems }, undefined, 2));
  return ok ? EXIT_CODES.ok : EXIT_CODES.failed;
}
