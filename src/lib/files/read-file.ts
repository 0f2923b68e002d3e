import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { errorText, UserError, type UserErrorOptions } from "../errors.ts";
import { sleep, sleepSync } from "../platform.ts";
import { isInside } from "./paths.ts";

/** How much of a file to read. */
export interface ReadBound {
  /** In bytes. */
  limit: number;
  /** What to do with a larger file: throw (the default), or read only its beginning. */
  over?: "fail" | "cut";
}

/**
 * Why a file was not read: `missing` if nothing is at the path (a broken symbolic link is not nothing), `denied` by the
 * system, or `refused` because it is not a file that hooksh reads here.
 */
export type UnreadableKind = "missing" | "denied" | "refused";

/** A file that was not read. The message is `<path>: <reason>`. */
export class UnreadableFileError extends UserError {
  readonly kind: UnreadableKind;
  /** Why, without the path. */
  readonly reason: string;

  constructor(
    path: string,
    reason: string,
    { kind = "refused", ...options }: UserErrorOptions & { kind?: UnreadableKind } = {},
  ) {
    super(`${path}: ${reason}`, options);
    this.name = "UnreadableFileError";
    this.kind = kind;
    this.reason = reason;
  }
}

/** Without `O_NONBLOCK`, opening a FIFO waits for a writer. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_LINK = constants.O_NOFOLLOW ?? 0;

const CHUNK_BYTES = 64 * 1024;
const PIPE_PAUSE_MS = 5;
/** Reading a pipe synchronously blocks the program, so it gets less time. */
const PIPE_WAIT_MS = { sync: 10_000, async: 30_000 };

/** A descriptor that the caller of the program opened, such as the `/dev/fd/63` of `<(command)`. */
const DESCRIPTOR = /^(\/dev\/(fd\/\d+|stdin)|\/proc\/self\/fd\/\d+)$/;

/**
 * Reads a file that belongs to a repository, such as `.gitignore`. It must be a regular file inside `folder` even after
 * symbolic links are followed; checks the file after opening it, so that it cannot be swapped in between. Throws an
 * {@link UnreadableFileError}.
 */
export function readFileInside(folder: string, path: string, bound: ReadBound): Buffer {
  const real = attempt(path, () => realpathSync(path));
  const realFolder = attempt(folder, () => realpathSync(folder));
  const requireInside = (place: string) => {
    if (isInside(place, realFolder)) return;
    throw new UnreadableFileError(path, `leads out of ${folder} through a symbolic link`);
  };
  requireInside(real);
  return withDescriptor(
    path,
    () => openSync(real, FLAGS | NO_LINK),
    (descriptor, stats) => {
      requireRegular(path, stats, bound);
      // A folder on the path may have been replaced by a link since the path was resolved.
      requireInside(placeOf(descriptor) ?? attempt(path, () => realpathSync(path)));
      return waitForPipe(path, readChunks(path, descriptor, bound));
    },
  );
}

/** Returns the path of an open file; undefined if the system does not tell. */
function placeOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined; // not Linux, or a container without /proc
  }
}

/** The contents of pipes that the user passed: a pipe can be read only once. */
const drained = new Map<string, Buffer>();

/**
 * Reads a file that the user named, wherever it is. It must be a regular file or a pipe passed to this program
 * (`<(command)`). Waits up to 10 s for a pipe, and returns the same bytes if it is read again. Throws an
 * {@link UnreadableFileError}.
 */
export function readUserFileSync(path: string, bound: ReadBound): Buffer {
  const known = drained.get(path);
  if (known) return joinChunks(path, [known], bound);
  return withDescriptor(
    path,
    () => openSync(path, FLAGS),
    (descriptor, stats) => {
      if (!isPassedPipe(path, stats)) requireRegular(path, stats, bound);
      return keepPipe(path, stats, waitForPipe(path, readChunks(path, descriptor, bound)));
    },
  );
}

