import { ProcessTerminal } from "@earendil-works/pi-tui";
import { settleWithin } from "../../lib/settle-within.ts";
import { BACKGROUND_QUERY, type Background, BackgroundAnswer } from "./background-answer.ts";

/** An answer counts only within this time: later, the user reads in other colours already. */
const ANSWER_MS = 1_000;

/** How long the end of the terminal waits for an answer that may still come, and would go to the shell. */
const LAST_WAIT_MS = 100;

/** The most text of an escape sequence without an end; pi-tui reads it again from its start with every piece that arrives. */
const MOST_UNFINISHED = 64 * 1024;

/** pi-tui's terminal, which also finds out its background, without its log of everything that is shown. */
export class ProcessScreen extends ProcessTerminal {
  #onInput: ((data: string) => void) | undefined;
  readonly #answer = new BackgroundAnswer(
    (data) => this.#onInput?.(data),
    (background) => this.#asked?.answered.resolve(background),
  );
  #asked: { at: number; answered: PromiseWithResolvers<Background | undefined> } | undefined;

  override start(onInput: (data: string) => void, onResize: () => void): void {
    this.#onInput = onInput;
    super.start((data) => this.#answer.receive(data), onResize);
    process.stdin.on("data", this.#dropUnfinished);
  }

  readonly #dropUnfinished = (): void => {
    const unread = this["stdinBuffer"];
    if (unread && unread.getBuffer().length > MOST_UNFINISHED) unread.clear();
  };

  override stop(): void {
    this.#answer.release();
    process.stdin.off("data", this.#dropUnfinished);
    super.stop();
  }

  // pi-tui's own also logs to the file that an environment variable names.
  override write(data: string): void {
    process.stdout.write(data);
  }

  /** Asks for the background. Resolves with undefined if the terminal does not answer in time. */
  async askBackground(): Promise<Background | undefined> {
    this.#asked = { at: Date.now(), answered: Promise.withResolvers() };
    this.#answer.expect();
    this.write(BACKGROUND_QUERY);
    return this.#untilAnswered(ANSWER_MS);
  }

  /** Waits for an answer that is on its way. Call it before another program reads from the terminal. */
  async settle(): Promise<void> {
    if (this.#asked && Date.now() - this.#asked.at < ANSWER_MS) await this.#untilAnswered(LAST_WAIT_MS);
  }

  async #untilAnswered(ms: number): Promise<Background | undefined> {
    const answer = this.#asked?.answered.promise ?? Promise.resolve(undefined);
    const settled = await settleWithin(answer, { ms });
    return settled.kind === "done" ? settled.value : undefined;
  }
}
