import { closeSync, openSync } from "node:fs";
import { nativeFunction } from "../platform.ts";

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
