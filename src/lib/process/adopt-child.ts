import { closeSync } from "node:fs";
import { constants } from "node:os";
import { nativeFunction, readStream, sleep } from "../platform.ts";
import { noOutput, type Output, type Running } from "./child.ts";
import type { StartedOutput, StartedProcess } from "./handed-over.ts";

/** Milliseconds between two questions whether an adopted process has ended. */
const LOOK_MS = 3;

const WNOHANG = 1;

/** Returns a process that runs already as one that Bun started. */
export function adoptChild({ pid, code, stdout, stderr }: StartedProcess): {
  child: Running;
  stdout: Output;
  stderr: Output;
} {
  const child = { pid, exited: Promise.resolve(0), exitCode: null as number | null, signalCode: null as never };
  const end = (status: number) => {
    if (status >= 0) child.exitCode = status;
    else child.signalCode = signalName(-status) as never;
    return status;
  };
  if (code !== undefined) end(code);
  else child.exited = untilEnded(pid).then(end);
  return { child, stdout: outputOf(stdout), stderr: outputOf(stderr) };
}

function outputOf({ read, pipe }: StartedOutput): Output {
  if (pipe < 0) return { ...noOutput(), read };
  return { read, stream: readStream(pipe), close: () => closeSync(pipe) };
}

async function untilEnded(pid: number): Promise<number> {
  const waitpid = nativeFunction("waitpid", { args: ["i32", "ptr", "i32"], returns: "i32" });
  const status = new Int32Array(1);
  for (;;) {
    const found = waitpid(pid, status, WNOHANG);
    const value = status[0] ?? 0;
    const signal = value & 127;
    if (found === pid) return signal === 0 ? (value >> 8) & 255 : -signal;
    // hooksh was started with SIGCHLD ignored, which discards how processes end. As Bun says it of its own.
    if (found < 0) throw new Error("ECHILD: unknown error, waitpid");
    await sleep(LOOK_MS);
  }
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
}
