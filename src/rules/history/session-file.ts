import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { UnreadableFileError } from "../../lib/files/read-file.ts";
import { sleepSync } from "../../lib/platform.ts";
import { tryLock } from "../../lib/process/descriptors.ts";

/** A file beyond this size is not read. */
export const MOST_BYTES = 64 * 1024 * 1024;

/** How often a line is written again, if another process replaces the file meanwhile. */
const MOST_ATTEMPTS = 5;

/** How long to wait for the rest of a line that another process is writing. */
const PARTIAL_LINE_WAITS = 20;

const LINE_END = 0x0a;

// Windows has neither O_NOFOLLOW nor O_NONBLOCK.
const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Where reading stopped. */
export interface Reached {
  /** The file's identity: it is another one once it was replaced. */
  file: string;
  offset: number;
}

/** What was added to a file. */
export interface Addition {
  reached: Reached;
  /** True if the file was replaced or cut, so that the lines are all of it. */
  isAnew: boolean;
  lines: readonly string[];
  /** True if the last line has no end. */
  isPartial: boolean;
}

/**
 * Reads the lines that were added to a file since an earlier reading, and creates the file if it is missing: a history that
 * cannot be written is none. Throws if the file cannot be used.
 */
export function readAdded(path: string, since: Reached | undefined): Addition {
  return withFile(path, (descriptor, stats) => {
    if (stats.size > MOST_BYTES) throw new UnreadableFileError(path, `larger than ${MOST_BYTES} bytes`);
    const isAnew = since?.file !== identity(stats) || stats.size < since.offset;
    const start = isAnew ? 0 : since.offset;
    let bytes = readBytes(descriptor, start, stats.size);
    for (let wait = 0; wait < PARTIAL_LINE_WAITS && isPartial(bytes); wait++) {
      sleepSync(1);
      bytes = readBytes(descriptor, start, Math.min(fstatSync(descriptor).size, MOST_BYTES));
    }
    const end = bytes.lastIndexOf(LINE_END) + 1;
    const text = bytes.subarray(0, Math.max(0, end - 1)).toString("utf8");
    return {
      reached: { file: identity(stats), offset: start + end },
      isAnew,
      lines: end === 0 ? [] : text.split("\n"),
      isPartial: isPartial(bytes),
    };
  });
}

/** An inode's number alone may be given to another file. */
function identity({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}

function isPartial(bytes: Buffer): boolean {
  return bytes.length > 0 && bytes.at(-1) !== LINE_END;
}

/**
 * Appends a line, whole or not at all. Many processes may append at once, and one may replace the file meanwhile: the line is
 * then written to the new one. Returns the size of the file before and after. Throws if the line cannot be written.
 */
export function appendLine(path: string, line: string): { before: number; after: number } {
  const bytes = Buffer.from(`${line}\n`);
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const size = withFile(path, (descriptor, stats) => {
      if (stats.size + bytes.length > MOST_BYTES)
        throw new UnreadableFileError(path, `larger than ${MOST_BYTES} bytes`);
      write(path, descriptor, bytes);
      return isStill(path, stats) ? { before: stats.size, after: stats.size + bytes.length } : undefined;
    });
    if (size) return size;
  }
  throw new UnreadableFileError(path, "is replaced again and again");
}

function write(path: string, descriptor: number, bytes: Buffer): void {
  const written = writeSync(descriptor, bytes);
  if (written === bytes.length) return;
  const { size } = fstatSync(descriptor);
  if (written > 0 && readBytes(descriptor, size - written, size).equals(bytes.subarray(0, written)))
    ftruncateSync(descriptor, size - written);
  throw new UnreadableFileError(path, "the disk is full");
}

/**
 * Replaces the file by those of its lines that `keep` returns, unless another process does. What is appended meanwhile is
 * kept.
 */
export function shorten(
  folder: string,
  path: string,
  keep: (lines: readonly string[]) => readonly string[] | undefined,
): void {
  withFile(join(folder, "lock"), (lock) => {
    if (process.platform !== "win32" && !tryLock(lock)) return;
    withFile(path, (descriptor, stats) => {
      const bytes = readBytes(descriptor, 0, stats.size);
      const end = bytes.lastIndexOf(LINE_END) + 1;
      const kept = keep(
        bytes
          .subarray(0, Math.max(0, end - 1))
          .toString("utf8")
          .split("\n"),
      );
      if (!kept) return;
      const temporary = `${path}.${crypto.randomUUID()}.tmp`;
      try {
        writeFileSync(temporary, kept.map((line) => `${line}\n`).join(""), { mode: 0o600, flag: "wx" });
        renameSync(temporary, path);
      } finally {
        rmSync(temporary, { force: true });
      }
      // Lines that others appended to the old file before they could see the new one.
      const rest = readBytes(descriptor, end, fstatSync(descriptor).size).toString("utf8");
      for (const line of rest.split("\n")) if (line !== "") appendLine(path, line);
    });
  });
}

/** Opens a regular file, which only the user can read, and passes on its descriptor. A symbolic link is not followed. */
function withFile<T>(path: string, use: (descriptor: number, stats: Stats) => T): T {
  const descriptor = openSync(path, FLAGS, 0o600);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new UnreadableFileError(path, "is not a regular file");
    return use(descriptor, stats);
  } finally {
    closeSync(descriptor);
  }
}

function isStill(path: string, { ino, dev }: Stats): boolean {
  const named = statSync(path, { throwIfNoEntry: false });
  return named?.ino === ino && named.dev === dev;
}

function readBytes(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, start + length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}
