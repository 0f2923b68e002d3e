import { closeSync, openSync } from "node:fs";
import { type NativeFunction, nativeFunction } from "../platform.ts";

// Calls of the C library on descriptors, for which neither Bun nor Node.js has a function.

/** The two descriptors of a pipe. The caller closes both. */
export interface Pipe {
  readEnd: number;
  writeEnd: number;
}

/** Only the child that gets the descriptors explicitly inherits them. The same value on all Linux platforms. */
const O_CLOEXEC = 0o2000000;

type Open = (descriptors: Int32Array) => number;

let open: Open | undefined;

/**
 * Opens a pipe. Not available on Windows. Throws if the process has no descriptors left.
 */
export function openPipe(): Pipe {
  open ??= process.platform === "darwin" ? macOpen() : linuxOpen();
  const ends = new Int32Array(2);
  if (open(ends) !== 0) throw new Error("cannot open a pipe: too many open files");
  return { readEnd: ends[0] ?? -1, writeEnd: ends[1] ?? -1 };
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
  const own = duplicate(1);
  if (own < 0) throw new Error("cannot duplicate standard output");
  const dup2 = nativeFunction("dup2", { args: ["i32", "i32"], returns: "i32" });
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
 * True if the other end of a pipe or socket has been closed. False on Windows, where that cannot be determined.
 */
export function hasNoReader(descriptor: number): boolean {
  if (process.platform === "win32") return false;
  poll ??= nativeFunction("poll", { args: ["ptr", "u64", "i32"], returns: "i32" });
  // struct pollfd: the descriptor, then the requested and the returned events, 16 bits each.
  const entry = new DataView(new ArrayBuffer(8));
  entry.setInt32(0, descriptor, true);
  const found = poll(new Uint8Array(entry.buffer), 1, 0);
  return found > 0 && (entry.getInt16(6, true) & POLL_GONE) !== 0;
}

// The values of flock(2), the same on Linux and macOS.
const LOCK_EX = 2;
const LOCK_NB = 4;

let flock: NativeFunction | undefined;

/**
 * Locks an open file against other processes, without waiting. Returns false if another one holds the lock. The kernel
 * releases it when the descriptor is closed or its process ends. Windows has no flock(2).
 */
export function tryLock(descriptor: number): boolean {
  flock ??= nativeFunction("flock", { args: ["i32", "i32"], returns: "i32" });
  return flock(descriptor, LOCK_EX | LOCK_NB) === 0;
}
