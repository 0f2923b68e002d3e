import { isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";

/** Returns the value at a path such as `tool_info.file_path` or `workspaceRoots.0`; undefined if it is absent or null. */
export function valueAt(payload: Payload, path: string): unknown {
  let value: unknown = payload;
  for (const key of path.split(".")) {
    if ((!isObject(value) && !Array.isArray(value)) || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value ?? undefined;
}

/** Returns the first value that is present at one of the paths, not counting empty texts. */
export function firstAt(payload: Payload, paths: readonly string[]): unknown {
  for (const path of paths) {
    const value = valueAt(payload, path);
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}
