import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readUserFileSync } from "../../lib/files/read-file.ts";

/** The maximum size in bytes. Files of hooksh are smaller. */
const LIMIT = 64 * 1024 * 1024;

/** Writes a file that only its owner can read. A concurrent reader sees either the old content or the new. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${crypto.randomUUID()}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Returns the bytes of a file, or undefined if it is missing or unreadable. */
export function tryReadFile(path: string): Uint8Array | undefined {
  try {
    return readUserFileSync(path, { limit: LIMIT });
  } catch {
    return undefined; // callers treat an unreadable file as a missing one
  }
}
