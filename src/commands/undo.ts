import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { EXIT_CODES, UsageError, UserError } from "../lib/errors.ts";
import { parseCheckpointNumber, printUndo, resetFiles } from "./snapshots/reset-files.ts";
import { findSnapshots, SNAPSHOT_FLAGS } from "./snapshots/snapshot-session.ts";

const FLAGS = {
  ...SNAPSHOT_FLAGS,
  to: {
    kind: "value",
    hint: "N|original",
    description: "Restore the state before this snapshot of `hooksh snapshots list`, or before all of them (original)",
  },
  yes: { kind: "switch", description: "With --to: do not ask" },
} as const satisfies FlagSpecs;

/** `hooksh undo`: undoes the last change of an agent. */
export const command = defineCommand({
  positionals: "",
  description:
    "Restores the files that the last turn or tool call of a session changed, if snapshots were recorded. Changes neither\n" +
    "the conversation nor the project's own git repository. Run it again to go back further.",
  flags: FLAGS,
  run: runUndo,
});

async function runUndo({ flags, positionals, signal }: CommandInput<typeof FLAGS>): Promise<number> {
  if (positionals.length > 0) throw new UsageError(`undo does not take ${JSON.stringify(positionals[0])}`);
  if (flags.to !== undefined) parseCheckpointNumber(flags.to);
  const options = await findSnapshots(flags.session, directoriesOf(flags), signal);
  const dryRun = flags["dry-run"] ?? false;
  const { listCheckpoints, undoLast } = await import("../snapshot/controller.ts");
  if (flags.to !== undefined) {
    const { checkpoints, problems } = await listCheckpoints(options);
    if (problems.length > 0) throw new UserError(problems.join("\n"));
    const ask = { dryRun, yes: flags.yes ?? false, signal };
    const result = await resetFiles(options, checkpoints, parseCheckpointNumber(flags.to), ask);
    return result ? printUndo(result, dryRun) : EXIT_CODES.failed;
  }
  return printUndo(await undoLast({ ...options, dryRun }), dryRun);
}
