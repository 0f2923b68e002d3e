import { write as writeTo } from "../lib/platform.ts";
import { outputFile, outputHasNoReader } from "./print.ts";

/** Writes text to standard output in order. Nothing is lost when the process ends, if `flush` was awaited. */
export interface Writer {
  write(text: string): void;
  /** Starts a new line, unless the last text ended one. */
  startLine(): void;
  /**
   * Calls `work` once everything written so far is out, immediately if it is: a line of standard error then never divides a
   * line of standard output that goes to the same file or pipe. Absent for a terminal.
   */
  after?(work: () => void): void;
  /** True once the last answer is written: from then on the reader may close the pipe without ending the run. */
  readerMayClose?: boolean;
  /** Resolves when everything has been written. Call it last. Never throws. */
  flush(): Promise<void>;
}

/** Returns a writer that drops what it gets. */
export function noOutput(): Writer {
  return { write: () => {}, startLine: () => {}, after: (work) => work(), flush: async () => {} };
}

/** How often a run checks whether the reader of standard output is still there. */
const READER_CHECK_MS = 1000;

/**
 * Returns a writer to standard output. It calls `onLost` once, when a write fails or the reader has closed the pipe,
 * and writes nothing after that.
 */
export function standardOutput(onLost: (error: unknown) => void): Writer {
  let pending: Promise<unknown> = Promise.resolve();
  let unfinished = 0;
  let isMidLine = false;
  let isLost = false;
  const lose = (error: unknown) => {
    if (isLost) return;
    isLost = true;
    clearInterval(timer);
    onLost(error);
  };
  const timer = setInterval(() => {
    if (!writer.readerMayClose && outputHasNoReader()) lose(Object.assign(new Error("broken pipe"), { code: "EPIPE" }));
  }, READER_CHECK_MS);
  const put = async (text: string) => {
    if (isLost) return;
    try {
      await writeTo(outputFile(), text);
    } catch (error) {
      lose(error);
    }
  };
  const write = (text: string) => {
    if (text === "") return;
    isMidLine = !text.endsWith("\n");
    enqueue(() => put(text));
  };
  const enqueue = (work: () => Promise<void> | void) => {
    unfinished++;
    pending = pending.then(work).finally(() => unfinished--);
  };
  const writer: Writer = {
    write,
    after: (work) => {
      if (unfinished === 0) work();
      else enqueue(work);
    },
    startLine: () => {
      if (isMidLine) write("\n");
    },
    flush: async () => {
      await pending;
      clearInterval(timer);
    },
  };
  return writer;
}
