import { outputHasNoReader, print, printStyled } from "../../cli/print.ts";

const BATCH_CHARACTERS = 64 * 1024;

/** Prints many lines with few writes. */
export class OutputLines {
  #batch: string[] = [];
  #size = 0;
  readonly #print: (text: string) => Promise<void>;

  /** `isSafe`: the lines may hold colours, and foreign control characters are escaped already. */
  constructor(isSafe: boolean) {
    this.#print = isSafe ? printStyled : print;
  }

  /** Adds a line. Returns false once the output has no reader. */
  async add(line: string): Promise<boolean> {
    this.#batch.push(line);
    this.#size += line.length;
    return this.#size < BATCH_CHARACTERS || this.flush();
  }

  /** Prints the lines that are left. Returns false once the output has no reader. */
  async flush(): Promise<boolean> {
    if (this.#batch.length > 0) await this.#print(this.#batch.join("\n"));
    this.#batch = [];
    this.#size = 0;
    return !outputHasNoReader();
  }
}
