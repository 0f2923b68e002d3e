/** A question that waits for its turn. */
interface WaitingQuestion {
  start: () => void;
}

/**
 * Asks one question at a time, in the order in which they come. A question whose signal aborts while it waits is never
 * asked, and the others keep their places.
 */
export class QuestionQueue {
  readonly #waiting: WaitingQuestion[] = [];
  readonly #onChange: (waiting: number) => void;
  #isAsking = false;

  /** `onChange` is called with how many questions wait behind the current one, whenever that changes. */
  constructor(onChange: (waiting: number) => void) {
    this.#onChange = onChange;
  }

  /** Asks when it is the question's turn. Returns undefined if the signal aborts before. */
  async ask<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.#turn(signal))) return undefined;
    try {
      return await ask();
    } finally {
      this.#isAsking = false;
      this.#next();
    }
  }

  /** Resolves with true when it is the question's turn, with false if the signal aborts before. */
  #turn(signal: AbortSignal): Promise<boolean> {
    const turn = Promise.withResolvers<boolean>();
    if (signal.aborted) turn.resolve(false);
    else this.#enqueue(signal, turn.resolve);
    return turn.promise;
  }

  #enqueue(signal: AbortSignal, resolve: (isItsTurn: boolean) => void): void {
    const withdraw = () => {
      this.#waiting.splice(this.#waiting.indexOf(question), 1);
      this.#onChange(this.#waiting.length);
      resolve(false);
    };
    const question = {
      start: () => {
        signal.removeEventListener("abort", withdraw);
        resolve(true);
      },
    };
    signal.addEventListener("abort", withdraw, { once: true });
    this.#waiting.push(question);
    if (this.#isAsking) this.#onChange(this.#waiting.length);
    else this.#next();
  }

  #next(): void {
    const question = this.#waiting.shift();
    if (!question) return;
    this.#isAsking = true;
    this.#onChange(this.#waiting.length);
    question.start();
  }
}

/** Returns the line that says how many questions wait behind the one that is shown. */
export function waitingText(count: number): string {
  return count === 1 ? "1 more question waits" : `${count} more questions wait`;
}
