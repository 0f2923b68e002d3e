import { sleep } from "../../lib/platform.ts";
import { untilAborted } from "../../lib/settle-within.ts";

/** Keys pressed less than this before a question do not answer it: the user was typing something else. */
const QUIET_MS = 400;

/** A question is shown after this long even if the user keeps typing. */
export const MAX_WAIT_MS = 3_000;

/** A key counts only if no other follows within this time: pasted text must not answer a question. */
const SETTLE_MS = 25;

/** Tells keys of what the user was typing from those of an answer: the keyboard was quiet once before an answer. */
export class FirstPause {
  #pressedAt: number;
  #wasQuiet = false;

  /** `pressedAt` is when a key was pressed last, in milliseconds since 1970; 0 if none was. */
  constructor(pressedAt: number) {
    this.#pressedAt = pressedAt;
  }

  /** Call it for each key. Returns true if the keyboard was quiet before this one or an earlier one. */
  press(): boolean {
    const now = Date.now();
    this.#wasQuiet ||= now - this.#pressedAt >= QUIET_MS;
    this.#pressedAt = now;
    return this.#wasQuiet;
  }
}

/**
 * Enter answers a question only after the question could be read: unlike a letter, it is pressed twice by people who
 * think that nothing happened.
 */
export const READ_MS = QUIET_MS;

export const ENTER = /^(?:enter|return|\r|\n)$/;

/**
 * Finds the keys that the user means as an answer: pressed after the keyboard was quiet once, and on their own, or with
 * Enter directly after them, as scripts and slow lines send them. A held key, the rest of a sentence and pasted text
 * answer nothing.
 */
export class DeliberateKey {
  readonly #onKey: (key: string) => void;
  readonly #pause: FirstPause;
  /** The key that counts if no other follows, and whether Enter did; undefined for one that cannot be an answer. */
  #last: { key: string | undefined; isConfirmed: boolean; timer: Timer } | undefined;

  /** `pressedAt`: see {@link FirstPause}. */
  constructor(pressedAt: number, onKey: (key: string) => void) {
    this.#pause = new FirstPause(pressedAt);
    this.#onKey = onKey;
  }

  /**
   * Call it for each key; undefined is one that cannot be an answer. Returns true if the keyboard was quiet before this
   * key or an earlier one.
   */
  press(key: string | undefined): boolean {
    const wasQuiet = this.#pause.press();
    const before = this.#last;
    clearTimeout(before?.timer);
    const isEnter = key !== undefined && ENTER.test(key);
    const isConfirmed = isEnter && before?.key !== undefined && !before.isConfirmed && !ENTER.test(before.key);
    if (isConfirmed) this.#wait(before.key, true);
    else this.#wait(wasQuiet && before === undefined ? key : undefined, false);
    return wasQuiet;
  }

  #wait(key: string | undefined, isConfirmed: boolean): void {
    const timer = setTimeout(() => {
      this.#last = undefined;
      if (key !== undefined) this.#onKey(key);
    }, SETTLE_MS);
    this.#last = { key, isConfirmed, timer };
  }
}

/**
 * Resolves once no key was pressed for {@link QUIET_MS}, after {@link MAX_WAIT_MS}, or when the signal aborts.
 * `pressedAt` returns when a key was pressed last.
 */
export async function untilQuiet(pressedAt: () => number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS;
  for (let wait = QUIET_MS; wait > 0 && !signal.aborted; ) {
    wait = Math.min(pressedAt() + QUIET_MS, deadline) - Date.now();
    if (wait > 0) await untilAborted(sleep(wait), signal);
  }
}
