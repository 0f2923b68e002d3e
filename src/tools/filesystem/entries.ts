import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../lib/errors.ts";
import type { Access } from "./access.ts";
import { type Place, realPath } from "./paths.ts";
import type { HiddenByVcs } from "./vcs.ts";

/** What stands in a directory and may be seen. */
export interface Entry extends Place {
  name: string;
  /** A symbolic link counts as `other`, so that no walk leaves the directory or goes in circles. */
  kind: "directory" | "file" | "other";
}

/** The entries of a directory that may be seen, by name. Throws when it cannot be read. */
export async function visibleEntries(directory: Place, access: Access, hiddenByVcs: HiddenByVcs): Promise<Entry[]> {
  const found = await readdir(directory.real, { withFileTypes: true });
  return found
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((dirent) => toEntry(dirent, directory) ?? [])
    .filter((entry) => {
      const isDirectory = entry.kind === "directory";
      return !access.hides(entry, isDirectory) && !hiddenByVcs(join(directory.real, entry.name), isDirectory);
    });
}

/** Throws a {@link UserError} for a place that is no directory. */
export async function requireDirectory(place: Place): Promise<void> {
  const found = await stat(place.real).catch(() => undefined);
  if (!found) throw new UserError(`not found: ${place.path}`);
  if (!found.isDirectory()) throw new UserError(`${place.path} is not a directory`);
}

function toEntry(dirent: Dirent, directory: Place): Entry | undefined {
  const { name } = dirent;
  const place = { name, path: join(directory.path, name), real: join(directory.real, name) };
  if (dirent.isDirectory()) return { ...place, kind: "directory" };
  if (dirent.isFile()) return { ...place, kind: "file" };
  try {
    return { ...place, real: realPath(place.real), kind: "other" };
  } catch {
    return undefined; // links in a circle lead nowhere
  }
}
