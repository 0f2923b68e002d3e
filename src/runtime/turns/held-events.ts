import type { RunEventBody } from "../events/run-events.ts";

type TextEvent = Extract<RunEventBody, { type: "agent_choice" | "agent_choice_reasoning" }>;

/** Pieces that are joined: an event for each token would take a hundred times the token's size. */
const JOIN_AFTER = 256;

/** Events that are held back. Successive pieces of text become one event. */
export class HeldEvents {
  readonly #events: RunEventBody[] = [];
  #text: TextEvent | undefined;
  #pieces: string[] = [];

  add(event: RunEventBody): void {
    const isText = event.type === "agent_choice" || event.type === "agent_choice_reasoning";
    if (!isText || this.#text?.type !== event.type || this.#pieces.length === JOIN_AFTER) this.#join();
    if (!isText) {
      this.#events.push(event);
      return;
    }
    this.#text = event;
    this.#pieces.push(event.content);
  }

  /** Returns the events so far. */
  list(): readonly RunEventBody[] {
    this.#join();
    return this.#events;
  }

  #join(): void {
    if (this.#text) this.#events.push({ ...this.#text, content: this.#pieces.join("") });
    this.#text = undefined;
    this.#pieces = [];
  }
}
