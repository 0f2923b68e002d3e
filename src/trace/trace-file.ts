import { closeSync, constants, openSync, writeSync } from "node:fs";
import { errorText } from "../lib/errors.ts";
import { lineEncoder, type Resource, type Scope } from "./otlp.ts";
import type { SpanSink } from "./tracer.ts";

/** Maximum UTF-16 units of a line, unless a single span has more. */
const MAX_LINE = 1024 * 1024;

/** A FIFO without a reader must not stop a dispatch. Windows has no such files, and no such flag. */
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);

/**
 * Appends spans to a file, one line for those that ended together. Every line is one write, so the lines of several
 * processes do not mix. The first failure is reported, and nothing is written after it: a line may be cut there.
 */
export function openTraceFile(
  path: string,
  { resource, scope, warn }: { resource: Resource; scope: Scope; warn: (message: string) => void },
): SpanSink {
  const encode = lineEncoder(resource, scope, MAX_LINE);
  let fd: number | undefined;
  const giveUp = (error: unknown) => {
    warn(`${path}: cannot write the trace: ${errorText(error)}`);
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  try {
    fd = openSync(path, APPEND, 0o600);
  } catch (error) {
    giveUp(error);
  }
  return {
    export: (spans) => {
      if (fd === undefined) return;
      try {
        for (const line of encode(spans)) writeLine(fd, line);
      } catch (error) {
        giveUp(error);
      }
    },
    close: async () => {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

function writeLine(fd: number, line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  const written = writeSync(fd, bytes);
  if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
}
