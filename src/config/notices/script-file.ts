import { accessSync, constants, existsSync, statSync } from "node:fs";
import { type Env, variableName } from "../../lib/env.ts";
import { readUserFileSync } from "../../lib/read-file.ts";
import type { HookScript } from "./hook-script.ts";

/** Enough of a script to hold its first line. */
const FIRST_LINE_BYTES = 512;

/** Why a script cannot run as its hook has it; undefined if nothing is known to be wrong. */
export function scriptProblem({ written, path, start }: HookScript, env: Env): string | undefined {
  const shown = JSON.stringify(written);
  if (start === "name") {
    if (Bun.which(written, { PATH: env[variableName(env, "PATH")] ?? "" })) return undefined;
    return `${shown} is not in PATH: write a path with a slash, such as "\${hook_dir}/${written}"`;
  }
  const found = look(path);
  if (!found) return `${shown}: no such file: ${path}`;
  if (!found.isFile()) return found.isDirectory() ? `${shown} is a directory: ${path}` : undefined;
  if (start === "module") return undefined;
  const line = firstLine(path);
  const isShebang = line.startsWith("#!");
  if (isShebang && line.endsWith("\r")) return `${shown}: its first line ends in a carriage return (CRLF), which becomes part of the interpreter's name`;
  if (start === "argument") return undefined;
  if (!isExecutable(path)) return `${shown} is not executable: chmod +x ${path}`;
  const interpreter = isShebang ? line.slice(2).trim().split(/\s/)[0] : undefined;
  if (interpreter && !existsSync(interpreter)) return `${shown}: its first line names ${interpreter}, which does not exist`;
  return undefined;
}

function look(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** The first line without its line feed; empty for a file that cannot be read. */
function firstLine(path: string): string {
  try {
    return readUserFileSync(path, { limit: FIRST_LINE_BYTES, over: "cut" }).toString("latin1").split("\n")[0] ?? "";
  } catch {
    return "";
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
