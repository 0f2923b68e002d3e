import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { ownProgram, shellLine } from "../../hosts/registration/own-command.ts";
import { findExecutable } from "../../lib/platform.ts";

/**
 * Returns what starts this program when it is typed in a directory: `hooksh` if the shell finds it under that name, a
 * path below the directory such as `dist/hooksh`, else the absolute path.
 */
export function ownName(directory: string): string {
  const program = ownProgram();
  const onPath = findExecutable("hooksh");
  if (onPath !== undefined && realpathSync(onPath) === realpathSync(program.at(-1) ?? "")) return "hooksh";
  return shellLine(
    program.map((path) => shortened(path, directory)),
    process.platform,
  );
}

function shortened(path: string, directory: string): string {
  const below = relative(directory, path);
  if (below === "" || below.startsWith("..") || below === path) return path;
  return /[\\/]/.test(below) ? below : `./${below}`;
}
