import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError, errorText } from "../errors.ts";
import { isObject } from "../json.ts";

/**
 * True when nothing is at a path. Throws a {@link ConfigError} where that cannot be said: a link on the way leads
 * nowhere, a folder may not be looked into. Guards that cannot be read must not pass for guards that nobody configured.
 */
export function isMissing(path: string): boolean {
  if (look(path)) return false;
  for (let above = dirname(path); ; above = dirname(above)) {
    if (!look(above) && dirname(above) !== above) continue;
    if (leadsToFolder(above)) return true;
    throw new ConfigError(`${above}: is no folder, or a link that leads nowhere`);
  }
}

/** What is at a path, a link itself if it is one. */
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
    return false; // nowhere, or round in circles
  }
}
