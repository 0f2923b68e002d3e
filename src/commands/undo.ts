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
  undoLast,
} from "../snapshot/controller.ts";
import { parseCheckpointNumber, printUndo, requireCheckpoint, resetFiles } from "./snapshots/reset-files.ts";
import { findSnapshots, SNAPSHOT_FLAGS } from "./snapshots/snapshot-session.ts";

const FLAGS = {
  ...SNAPSHOT_FLAGS,
  to: {
    kind: "value",
    hint: "N|original",
    description: "Restore the state before this snapshot of `hooksh undo list`, or before all of them (original)",
  },
  yes: { kind: "switch", description: "With --to: do not ask" },
  json: { kind: "switch", description: "Print JSON" },
} as const satisfies FlagSpecs;

type UndoInput = CommandInput<typeof FLAGS>;

/** `hooksh undo`: restores files that an agent changed, and lists what there is to restore. */
export const command = defineCommand({
  positionals: "[list | show [N] | reset]",
  description:
    "Restores the files that the last turn or tool call of a session changed, if snapshots were recorded; run it again to\n" +
    "go back further. list shows the snapshots of a session, oldest first, and show the files that changed in one (default:\n" +
    "the newest). --to, also as reset --to, goes back to the state before a snapshot, and drops it and all later ones.\n" +
    "Changes neither the conversation nor the project's own git repository.",
  flags: FLAGS,
  run: runUndo,
});

const ACTIONS = { list, show, reset } as const;

async function runUndo(input: UndoInput): Promise<number> {
  const { flags, positionals, signal } = input;
  const find = () => findSnapshots(flags, directoriesOf(flags), signal);
  if (positionals.length === 0 && flags.to === undefined) return undoLastChange(await find(), flags);
  const [action = "reset", number, ...rest] = positionals;
  if (!isAction(action)) throw new UsageError(`undo takes list, show or reset, not ${JSON.stringify(action)}`);
  const extra = action === "show" ? rest[0] : number;
  if (extra !== undefined) throw new UsageError(`undo ${action} does not take ${JSON.stringify(extra)}`);
  if (action === "reset" && flags.to === undefined) throw new UsageError("undo reset needs --to N, or --to original");
  if (action !== "reset" && (flags.to !== undefined || flags.yes || flags["dry-run"]))
    throw new UsageError(`undo ${action} does not take --to, --yes and --dry-run`);
  const given = action === "reset" ? flags.to : number;
  const chosen = given === undefined ? undefined : parseCheckpointNumber(given);
  const options = await find();
  const { checkpoints, problems } = await listCheckpoints(options);
  if (problems.length > 0) throw new UserError(problems.join("\n"));
  return ACTIONS[action]({ options, checkpoints, chosen, input });
}

async function undoLastChange(options: SnapshotOptions, flags: UndoInput["flags"]): Promise<number> {
  const dryRun = flags["dry-run"] ?? false;
  const result = await undoLast({ ...options, dryRun });
  return flags.json ? printJson(result, options) : printUndo(result, dryRun);
}

function isAction(text: string): text is keyof typeof ACTIONS {
  return Object.hasOwn(ACTIONS, text);
}

interface Task {
  options: SnapshotOptions;
  checkpoints: CheckpointSummary[];
  chosen: number | undefined;
  input: UndoInput;
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
