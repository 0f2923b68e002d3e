import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";

/** A file to write. */
export interface NewFile {
  name: string;
  text: string;
}

/**
 * Writes files into a directory, all or none: throws a {@link UserError} that names every file that exists already. With
 * `overwrite` it replaces them; a symbolic link is replaced, not followed.
 */
export function writeFiles(directory: string, files: readonly NewFile[], overwrite: boolean): void {
  const existing = files.filter(({ name }) => lstatSync(join(directory, name), { throwIfNoEntry: false }));
  if (existing.length > 0 && !overwrite) {
    const names = existing.map(({ name }) => name).join(", ");
    throw new UserError(
      `${names}: ${existing.length === 1 ? "exists" : "exist"} already, so nothing was written; ` +
        "name another file, or replace with --force",
    );
  }
  for (const { name, text } of files) {
    const path = join(directory, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      rmSync(path, { force: true });
      writeFileSync(path, text, { flag: "wx" });
    } catch (error) {
      throw new UserError(`${path}: cannot be written: ${errorText(error)}`, { cause: error });
    }
  }
}
