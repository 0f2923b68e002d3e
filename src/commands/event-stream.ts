import { InputError } from "../lib/errors.ts";

/** How long an open standard input may be silent, in milliseconds, before it counts as finished. */
export interface Silences {
  /** After one complete value that no newline follows: nobody is writing lines. */
  afterValue: number;
  /** After one complete line. */
  afterLine: number;
  /** In the middle of a value. */
  insideValue: number;
}

/** Used unless the caller knows better; a host that never closes our standard input is answered all the same. */
export const SILENCES: Silences = { afterValue: 150, afterLine: 1000, insideValue: 5000 };

/** The largest value that is read, in characters. */
const LARGEST = 256 * 1024 * 1024;

/**
 * The JSON values of a byte stream, each as its text, as soon as it is complete: objects or arrays one after the other,
 * on lines of their own or not. A byte-order mark is skipped. Ends at the end of the stream; an open stream that falls
 * silent after its only value ends too, unless `keepOpen` is set. From the second value on only the end of the stream
 * ends it. Throws an {@link InputError} for text that is no JSON value and for one that stays incomplete; it calls the
 * stream by its `name`.
 *
 * Source: dialects 1 (rule 1), config-and-cli 9.7.
 */
export async function* jsonValues(
  stream: ReadableStream<Uint8Array>,
  options: { keepOpen?: boolean; silences?: Silences; signal?: AbortSignal; name?: string } = {},
): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const { name = "standard input" } = options;
  const splitter = new Splitter(name);
  let values = 0;
  try {
    for (;;) {
      const patience = options.keepOpen ? undefined : silenceAllowed(splitter, values, options.silences ?? SILENCES);
      const chunk = await readWithin(reader, patience, options.signal);
      if (chunk === "aborted") return;
      if (chunk === "silent") break;
      for (const text of splitter.push(chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode())) {
        values++;
        yield text;
      }
      if (!chunk) break;
    }
    const rest = splitter.rest();
    if (rest !== "") throw new InputError(`${name} ends inside JSON value ${values + 1}: ${excerpt(rest)}`);
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The milliseconds to wait for more, or undefined for ever. */
function silenceAllowed(splitter: Splitter, values: number, silences: Silences): number | undefined {
  if (splitter.rest() !== "") return silences.insideValue;
  if (values !== 1) return undefined;
  return splitter.endsWithNewline ? silences.afterLine : silences.afterValue;
}

async function readWithin(reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> }, patience: number | undefined, signal?: AbortSignal) {
  const other = Promise.withResolvers<"silent" | "aborted">();
  const timer = patience === undefined ? undefined : setTimeout(other.resolve, patience, "silent");
  const onAbort = () => other.resolve("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    return await Promise.race([reader.read().then(({ done, value }) => (done ? undefined : value)), other.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Cuts text into top-level JSON objects and arrays, whatever the pieces it arrives in. */
class Splitter {
  endsWithNewline = false;
  readonly #name: string;
  #text = "";
  #at = 0;
  #depth = 0;
  #inString = false;

  constructor(name: string) {
    this.#name = name;
  }

  *push(piece: string): Generator<string> {
    this.#text += piece;
    if (this.#text.length > LARGEST) throw new InputError(`${this.#name} holds a value of more than ${LARGEST} characters`);
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at];
      if (this.#inString) {
        if (char === "\\") {
          if (this.#at + 1 >= this.#text.length) return; // the escaped character is still to come
          this.#at++;
        } else if (char === '"') this.#inString = false;
      } else if (this.#depth === 0) this.#startValue(char ?? "");
      else if (char === '"') this.#inString = true;
      else if (char === "{" || char === "[") this.#depth++;
      else if ((char === "}" || char === "]") && --this.#depth === 0) yield this.#cut();
    }
  }

  /** What has been read of a value that is not complete. */
  rest(): string {
    return this.#text.trim();
  }

  #startValue(char: string): void {
    if (char === "{" || char === "[") {
      this.#text = this.#text.slice(this.#at);
      this.#at = 0;
      this.#depth = 1;
    } else if (!/\s|\uFEFF/.test(char)) {
      throw new InputError(`${this.#name} is not a JSON object or array: ${excerpt(this.#text.slice(this.#at))}`);
    } else if (char === "\n") this.endsWithNewline = true;
  }

  #cut(): string {
    const value = this.#text.slice(0, this.#at + 1);
    this.#text = this.#text.slice(this.#at + 1);
    this.#at = -1;
    this.endsWithNewline = false;
    return value;
  }
}

function excerpt(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}...` : line);
}
