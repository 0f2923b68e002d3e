import { type NativeFunction, nativeFunction } from "../platform.ts";

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
