import { readRegularFileSync } from "../../lib/files/read-file.ts";

/** Returns the text of a file, or its beginning if it is larger than `limit` bytes; undefined if it cannot be read. */
export function readIfRegular(path: string, limit = 1024 * 1024): string | undefined {
  try {
    return readRegularFileSync(path, { limit, over: "cut" }).toString("utf8");
  } catch {
    return undefined;
  }
}
