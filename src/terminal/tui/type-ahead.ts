import type { Component } from "@earendil-works/pi-tui";

/** Keeps the keys that are pressed between two questions, for the second. */
export class TypeAhead implements Component {
  #kept: string[] | undefined;

  get isOn(): boolean {
    return this.#kept !== undefined;
  }

  start(): void {
    this.#kept = [];
  }

  stop(): void {
    this.#kept = undefined;
  }

  handleInput(data: string): void {
    this.#kept?.push(data);
  }

  /** Passes the keys on to a question. */
  deliver(question: Component): void {
    const kept = this.#kept?.splice(0) ?? [];
    for (const data of kept) question.handleInput?.(data);
  }

  render(): string[] {
    return [];
  }

  invalidate(): void {}
}
