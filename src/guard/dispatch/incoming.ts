import type { JsonItem } from "../../lib/json-stream/json-items.ts";
import { settleWithin } from "../../lib/settle-within.ts";

/** The values of the input. The first can be read in advance and is still part of {@link all}. */
export class Incoming {
  readonly #items: AsyncGenerator<JsonItem>;
  #first: Promise<IteratorResult<JsonItem>> | undefined;
  #second: Promise<IteratorResult<JsonItem>> | undefined;

  constructor(items: AsyncGenerator<JsonItem>) {
    this.#items = items;
  }

  /**
   * Returns the first value, or what is wrong with the input. Waits `ms` milliseconds at most: some agents never close
   * the standard input of a hook.
   */
  async first(ms?: number): Promise<JsonItem> {
    this.#first ??= this.#items.next();
    const settled = await settleWithin(this.#first, { ms });
    if (settled.kind !== "done") return { problem: `standard input holds no complete JSON value after ${ms} ms` };
    return settled.value.done ? { problem: "standard input contains no event" } : settled.value.value;
  }

  /** True if another value has already arrived after the first one. Does not wait for the end of the input. */
  async hasSecond(): Promise<boolean> {
    await this.#first;
    this.#second ??= this.#items.next();
    this.#second.catch(() => {}); // reported when it is taken
    const settled = await settleWithin(this.#second, { ms: 0 }).catch(() => undefined);
    return settled?.kind === "done" && !settled.value.done;
  }

  /** Yields every value, including those that were read in advance. */
  async *all(): AsyncGenerator<JsonItem> {
    for (const seen of [this.#first, this.#second]) {
      const item = await seen;
      if (item?.done) return;
      if (item) yield item.value;
    }
    yield* this.#items;
  }
}
