import type { Notification } from "../../config/user/terminal-settings.ts";
import type { RunEvent } from "../../runtime/events/run-events.ts";

/** An answer that took this long ends with a notification. */
const LONG_ANSWER_MS = 10_000;

/** The sequences that notify: the bell, and the notification of iTerm2 that many terminals know (OSC 9). */
const SIGNALS: Readonly<Record<Notification, string>> = {
  off: "",
  bell: "\x07",
  desktop: "\x1b]9;hooksh waits for you\x07",
};

/** Tells a user who looks elsewhere that a run waits: at a question, and after a long answer. */
export class Attention {
  readonly #signal: string;
  readonly #write: (sequence: string) => void;
  #busySince: number | undefined;

  constructor(notification: Notification, write: (sequence: string) => void) {
    this.#signal = SIGNALS[notification];
    this.#write = write;
  }

  see({ type }: RunEvent): void {
    if (type === "user_message") this.#busySince = Date.now();
    if (type !== "stream_stopped" || this.#busySince === undefined) return;
    if (Date.now() - this.#busySince >= LONG_ANSWER_MS) this.call();
    this.#busySince = undefined;
  }

  call(): void {
    this.#write(this.#signal);
  }
}
