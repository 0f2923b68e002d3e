import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError, errorText } from "../errors.ts";
import { isObject } from "../json.ts";

/**
 * True if nothing exists at a path. Throws a {@link ConfigError} if that cannot be determined: a symbolic link on the
 * way is broken, or a folder cannot be read. Hooks that cannot be read must not count as hooks that were never
 * configured.
 */
export function isMissing(path: string): boolean {
  if (look(path)) return false;
  for (let above = dirname(path); ; above = dirname(above)) {
    if (!look(above) && dirname(above) !== above) continue;
    if (leadsToFolder(above)) return true;
    throw new ConfigError(`${above}: not a directory, or a broken symbolic link`);
  }
}

/** Returns what is at a path, without following a symbolic link. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isObject(error) && (error["code"] === "ENOENT" || error["code"] === "ENOTDIR")) return undefined;
    throw new ConfigError(`${path}: ${errorText(error)}`, { cause: error });
  }
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // a broken link, or a cycle of links
  }
}
