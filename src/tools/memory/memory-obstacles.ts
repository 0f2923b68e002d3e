import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorText } from "../../lib/errors.ts";
import { requireRegularIfExists } from "../../lib/files/read-file.ts";
import type { Machine, Obstacle } from "../toolset-row.ts";

/**
 * Returns why the file of a `memory` entry can be neither opened nor created on this machine: every call would fail.
 */
export function memoryObstacles({ path }: { path?: string }, { workingDir }: Machine): readonly Obstacle[] {
  if (!path) return [];
  const message = problemOf(resolve(workingDir, path));
  return message === undefined ? [] : [{ path: ["path"], message }];
}

function problemOf(file: string): string | undefined {
  try {
    requireRegularIfExists(file);
    const folder = nearestAbove(file);
    if (!statSync(folder).isDirectory()) return `${folder}: not a directory`;
    if (!existsSync(file)) accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** Returns the nearest folder above a file that exists. */
function nearestAbove(file: string): string {
  const folder = dirname(file);
  return folder === file || existsSync(folder) ? folder : nearestAbove(folder);
}
