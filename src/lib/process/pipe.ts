import { nativeFunction } from "../platform.ts";

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
 * Opens a pipe. Not available on Windows. Calls the C library, because neither Bun nor Node.js has a function for this;
 * the first call costs about 0.2 ms. Throws if the process has no descriptors left.
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
