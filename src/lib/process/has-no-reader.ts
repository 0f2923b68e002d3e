import { type NativeFunction, nativeFunction } from "../platform.ts";

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
