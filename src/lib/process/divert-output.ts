import { closeSync, openSync } from "node:fs";
import { nativeFunction } from "../platform.ts";

/** Duplicates a descriptor to the lowest free one from a number on, closed on exec. One value on all Linux platforms. */
const F_DUPFD_CLOEXEC = 1030;

/**
 * Moves standard output to a descriptor of its own, which no child inherits, and returns it; descriptor 1 leads to
 * standard error from then on, or to /dev/null if that is closed. Whatever code of others in this process or its
 * children writes to descriptor 1 is not mixed into what hooksh answers. Undefined on Windows, which has no such
 * descriptors. Throws if there are no descriptors left.
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

/** On macOS `Bun.spawn` closes what a child is not passed, and fcntl takes its last argument another way. */
function duplicate(descriptor: number): number {
  if (process.platform === "darwin") return nativeFunction("dup", { args: ["i32"], returns: "i32" })(descriptor);
  const fcntl = nativeFunction("fcntl", { args: ["i32", "i32", "i32"], returns: "i32" });
  return fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}
