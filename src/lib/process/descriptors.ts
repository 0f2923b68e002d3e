import { closeSync, constants, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText, UserError } from "../errors.ts";
import { type NativeFunction, nativeFunction, runSilently } from "../platform.ts";

// Calls of the C library on descriptors, for which neither Bun nor Node.js has a function. They need the JIT; without it,
// there is another way.

/** Returns what calls the C library, or else `other`. */
function nativeOr<T>(native: () => T, other: T): T {
  try {
    return native();
  } catch {
    return other;
  }
}

/** The two descriptors of a pipe. The caller closes both. */
export interface Pipe {
  readEnd: number;
  writeEnd: number;
}

/** Only the child that gets the descriptors explicitly inherits them. The same value on all Linux platforms. */
const O_CLOEXEC = 0o2000000;

type Open = (descriptors: Int32Array) => number;

let open: (() => Pipe) | undefined;

/**
 * Opens a pipe. Not available on Windows. Throws if the process has no descriptors left.
 */
export function openPipe(): Pipe {
  open ??= nativeOr(nativeOpen, openNamedPipe);
  return open();
}

function nativeOpen(): () => Pipe {
  const pipe = process.platform === "darwin" ? macOpen() : linuxOpen();
  return () => {
    const ends = new Int32Array(2);
    if (pipe(ends) !== 0) throw new Error("cannot open a pipe: too many open files");
    return { readEnd: ends[0] ?? -1, writeEnd: ends[1] ?? -1 };
  };
}

function linuxOpen(): Open {
  const pipe2 = nativeFunction("pipe2", { args: ["ptr", "i32"], returns: "i32" });
  return (descriptors) => pipe2(descriptors, O_CLOEXEC);
}

/** macOS has no pipe2, and needs none: `Bun.spawn` closes inherited descriptors there (POSIX_SPAWN_CLOEXEC_DEFAULT). */
function macOpen(): Open {
  return nativeFunction("pipe", { args: ["ptr"], returns: "i32" });
}

/** fcntl command: duplicates a descriptor, with close-on-exec set. The same value on all Linux platforms. */
const F_DUPFD_CLOEXEC = 1030;

/**
 * Moves standard output to a new descriptor, which no child inherits, and returns it. Descriptor 1 then leads to
 * standard error, or to /dev/null if that is closed, so that other code in this process and its children cannot write
 * into the answer of hooksh. Undefined on Windows, which has no such descriptors. Throws if the process has no
 * descriptors left.
 */
export function divertStandardOutput(): number | undefined {
  if (process.platform === "win32") return undefined;
  const dup2 = nativeOr(() => nativeFunction("dup2", { args: ["i32", "i32"], returns: "i32" }), undefined);
  if (dup2 === undefined) return reopenStandardOutput();
  const own = duplicate(1);
  if (own < 0) throw new Error("cannot duplicate standard output");
  if (dup2(2, 1) < 0) {
    const nowhere = openSync("/dev/null", "w");
    dup2(nowhere, 1);
    closeSync(nowhere);
  }
  return own;
}

/**
 * On macOS a plain dup is enough, because `Bun.spawn` closes inherited descriptors; fcntl is variadic and called
 * differently there.
 */
