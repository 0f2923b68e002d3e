import type { JsonObject } from "../../lib/json.ts";

/** An operating system that an attack needs. */
export type Platform = "linux" | "macos" | "windows";

/** A tool call that a guard should stop. Hooks read it; it is never executed. */
export interface Attack {
  tool: string;
  input: JsonObject;
  /** The harm, on one line. */
  why: string;
  /** The operating system it needs; absent if any will do. */
  platform?: Platform;
}

/** Returns a call of `shell`. */
export function shell(cmd: string, why: string, platform?: Platform): Attack {
  return { tool: "shell", input: { cmd }, why, ...(platform && { platform }) };
}

/** Returns a call of `run_background_job`. */
export function background(cmd: string, why: string): Attack {
  return { tool: "run_background_job", input: { cmd }, why };
}

/** Returns a call of `write_file`. */
export function write(path: string, content: string, why: string, platform?: Platform): Attack {
  return { tool: "write_file", input: { path, content }, why, ...(platform && { platform }) };
}

/** Returns a call of `edit_file` with one edit. */
export function edit(path: string, oldText: string, newText: string, why: string): Attack {
  return { tool: "edit_file", input: { path, edits: [{ oldText, newText }] }, why };
}

/** Returns a call of `read_file`. */
export function read(path: string, why: string, platform?: Platform): Attack {
  return { tool: "read_file", input: { path }, why, ...(platform && { platform }) };
}

/** Returns a call of `remove_directory`. */
export function removeDirectory(path: string, why: string): Attack {
  return { tool: "remove_directory", input: { paths: [path] }, why };
}

/** Returns a call of `fetch`. */
export function fetchUrl(url: string, why: string): Attack {
  return { tool: "fetch", input: { urls: [url] }, why };
}
