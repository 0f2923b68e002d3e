import { settleWithin, type Wait } from "../../lib/settle-within.ts";

/** Limits how many requests are worked on at once. The others wait in the order of their arrival. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot. Returns false if `wait` ends first; after true, {@link give} must be called once. */
  async take(wait: Wait): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const settled = await settleWithin(promise, wait);
    if (settled.kind === "done") return true;
    const index = this.#waiting.indexOf(resolve);
    if (index >= 0) this.#waiting.splice(index, 1);
    else this.give(); // the wait ended at the moment when the slot was given
    return false;
  }

  /** Gives a slot back. */
  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
