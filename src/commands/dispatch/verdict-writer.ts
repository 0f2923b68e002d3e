import { errorText } from "../../lib/errors.ts";
import { printError, printOrThrow } from "../cli/print.ts";

/** Milliseconds for which the answer to the first event is held while it may turn out to be the only one. */
const HOLD_MS = 1000;

/** Writes the verdicts of `dispatch` to standard output, one line each, in the order of the events. */
export class VerdictWriter {
  readonly #asHook: boolean;
  #held: string | undefined;
  #timer: Timer | undefined;
  #isFirst = true;
  #written: Promise<boolean> = Promise.resolve(true);

  /** `asHook`: a hook that has no verdict writes nothing, so the line for a single broken event is left out. */
  constructor(asHook: boolean) {
    this.#asHook = asHook;
  }

  /** Writes a verdict. False if that is not possible, which is reported. */
  async verdict(line: string): Promise<boolean> {
    this.release();
    this.#isFirst = false;
    return this.#write(line);
  }

  /** Writes the line for an event that could not be judged. */
  async refusal(line: string): Promise<void> {
    this.release();
    if (this.#asHook && this.#isFirst) {
      this.#held = line;
      this.#timer = setTimeout(() => this.release(), HOLD_MS);
    } else await this.#write(line);
    this.#isFirst = false;
  }

  /** Another event has come, or may: a line that was held back is written, because each event gets one. */
  release(): void {
    clearTimeout(this.#timer);
    if (this.#held !== undefined) void this.#write(this.#held);
    this.#held = undefined;
  }

  /** No event follows. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#written;
  }

  #write(line: string): Promise<boolean> {
    this.#written = this.#written
      .then(() => printOrThrow(line))
      .then(
        () => true,
        (error: unknown) => {
          printError(`standard output: ${errorText(error)}`);
          return false;
        },
      );
    return this.#written;
  }
}
