import { existsSync } from "node:fs";
import { print } from "../../cli/print.ts";
import { confirm, isInteractive } from "../../hooks/trust-check.ts";
import type { Directories } from "../../lib/env.ts";
import { errorText, UserError } from "../../lib/errors.ts";
import { unifiedDiff } from "../../lib/text/unified-diff.ts";
import type { FilePlan, RecordedPlan } from "./host-plan.ts";
import { openInstallRecord } from "./install-record.ts";
import { missingFolders, removeEmptyFolders, requireWritable, writeHostFile } from "./write-host-file.ts";

export interface ApplyOptions {
  directories: Directories;
  yes: boolean;
  dryRun: boolean;
  signal: AbortSignal;
}

/**
 * Shows the changes, asks, and writes the files. Returns false for a dry run. Throws a {@link UserError} if the user
 * says no, or cannot be asked.
 */
export async function applyPlans(plans: readonly (FilePlan | RecordedPlan)[], options: ApplyOptions): Promise<boolean> {
  // The lines around a change may hold keys, and what is printed may be kept by a terminal or a CI log.
  const { redact } = (await import("../../cli/redactor.ts")).redactorFor({});
  for (const plan of plans) {
    requireWritable(plan);
    await print(redact(diffOf(plan)));
  }
  if (options.dryRun) return false;
  if (!options.yes) await ask(plans, options.signal);
  // Before the first write, after which a folder of several files exists.
  const created = plans.map(({ path, before }) => (before === undefined ? missingFolders(path) : []));
  for (const [index, plan] of plans.entries()) {
    try {
      await write(plan, created[index] ?? [], options.directories);
    } catch (error) {
      if (error instanceof UserError) throw error;
      const folder = options.directories.data;
      throw new UserError(`${plan.path}: its backup cannot be kept in ${folder}: ${errorText(error)}`, {
        cause: error,
      });
    }
  }
  return true;
}

async function ask(plans: readonly FilePlan[], signal: AbortSignal): Promise<void> {
  if (!isInteractive())
    throw new UserError("nothing was written: there is no terminal to ask on; --yes writes without asking");
  const files = plans.length === 1 ? "this file" : `these ${plans.length} files`;
  if (!(await confirm(`Change ${files}? [y/N] `, signal))) throw new UserError("nothing was written");
}

function diffOf({ path, before, after }: FilePlan): string {
  const name = (text: string | undefined) => (text === undefined ? "/dev/null" : path);
  return `--- ${name(before)}\n+++ ${name(after)}\n${unifiedDiff(before, after)}`;
}

async function write(
  plan: FilePlan | RecordedPlan,
  created: readonly string[],
  directories: Directories,
): Promise<void> {
  const { path } = plan;
  const backup = "registered" in plan ? writeRecorded(plan, created, directories) : writeHostFile(plan, directories);
  await print(`${existsSync(path) ? "wrote" : "removed"} ${path}${backup === undefined ? "" : ` (backup: ${backup})`}`);
}

/** Writes a file of a host, and what the record of `install` keeps about it. */
function writeRecorded(plan: RecordedPlan, created: readonly string[], directories: Directories): string | undefined {
  const { path, before, after, hadOwn, registered } = plan;
  const record = openInstallRecord(directories);
  const known = record.isUnchanged(path, before) ? record.find(path) : undefined;
  const folders = before === undefined ? [...created] : (known?.folders ?? []);
  const backup = writeHostFile(plan, directories);
  if (after === undefined || plan.isRemoval) {
    record.remove(path);
    if (after === undefined) removeEmptyFolders(path, folders);
  } else {
    const original = hadOwn ? known?.original : backup;
    const entry = { folders, ...(original === undefined ? {} : { original }), ...registered };
    // Without the content from before the first install, uninstall edits the file instead of restoring it.
    record.set(path, { ...entry, time: new Date().toISOString() }, hadOwn && !known ? undefined : after);
  }
  return backup;
}
