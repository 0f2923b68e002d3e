import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readUserFileSync } from "../../lib/files/read-file.ts";

/** In bytes; more than anything that is kept here. */
const LIMIT = 64 * 1024 * 1024;

/** Writes a file that only its owner reads; whoever reads it at the same time sees the old one or the new one. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${crypto.randomUUID()}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, path);
}

/** The bytes of a file, or undefined when there is none to read. */
export function tryReadFile(path: string): Uint8Array | undefined {
  try {
    return readUserFileSync(path, { limit: LIMIT });
  } catch {
    return undefined; // never stored, or not ours to read: it is fetched anew
  }
}
