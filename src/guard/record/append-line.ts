import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { requireRegularIfExists } from "../../lib/files/read-file.ts";

/** The most that one file holds, in bytes. */
const MAX_FILE = 64 * 1024 * 1024;

// Windows has neither flag. Without O_NONBLOCK, opening a FIFO waits for a reader, and the verdict with it; a FIFO can
// appear after the check that the file is a regular one.
const FLAGS =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/**
 * Appends a line to a file with one write, so that the lines of several processes do not mix. Creates the file and its
 * folder for their owner only. Throws if the line cannot be written completely, or the file would grow beyond 64 MiB.
 */
export function appendLine(file: string, line: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const bytes = Buffer.from(`${line}\n`);
  requireRegularIfExists(file);
  const descriptor = openSync(file, FLAGS, 0o600);
  try {
    if (fstatSync(descriptor).size + bytes.length > MAX_FILE) throw new Error(`${file}: holds 64 MiB already`);
    const written = writeSync(descriptor, bytes);
    if (written === bytes.length) return;
    writeSync(descriptor, "\n"); // ends the broken line, so that the next one can be read
    throw new Error(`${file}: only ${written} of ${bytes.length} bytes could be written`);
  } finally {
    closeSync(descriptor);
  }
}
