import type { Component } from "@earendil-works/pi-tui";
import { untilAborted } from "../../lib/settle-within.ts";

/** The questions that wait for the user. The newest is shown; the one below it, such as an open list, comes back after it. */
export class OpenQuestions {
  readonly #open: Component[] = [];
  readonly #onChange: () => void;

  /** `onChange` is called whenever another question is shown, or none. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get shown(): Component | undefined {
    return this.#open.at(-1);
  }

  /** Shows a question until it is answered or the signal aborts. `onShown` is called once it is on the screen. */
  async ask<T>(
    create: (answer: (value: T | undefined) => void) => Component,
    signal: AbortSignal,
    onShown: (question: Component) => void,
  ): Promise<T | undefined> {
    if (signal.aborted) return undefined;
    const answer = Promise.withResolvers<T | undefined>();
    const question = create((value) => {
      this.#remove(question);
      answer.resolve(value);
    });
    this.#open.push(question);
    this.#onChange();
    onShown(question);
    try {
      return await untilAborted(answer.promise, signal);
    } finally {
      this.#remove(question);
    }
  }

  #remove(question: Component): void {
    const at = this.#open.indexOf(question);
    if (at < 0) return;
    this.#open.splice(at, 1);
    this.#onChange();
  }
}
