import { type Redactor, replaceFound } from "./redact.ts";
import { type SearchedText, SecretStream } from "./secret-stream.ts";

/** Replaces the secrets of a text that arrives in parts, see {@link SecretStream}. */
export class RedactingStream {
  readonly #stream: SecretStream;
  readonly #label: boolean;

  constructor(redactor: Redactor, label = false) {
    this.#stream = new SecretStream(redactor);
    this.#label = label;
  }

  /** Takes the next part. Returns text once a window is full. */
  push(part: string): string | undefined {
    return this.#redact(this.#stream.push(part));
  }

  /** Returns the complete lines when the stream pauses; undefined if there are none. */
  pause(): string | undefined {
    return this.#redact(this.#stream.pause());
  }

  /** Returns the rest at the end of the stream. */
  end(): string {
    return this.#redact(this.#stream.end()) ?? "";
  }

  #redact(piece: SearchedText | undefined): string | undefined {
    return piece && replaceFound(piece.text, piece.found, this.#label);
  }
}
