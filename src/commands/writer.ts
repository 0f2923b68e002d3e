/** Standard output as a run uses it: pieces in order, none lost when the process ends. */
export interface Writer {
  write(text: string): void;
  /** Resolves when everything written is out. Never throws: a reader that has gone is no error of the run. */
  flush(): Promise<void>;
}

/** A writer to standard output. */
export function standardOutput(): Writer {
  let pending: Promise<unknown> = Promise.resolve();
  return {
    write: (text) => {
      pending = pending.then(() => Bun.write(Bun.stdout, text)).catch(() => {});
    },
    flush: async () => void (await pending),
  };
}
