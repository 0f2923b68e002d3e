import { print, printError } from "../../cli/print.ts";
import { redactorFor } from "../../cli/redactor.ts";
import { UserError } from "../../lib/errors.ts";
import { optimizeForLongRun } from "../../lib/platform.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { LosslessCodec } from "../../lib/text/lossless-text.ts";
import type { RedactionOptions } from "../../redaction/redact.ts";
import { type SearchedText, SecretStream } from "../../redaction/secret-stream.ts";
import { chunksOf, filesIn, isFolder } from "./redact-input.ts";

export interface ReportOptions extends RedactionOptions {
  signal: AbortSignal;
  /** Print one JSON object per line instead of `file:line:column: kind`. */
  json: boolean;
}

/** Where a secret is: lines and columns count from 1, columns in UTF-16 units. */
interface Place {
  file: string;
  line: number;
  column: number;
  kind: string;
}

/**
 * Prints the place and the kind of every secret in files and folders. Reports a file that cannot be read and continues
 * with the next; `failed` is then true.
 */
export async function reportSecrets(
  names: readonly string[],
  options: ReportOptions,
): Promise<{ found: number; failed: boolean }> {
  optimizeForLongRun();
  const redactor = redactorFor(options);
  const total = { found: 0, failed: false };
  const fail = (error: Error) => {
    printError(error.message);
    total.failed = true;
  };
  for (const name of names) {
    for (const file of isFolder(name) ? filesIn(name, fail) : [name]) {
      try {
        for await (const places of placesIn(file, redactor, options.signal)) {
          total.found += places.length;
          if (places.length > 0)
            await print(places.map((place) => (options.json ? JSON.stringify(place) : placeText(place))).join("\n"));
        }
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        fail(error);
      }
      if (options.signal.aborted) return total;
    }
  }
  return total;
}

function placeText({ file, line, column, kind }: Place): string {
  return `${escapeControls(file)}:${line}:${column}: ${kind}`;
}

async function* placesIn(
  file: string,
  redactor: ConstructorParameters<typeof SecretStream>[0],
  signal: AbortSignal,
): AsyncGenerator<Place[]> {
  const codec = new LosslessCodec();
  const stream = new SecretStream(redactor);
  const counter = new PlaceCounter(file);
  for await (const chunk of chunksOf(file, signal)) {
    const piece = chunk === "pause" ? undefined : stream.push(codec.decode(chunk));
    if (piece) yield counter.places(piece);
  }
  stream.push(codec.finish());
  yield counter.places(stream.end());
}

const BYTE_ORDER_MARK = "\ufeff";

/** Turns offsets into lines and columns, piece by piece. */
class PlaceCounter {
  readonly #file: string;
  #line = 1;
  /** Start of the current line, relative to the next piece: 0 or negative; undefined before the first piece. */
  #lineStart: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  places({ text, found }: SearchedText): Place[] {
    // A byte-order mark does not count as a column.
    let lineStart = this.#lineStart ?? (text.startsWith(BYTE_ORDER_MARK) ? 1 : 0);
    let lineEnd = text.indexOf("\n");
    const moveTo = (offset: number) => {
      for (; lineEnd >= 0 && lineEnd < offset; lineEnd = text.indexOf("\n", lineStart)) {
        this.#line++;
        lineStart = lineEnd + 1;
      }
    };
    const places = found.map(({ start, kind }): Place => {
      moveTo(start);
      return { file: this.#file, line: this.#line, column: start - lineStart + 1, kind };
    });
    moveTo(text.length);
    this.#lineStart = lineStart - text.length;
    return places;
  }
}