function duplicate(descriptor: number): number {
  if (process.platform === "darwin") return nativeFunction("dup", { args: ["i32"], returns: "i32" })(descriptor);
  const fcntl = nativeFunction("fcntl", { args: ["i32", "i32", "i32"], returns: "i32" });
  return fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

/** POLLERR and POLLHUP, which have the same values on all platforms. */
const POLL_GONE = 0x8 | 0x10;

let poll: NativeFunction | undefined;

/**
 * True if the other end of a pipe or socket has been closed. False on Windows and without the JIT, where that cannot be
 * determined.
 */
export function hasNoReader(descriptor: number): boolean {
  if (process.platform === "win32") return false;
  poll ??= nativeOr(
    () => nativeFunction("poll", { args: ["ptr", "u64", "i32"], returns: "i32" }),
    () => 0,
  );
  // struct pollfd: the descriptor, then the requested and the returned events, 16 bits each.
  const entry = new DataView(new ArrayBuffer(8));
  entry.setInt32(0, descriptor, true);
  const found = poll(new Uint8Array(entry.buffer), 1, 0);
  return found > 0 && (entry.getInt16(6, true) & POLL_GONE) !== 0;
}

// The values of flock(2), the same on Linux and macOS.
const LOCK_EX = 2;
const LOCK_NB = 4;

let lock: ((descriptor: number) => boolean) | undefined;

/**
 * Locks an open file against other processes, without waiting. Returns false if another one holds the lock. The kernel
 * releases it when the descriptor is closed or its process ends. Windows has no flock(2).
 */
export function tryLock(descriptor: number): boolean {
  lock ??= nativeOr(nativeLock, lockThroughProgram);
  return lock(descriptor);
}

function nativeLock(): (descriptor: number) => boolean {
  const flock = nativeFunction("flock", { args: ["i32", "i32"], returns: "i32" });
  return (descriptor) => flock(descriptor, LOCK_EX | LOCK_NB) === 0;
}

// Values of Linux.
const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;

/**
 * Lets as many connections wait at the listening sockets of this process as the system allows
 * (`net.core.somaxconn`). The runtime lets 512 wait; a client of a socket file is refused when there is no more room.
 * No effect elsewhere than on Linux, and without the JIT.
 */
export function widenBacklogs(): void {
  if (process.platform !== "linux") return;
  const calls = nativeOr(
    () => ({
      listen: nativeFunction("listen", { args: ["i32", "i32"], returns: "i32" }),
      getsockopt: nativeFunction("getsockopt", { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" }),
    }),
    undefined,
  );
  if (calls === undefined) return;
  for (const descriptor of readdirSync("/proc/self/fd").map(Number)) {
    const isListening = Int32Array.of(0);
    calls.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, isListening, Int32Array.of(4));
    if (isListening[0] === 1) calls.listen(descriptor, 0x7fffffff);
  }
}

// Without the JIT. The kernel's objects are the same, so that processes with and without it work together.

/**
 * Opens a pipe through a name that is removed at once. Throws if no folder for temporary files can be written, or if the
 * program `mkfifo` is missing.
 */
function openNamedPipe(): Pipe {
  let folder = "";
  try {
    folder = mkdtempSync(join(tmpdir(), "hooksh-pipe-"));
    const path = join(folder, "pipe");
    if (runSilently(["mkfifo", "-m", "600", path]) !== 0) throw new Error("mkfifo fails");
    // A reader that does not wait is there before the writer, which then does not wait either.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
    } catch (error) {
      closeSync(readEnd);
      throw error;
    }
  } catch (error) {
    throw new Error(`cannot open a pipe without the JIT: ${errorText(error)}`, { cause: error });
  } finally {
    if (folder !== "") rmSync(folder, { recursive: true, force: true });
  }
}

/** Programs that lock the open file on their standard input, and exit with 1 if another process holds the lock. */
const LOCKERS: readonly (readonly string[])[] = [
  ["flock", "-n", "0"],
  ["perl", "-e", "exit !flock(STDIN, 6)"],
];

/**
 * Locks an open file as flock(2) does, without waiting: the lock belongs to the open file, which a program inherits.
 * Returns false if another process holds it. Throws if there is no such program.
 */
function lockThroughProgram(descriptor: number): boolean {
  for (const command of LOCKERS) {
    try {
      const code = runSilently(command, descriptor);
      if (code === 0 || code === 1) return code === 0;
    } catch {
      // the program is missing: the next one may be there
    }
  }
  throw new Error("cannot lock a file without the JIT: neither flock nor perl can be run");
}

/**
 * Opens standard output once more, and makes descriptor 1 lead to standard error. Throws if standard output is a socket:
 * that can be opened by no name.
 */
function reopenStandardOutput(): number {
  const own = reopenOutput();
  closeSync(1);
  // The lowest free number is taken.
  if (reopenErrors() !== 1) throw new Error("cannot divert standard output");
  return own;
}

function reopenOutput(): number {
  try {
    return reopen(1);
  } catch (error) {
    const cause =
      "cannot keep what your own hooks print out of the answer without the JIT, unless it goes to a pipe or file";
    throw new UserError(cause, { cause: error });
  }
}

function reopen(stream: 1 | 2): number {
  return openSync(`/dev/fd/${stream}`, constants.O_WRONLY | constants.O_APPEND);
}

function reopenErrors(): number {
  try {
    return reopen(2);
  } catch {
    return openSync("/dev/null", constants.O_WRONLY); // closed, or a socket
  }
}
