import { write as writeTo } from "../../lib/platform.ts";
import { outputFile, outputHasNoReader } from "./print.ts";

/** Standard output as a run uses it: pieces in order, none lost when the process ends. */
export interface Writer {
  write(text: string): void;
  /** Begins a new line unless at the beginning of one. */
  startLine(): void;
  /** True once the last answer is written: a reader that leaves then does not end the run. */
  readerMayClose?: boolean;
  /** Resolves when everything written is out; comes last. Never throws. */
  flush(): Promise<void>;
}

/** How often a run that writes nothing looks whether its reader is still there. */
const LOOK_MS = 1000;

/**
 * A writer to standard output. `onLost` is called once, when a write fails or the reader has gone; nothing is written
 * from then on.
 */
export function standardOutput(onLost: (error: unknown) => void): Writer {
  let pending: Promise<unknown> = Promise.resolve();
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
  }, LOOK_MS);
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
    pending = pending.then(() => put(text));
  };
  const writer: Writer = {
    write,
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
