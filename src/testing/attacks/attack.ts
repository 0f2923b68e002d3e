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

export function shell(cmd: string, why: string, platform?: Platform): Attack {
  return { tool: "shell", input: { cmd }, why, ...(platform && { platform }) };
}

export function background(cmd: string, why: string): Attack {
  return { tool: "run_background_job", input: { cmd }, why };
}

export function write(path: string, content: string, why: string, platform?: Platform): Attack {
  return { tool: "write_file", input: { path, content }, why, ...(platform && { platform }) };
}

export function edit(path: string, oldText: string, newText: string, why: string): Attack {
  return { tool: "edit_file", input: { path, edits: [{ oldText, newText }] }, why };
}

export function read(path: string, why: string, platform?: Platform): Attack {
  return { tool: "read_file", input: { path }, why, ...(platform && { platform }) };
}

export function removeDirectory(path: string, why: string): Attack {
  return { tool: "remove_directory", input: { paths: [path] }, why };
}

export function fetchUrl(url: string, why: string): Attack {
  return { tool: "fetch", input: { urls: [url] }, why };
}
