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
import { errorText, UserError } from "../errors.ts";
import { sleep, sleepSync } from "../platform.ts";
import { isInside } from "./inside.ts";

/** How much of a file is read. */
export interface ReadBound {
  /** In bytes. */
  limit: number;
  /** What happens to a larger file: an error (the default), or only its beginning is read. */
  over?: "fail" | "cut";
}

/**
 * Why a file is not read: nothing is at the path (a symbolic link that leads nowhere is something), the system denies
 * it, or it is not a file that may be read here.
 */
export type UnreadableKind = "missing" | "denied" | "refused";

/** A file that is not read. The message is `<path>: <reason>`. */
export class UnreadableFileError extends UserError {
  readonly kind: UnreadableKind;
  /** Why, without the path. */
  readonly reason: string;

  constructor(
    path: string,
    reason: string,
    { kind = "refused", ...options }: ErrorOptions & { kind?: UnreadableKind } = {},
  ) {
    super(`${path}: ${reason}`, options);
    this.name = "UnreadableFileError";
    this.kind = kind;
    this.reason = reason;
  }
}

/** Without `O_NONBLOCK` opening a FIFO waits for a writer. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_LINK = constants.O_NOFOLLOW ?? 0;

const CHUNK_BYTES = 64 * 1024;
const PIPE_PAUSE_MS = 5;
/** A pipe that is read while nothing else can run must not hold up the program for long. */
const PIPE_WAIT_MS = { sync: 10_000, async: 30_000 };

/** A descriptor that the caller of the program opened, such as the `/dev/fd/63` of `<(command)`. */
const DESCRIPTOR = /^(\/dev\/(fd\/\d+|stdin)|\/proc\/self\/fd\/\d+)$/;

/**
 * Reads a file that a repository brings, such as `.gitignore`. It must be a regular file inside `folder`, also after
 * symbolic links are followed; the file that was opened is the one that was checked. Throws an
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
      // A folder on the way may have been replaced by a link after it was resolved.
      requireInside(placeOf(descriptor) ?? attempt(path, () => realpathSync(path)));
      return waitForPipe(path, readChunks(path, descriptor, bound));
    },
  );
}

/** Where the system says that an open file is; undefined where it does not say. */
function placeOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined; // not Linux, or a container without /proc
  }
}

/** What was read from the pipes that the user passed: a second reader would find them empty. */
const drained = new Map<string, Buffer>();

/**
 * Reads a file that the user named. It may be anywhere and behind links, and must be a regular file or a pipe that was
 * passed to this program (`<(command)`), which may take 10 s and can be read again. Throws an
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

/** {@link readUserFileSync} without blocking the program while it waits for a pipe, which may take 30 s. */
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
 * Throws an {@link UnreadableFileError} if something is at the path that is not a regular file: opening a FIFO would
 * wait for its other end, deaf to every signal.
 */
export function requireRegularIfExists(path: string): void {
  const stats = attempt(path, () => statSync(path, { throwIfNoEntry: false }));
  if (stats) requireRegular(path, stats, { limit: Infinity });
}

/** Reads a regular file, wherever it is, on a thread of its own. Throws an {@link UnreadableFileError}. */
export async function readRegularFile(path: string, bound: ReadBound): Promise<Buffer> {
  const { open } = await import("node:fs/promises");
  const file = await open(path, FLAGS).catch((error: unknown) => {
    throw unreadableFileError(path, error);
  });
  try {
    const stats = await file.stat();
    requireRegular(path, stats, bound);
    const chunks: Buffer[] = [];
    let room = bound.limit + 1; // one more, to see that the file has grown beyond the limit
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

/** Reads at most one byte more than the limit, whatever size the file claims to have; yields while a pipe is empty. */
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

/** Returns undefined if there is nothing to read yet. */
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
  ELOOP: { kind: "refused", reason: "the symbolic links lead in a circle" },
  ENXIO: { kind: "refused", reason: "is not a regular file" }, // a socket
};

/** The error of a system call on a file in plain words. */
export function unreadableFileError(path: string, error: unknown): UnreadableFileError {
  if (error instanceof UnreadableFileError) return error;
  const code = codeOf(error);
  if (code === "ENOENT" && !isNothing(path)) {
    return new UnreadableFileError(path, "is a symbolic link that leads nowhere", { cause: error });
  }
  const { kind, reason } = REASONS[code] ?? { kind: "refused", reason: errorText(error) };
  return new UnreadableFileError(path, reason, { cause: error, kind });
}

function isNothing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
