import type { UndoResult } from "../../builtins/snapshot/controller.ts";
import { EXIT_CODES, UsageError, UserError } from "../lib/errors.ts";
import { type CommandInput, defineCommand } from "./command.ts";
import { directoriesOf, print, printError } from "./output.ts";
import { renderUndo } from "./render/snapshots.ts";
import { findSnapshots, SNAPSHOT_FLAGS } from "./snapshot-session.ts";

/** `hooksh undo`: takes back what an agent did last. Source: config-and-cli 9.7, runtime 16. */
export const command = defineCommand({
  positionals: "",
  description:
    "Restores the files that the last turn or tool call of a session changed, if snapshots were recorded. The\n" +
    "conversation stays as it is, and so does the project's own git repository. Run it again to go back further.",
  flags: SNAPSHOT_FLAGS,
  run: runUndo,
});

async function runUndo({ flags, positionals, signal }: CommandInput<typeof SNAPSHOT_FLAGS>): Promise<number> {
  if (positionals.length > 0) throw new UsageError(`undo takes no argument ${JSON.stringify(positionals[0])}`);
  const options = await findSnapshots(flags.session, directoriesOf(flags), signal);
  const dryRun = flags["dry-run"] ?? false;
  const { undoLast } = await import("../../builtins/snapshot/controller.ts");
  return printUndo(await undoLast({ ...options, dryRun }), dryRun);
}

/** Prints what an undo came to; problems go to standard error. Gives the exit code. */
export async function printUndo(result: UndoResult, dryRun: boolean): Promise<number> {
  if (!result.ok && result.problems.length === 0) throw new UserError("nothing to undo");
  if (result.changes.length > 0) await print(renderUndo({ ...result, problems: [] }, dryRun));
  for (const problem of result.problems) printError(`not done: ${problem}`);
  return result.ok ? EXIT_CODES.ok : EXIT_CODES.failed;
}