/** {@link readUserFileSync} without blocking: waits up to 30 s for a pipe. */
export async function readUserFile(path: string, bound: ReadBound): Promise<Buffer> {
  const known = drained.get(path);
  if (known) return joinChunks(path, [known], bound);
  const descriptor = attempt(path, () => openSync(path, FLAGS));
  try {
    const stats = fstatSync(descriptor);
    if (!isPassedPipe(path, stats)) requireRegular(path, stats, bound);
    const reading = readChunks(path, descriptor, bound);
    const deadline = performance.now() + PIPE_WAIT_MS.async;
    for (;;) {
      const step = reading.next();
      if (step.done) return keepPipe(path, stats, step.value);
      if (performance.now() > deadline) throw openTooLong(path, PIPE_WAIT_MS.async);
      await sleep(PIPE_PAUSE_MS);
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Throws an {@link UnreadableFileError} if something other than a regular file is at the path: opening a FIFO would
 * block until its other end is opened, and no signal would interrupt it.
 */
export function requireRegularIfExists(path: string): void {
  const stats = attempt(path, () => statSync(path, { throwIfNoEntry: false }));
  if (stats) requireRegular(path, stats, { limit: Infinity });
}

/** {@link readRegularFile} for code that cannot wait. */
export function readRegularFileSync(path: string, bound: ReadBound): Buffer {
  requireRegularIfExists(path); // opening a device can have effects
  return withDescriptor(
    path,
    () => openSync(path, FLAGS),
    (descriptor, stats) => {
      requireRegular(path, stats, bound);
      const step = readChunks(path, descriptor, bound).next();
      if (step.done) return step.value;
      throw new UnreadableFileError(path, "cannot be read without waiting"); // some files of /proc
    },
  );
}

/** Reads a regular file, wherever it is, without blocking the program. Throws an {@link UnreadableFileError}. */
export async function readRegularFile(path: string, bound: ReadBound): Promise<Buffer> {
  const { open } = await import("node:fs/promises");
  const file = await open(path, FLAGS).catch((error: unknown) => {
    throw unreadableFileError(path, error);
  });
  try {
    const stats = await file.stat();
    requireRegular(path, stats, bound);
    const chunks: Buffer[] = [];
    let room = bound.limit + 1; // one more, to notice if the file has grown beyond the limit
    let claimed = stats.size + 1;
    while (room > 0) {
      const buffer = Buffer.allocUnsafe(Math.min(room, Math.max(claimed, 4096), 16 * CHUNK_BYTES));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      room -= bytesRead;
      claimed -= bytesRead;
    }
    return joinChunks(path, chunks, bound);
  } catch (error) {
    throw unreadableFileError(path, error);
  } finally {
    await file.close();
  }
}

function withDescriptor(path: string, opened: () => number, use: (descriptor: number, stats: Stats) => Buffer): Buffer {
  const descriptor = attempt(path, opened);
  try {
    return use(descriptor, fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function requireRegular(path: string, stats: Stats, { limit, over = "fail" }: ReadBound): void {
  if (stats.isDirectory()) throw new UnreadableFileError(path, "is a directory");
  if (!stats.isFile()) throw new UnreadableFileError(path, "is not a regular file");
  if (over === "fail" && stats.size > limit) throw tooLarge(path, limit);
}

function isPassedPipe(path: string, stats: Stats): boolean {
  return stats.isFIFO() && DESCRIPTOR.test(path);
}

function keepPipe(path: string, stats: Stats, bytes: Buffer): Buffer {
  if (isPassedPipe(path, stats)) drained.set(path, bytes);
  return bytes;
}

/** Reads at most one byte more than the limit, even if the file claims to be smaller. Yields while a pipe is empty. */
function* readChunks(path: string, descriptor: number, bound: ReadBound): Generator<void, Buffer> {
  const chunks: Buffer[] = [];
  let room = bound.limit + 1;
  while (room > 0) {
    const buffer = Buffer.allocUnsafe(Math.min(room, CHUNK_BYTES));
    const count = readOrWait(path, descriptor, buffer);
    if (count === 0) break;
    if (count === undefined) {
      yield;
      continue;
    }
    chunks.push(buffer.subarray(0, count));
    room -= count;
  }
  return joinChunks(path, chunks, bound);
}

/** Reads into the buffer; undefined if there is nothing to read yet. */
function readOrWait(path: string, descriptor: number, buffer: Buffer): number | undefined {
  try {
    return readSync(descriptor, buffer, 0, buffer.length, null);
  } catch (error) {
    if (codeOf(error) === "EAGAIN") return undefined;
    throw unreadableFileError(path, error);
  }
}

function waitForPipe(path: string, reading: Generator<void, Buffer>): Buffer {
  const deadline = performance.now() + PIPE_WAIT_MS.sync;
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
    if (performance.now() > deadline) throw openTooLong(path, PIPE_WAIT_MS.sync);
    sleepSync(PIPE_PAUSE_MS);
  }
}

function joinChunks(path: string, chunks: readonly Buffer[], { limit, over = "fail" }: ReadBound): Buffer {
  const [only = Buffer.alloc(0)] = chunks;
  const bytes = chunks.length <= 1 ? only : Buffer.concat(chunks);
  if (bytes.length > limit && over === "fail") throw tooLarge(path, limit);
  return bytes.length > limit ? bytes.subarray(0, limit) : bytes;
}

function tooLarge(path: string, limit: number): UnreadableFileError {
  const mebibytes = limit / 1024 / 1024;
  return new UnreadableFileError(
    path,
    `larger than ${Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${limit} bytes`}`,
  );
}

function openTooLong(path: string, waited: number): UnreadableFileError {
  return new UnreadableFileError(path, `the pipe was still open after ${waited / 1000} s`);
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw unreadableFileError(path, error);
  }
}

const REASONS: Readonly<Record<string, { kind: UnreadableKind; reason: string }>> = {
  ENOENT: { kind: "missing", reason: "no such file" },
  ENOTDIR: { kind: "missing", reason: "no such file" },
  EACCES: { kind: "denied", reason: "permission denied" },
  EPERM: { kind: "denied", reason: "permission denied" },
  EISDIR: { kind: "refused", reason: "is a directory" },
  ELOOP: { kind: "refused", reason: "the symbolic links form a cycle" },
  ENXIO: { kind: "refused", reason: "is not a regular file" }, // a socket
};

/** Converts the error of a system call on a file to one that explains it. */
export function unreadableFileError(path: string, error: unknown): UnreadableFileError {
  if (error instanceof UnreadableFileError) return error;
  const code = codeOf(error);
  if (code === "ENOENT" && lstatSync(path, { throwIfNoEntry: false })) {
    return new UnreadableFileError(path, "is a broken symbolic link", { cause: error });
  }
  const { kind, reason } = REASONS[code] ?? { kind: "refused", reason: errorText(error) };
  return new UnreadableFileError(path, reason, { cause: error, kind });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
