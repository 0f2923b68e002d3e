import { existsSync } from "node:fs";
import { readRegularFileSync } from "../../lib/files/read-file.ts";

/** Returns the text of a file, or its beginning if it is larger than `limit` bytes; undefined if it cannot be read. */
export function readIfRegular(path: string, limit = 1024 * 1024): string | undefined {
  // Most are missing, and making an error of that takes longer than to look.
  if (!existsSync(path)) return undefined;
  try {
    return readRegularFileSync(path, { limit, over: "cut" }).toString("utf8");
  } catch {
    return undefined;
  }
}
