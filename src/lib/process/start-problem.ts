import { accessSync, constants, existsSync, statSync } from "node:fs";
import { readUserFileSync } from "../files/read-file.ts";

/** Why the system cannot start a file as a program. */
export interface StartProblem {
  kind: "missing" | "directory" | "carriage_return" | "not_executable" | "no_interpreter";
  /** Follows the file's name and a colon. */
  text: string;
}

/** Enough for the first line of a script: systems accept no longer interpreter line. */
const FIRST_LINE_BYTES = 512;

/** Returns why the system cannot start the file at an absolute path; undefined if it finds no problem. Never throws. */
export function startProblem(path: string): StartProblem | undefined {
  const found = look(path);
  if (!found) return { kind: "missing", text: "no such file" };
  if (!found.isFile()) return found.isDirectory() ? { kind: "directory", text: "is a directory" } : undefined;
  const shebang = /^#!([^\n]*)/.exec(firstBytes(path))?.[1];
  if (shebang?.endsWith("\r")) {
    return {
      kind: "carriage_return",
      text: "its first line ends in a carriage return, save it with Unix line ends (LF)",
    };
  }
  if (!isExecutable(path)) return { kind: "not_executable", text: `not executable, chmod +x ${path}` };
  const interpreter = shebang?.trim().split(/\s/)[0];
  if (!interpreter || existsSync(interpreter)) return undefined;
  return { kind: "no_interpreter", text: `its first line names ${interpreter}, which does not exist` };
}

function look(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function firstBytes(path: string): string {
  try {
    return readUserFileSync(path, { limit: FIRST_LINE_BYTES, over: "cut" }).toString("latin1");
  } catch {
    return ""; // a program may be executable without being readable
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
