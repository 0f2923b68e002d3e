import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Returns the folder of the git repository that holds a folder, if one does. */
export function repositoryRoot(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : repositoryRoot(dirname(folder));
}
