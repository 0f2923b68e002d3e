import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { writePrivateFile } from "../../config/sources/private-file.ts";
import type { Directories } from "../../lib/env.ts";
import { errorText, UserError } from "../../lib/errors.ts";
import { type FilePlan, readHostFile } from "./host-plan.ts";

/** Throws a {@link UserError} if a file must not be written: another user's, read-only, or not a file. */
export function requireWritable({ path }: FilePlan): void {
  if (!lstatSync(path, { throwIfNoEntry: false })) return;
  const stats = statSync(path);
  if (!stats.isFile()) throw new UserError(`${path}: is not a regular file`);
  if (process.getuid && stats.uid !== process.getuid())
    throw new UserError(`${path}: belongs to another user; hooksh writes only your own files`);
  if ((stats.mode & 0o200) === 0)
    throw new UserError(`${path}: is read-only; to let hooksh edit it: chmod u+w ${path}`);
}

/**
 * Writes, or removes, a file as planned. A reader sees either the old file or the new one; its mode and a symbolic link
 * to it stay. Returns the path of the backup, if there was a file. Throws a {@link UserError}, and changes nothing, if
 * the file is not as it was when the plan was made.
 */
export function writeHostFile(plan: FilePlan, directories: Pick<Directories, "data">): string | undefined {
  const { path, before, after } = plan;
  requireWritable(plan);
  if (readHostFile(path) !== before)
    throw new UserError(`${path}: changed in the meantime; nothing was written, run the command again`);
  const backup = before === undefined ? undefined : backUp(path, before, directories);
  try {
    if (after === undefined) rmSync(path);
    else replaceFile(path, after, plan.executable ?? false);
  } catch (error) {
    throw new UserError(`${path}: cannot be written: ${errorText(error)}`, { cause: error });
  }
  return backup;
}

/** Stores the old content in the data directory, which only the user can read, because settings may hold secrets. */
function backUp(path: string, content: string, { data }: Pick<Directories, "data">): string {
  const time = new Date().toISOString().replaceAll(":", "-");
  const backup = join(data, "hosts", "backups", `${time}-${path.replace(/[^\w.]+/g, "-").slice(-120)}`);
  writePrivateFile(backup, content);
  return backup;
}

function replaceFile(path: string, content: string, executable: boolean): void {
  const folder = dirname(path);
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  const target = existsSync(path) ? realpathSync(path) : path;
  const mode = existsSync(target) ? statSync(target).mode & 0o7777 : undefined;
  const temporary = join(dirname(target), `.${basename(target)}.${crypto.randomUUID()}.tmp`);
  try {
    writeFileSync(temporary, content, { mode: executable ? 0o755 : 0o644, flag: "wx" });
    if (mode !== undefined) chmodSync(temporary, mode);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Removes the folders around a removed file that are empty now, up to `levels`. */
export function removeEmptyFolders(path: string, folders: readonly string[]): void {
  for (let at = dirname(path); folders.includes(at); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch {
      return; // not empty
    }
  }
}

/** Returns the folders that do not exist yet and that writing a file creates, the innermost first. */
export function missingFolders(path: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(path); !existsSync(at); at = dirname(at)) missing.push(at);
  return missing;
}
