import type { RedactingStream } from "../../redaction/redacting-stream.ts";
import type { Agent } from "../agent/agent.ts";
import { earlyOutput } from "../agent/agent-redaction.ts";

/** Lines are shown at most this often. */
const SHOW_EVERY_MS = 200;

/** The output of a tool while it runs. */
export interface LiveOutput {
  /** Takes the next part of the output. */
  push(output: string): void;
  /** Ends it: what has not been shown comes with the result. */
  end(): void;
}

/**
 * Shows what a tool prints while it runs, or returns undefined if hooks may have to rewrite it: shown early, it would
 * bypass them. If redaction is all that the hooks do, it is applied here, to complete lines.
 */
export function liveOutput(agent: Agent, show: (output: string) => void): LiveOutput | undefined {
  const early = earlyOutput(agent);
  if (early.kind === "as_it_is") return { push: show, end: () => {} };
  return early.kind === "redacted" ? new RedactedOutput(early.open, show) : undefined;
}

/** Shows complete lines without their secrets. */
class RedactedOutput implements LiveOutput {
  readonly #show: (output: string) => void;
  readonly #stream: Promise<RedactingStream>;
  #last: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #hasEnded = false;

  constructor(open: () => Promise<RedactingStream>, show: (output: string) => void) {
    this.#show = show;
    this.#stream = open();
  }

  push(output: string): void {
    this.#take(async () => (await this.#stream).push(output));
    this.#timer ??= setTimeout(() => this.#flush(), SHOW_EVERY_MS);
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    this.#take(async () => (await this.#stream).pause());
  }

  /** If the redaction fails, nothing more is shown; the hook decides about the result. */
  #take(read: () => Promise<string | undefined>): void {
    const end = () => this.end();
    this.#last = this.#last.then(async () => this.#put(await read())).catch(end);
  }

  #put(text: string | undefined): void {
    if (text && !this.#hasEnded) this.#show(text);
  }
}
