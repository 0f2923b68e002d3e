import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../lib/errors.ts";
import type { Access } from "./access.ts";
import { type Place, realPath } from "./paths.ts";
import type { HiddenByVcs } from "./vcs.ts";

/** An entry of a directory that may be shown. */
export interface Entry extends Place {
  name: string;
  /** `other` for a symbolic link, so that no walk leaves the directory or runs in circles. */
  kind: "directory" | "file" | "other";
}

/** Returns the entries of a directory that may be shown, sorted by name. Throws if the directory cannot be read. */
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

/** Throws a {@link UserError} unless the place is a directory. */
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
    return undefined; // a cycle of links
  }
}
