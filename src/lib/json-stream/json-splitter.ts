import { errorText } from "../errors.ts";
import { countKeys, findRepeatedKey } from "../json.ts";

/** A piece of a stream: one JSON object or array, or a line that cannot be read. */
export type JsonPiece =
  | {
      /** The line in which the value starts, from 1. */
      line: number;
      value: object;
    }
  | {
      line: number;
      /** The problem with the line, to follow its name in a message: `is not a JSON object or array`. */
      problem: string;
    };

/** The maximum size of a value in bytes. */
export const MAX_VALUE_BYTES = 256 * 1024 * 1024;

/** The maximum nesting. Parsing deeper values takes gigabytes, and no hook could receive them. */
const MAX_DEPTH = 1_000_000;

/** This many bytes of a string are compared one by one before its end is searched for: most strings are shorter. */
const SHORT_STRING = 64;

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** The tokens that may come next inside a value, as flags. */
const VALUE = 1;
const KEY = 2;
const KEY_END = 4;
const SEPARATOR = 8;
const END = 16;

/** The maximum number of characters of the input that a message quotes. */
const EXCERPT = 60;

/** The problem with a value whose end is missing. */
export const INCOMPLETE_VALUE = "holds a value that has no end";

const NO_BYTES = new Uint8Array(0);

const strictDecoder = new TextDecoder("utf-8", { fatal: true });
const lenientDecoder = new TextDecoder();

/**
 * Splits a stream of bytes into its top-level JSON objects and arrays, each as soon as it is complete. Values may
 * follow each other with or without a line end, and may span lines.
 *
 * An unreadable line is a problem, and reading continues after it. If a value that spans lines turns out to be invalid
 * in a later line, its first line is the problem, and the others are read again: those in between one by one, then the
 * line with the error. So a line that was cut off does not affect later lines, and every line that is not blank belongs
 * to a value or causes a problem. Takes linear time: no byte is scanned more than three times.
 */
export class JsonSplitter {
  /** The bytes that are still needed, from the start of the current value. */
  #bytes: Uint8Array = NO_BYTES;
  /** The buffer that `#bytes` is a part of, if they are from several chunks. */
  #buffer: Uint8Array = NO_BYTES;
  /** The position of the next byte to scan, and its line. */
  #at = 0;
  #line: number;
  /** True while the rest of a line is skipped. */
  #skipsLine = false;
  /** The number of bytes of a byte-order mark that were skipped so far. */
  #marked = 0;

  /** The start of the current value. */
  #start = 0;
  #startLine = 0;
  /** The first and the last line end inside the value so far; -1 without one. */
  #firstLineEnd = -1;
  #lastLineEnd = -1;
  /** There is no line end between `#at` and this position. */
  #noLineEndBefore = 0;
  /** The open brackets, outermost first; empty between values. */
  #open: Uint8Array = new Uint8Array(64);
  #depth = 0;
  #keys = 0;
  #expected = VALUE;
  #inString = false;
  #inLiteral = false;

  /**
   * The lines of an invalid value that are still to be read one by one: their start and end, the number of the next
   * one, and the splitter that reads the current one.
   */
  #aloneFrom = 0;
  #aloneTo = 0;
  #aloneLine = 0;
  #alone: JsonSplitter | undefined;
  #incompleteReason: string | undefined;

  /** `line` is the number of the first line. */
  constructor(line = 1) {
    this.#line = line;
  }

  /**
   * Adds a chunk. Call it only after `next` has returned undefined. The caller must not change the chunk afterwards.
   */
  push(chunk: Uint8Array): void {
    const from = this.#depth > 0 ? this.#start : this.#at;
    const rest = this.#bytes.subarray(from);
    const needed = rest.length + chunk.length;
    this.#at -= from;
    this.#start -= from;
    this.#noLineEndBefore -= from;
    this.#firstLineEnd = Math.max(-1, this.#firstLineEnd - from);
    this.#lastLineEnd = Math.max(-1, this.#lastLineEnd - from);
    if (rest.length === 0) {
      this.#buffer = NO_BYTES;
      this.#bytes = chunk;
      return;
    }
    const isInPlace = rest.buffer === this.#buffer.buffer && from === 0;
    if (needed > this.#buffer.length) {
      this.#buffer = new Uint8Array(2 * needed);
      this.#buffer.set(rest);
    } else if (!isInPlace) this.#buffer.set(rest);
    this.#buffer.set(chunk, rest.length);
    this.#bytes = this.#buffer.subarray(0, needed);
  }

  /** Marks the end of the stream. `reason` is the problem to report if a value is incomplete. */
  finish(reason: string): void {
    this.#incompleteReason = reason;
  }

  /** Returns the next piece; undefined if it needs more bytes. */
  next(): JsonPiece | undefined {
    for (;;) {
      const alone = this.#nextAlone();
      if (alone !== undefined) return alone;
      if (this.#at < this.#bytes.length) {
        if (this.#skipsLine) {
          this.#skipLine();
          continue;
        }
        if (this.#depth === 0) {
          const problem = this.#findValue();
          if (problem !== undefined) return { line: this.#line, problem };
          continue;
        }
        const problem = this.#scanValue() ?? this.#sizeProblem();
        if (problem !== undefined) return this.#breakOff(problem);
        if (this.#depth === 0) return this.#readValue();
      }
      if (this.#incompleteReason === undefined) return undefined;
      if (this.#depth > 0) return this.#breakOff(`${this.#incompleteReason}: ${this.#excerpt(this.#start)}`);
      if (this.#marked === 0) return undefined;
      this.#marked = 0;
      return { line: this.#line, problem: "ends inside a byte-order mark" };
    }
  }

  /** Returns the next piece from the lines of an invalid value that are read one by one. */
  #nextAlone(): JsonPiece | undefined {
    for (;;) {
      const piece = this.#alone?.next();
      if (piece !== undefined) return piece;
      this.#alone = undefined;
      if (this.#aloneFrom === this.#aloneTo) return undefined;
      const lineEnd = this.#bytes.indexOf(LINE_FEED, this.#aloneFrom);
      this.#alone = new JsonSplitter(this.#aloneLine++);
      this.#alone.push(this.#bytes.subarray(this.#aloneFrom, lineEnd));
      this.#alone.finish(INCOMPLETE_VALUE);
      this.#aloneFrom = lineEnd + 1;
    }
  }

  #skipLine(): void {
    const lineEnd = this.#bytes.indexOf(LINE_FEED, this.#at);
    this.#skipsLine = lineEnd < 0;
    this.#at = lineEnd < 0 ? this.#bytes.length : lineEnd;
  }

  /** Moves to the start of the next value. Returns the problem with a line that contains something else. */
  #findValue(): string | undefined {
    for (; this.#at < this.#bytes.length; this.#at++) {
      const byte = this.#bytes[this.#at];
      if (byte === BYTE_ORDER_MARK[this.#marked]) this.#marked = (this.#marked + 1) % BYTE_ORDER_MARK.length;
      else if (this.#marked > 0 || !(isBlank(byte) || isOpening(byte))) {
        this.#marked = 0;
        this.#skipsLine = true;
        return `is not a JSON object or array: ${this.#excerpt(this.#at)}`;
      } else if (byte === LINE_FEED) this.#line++;
      else if (isOpening(byte)) {
        this.#start = this.#at;
        this.#startLine = this.#line;
        this.#firstLineEnd = -1;
        this.#lastLineEnd = -1;
        this.#keys = 0;
        this.#inString = false;
        this.#inLiteral = false;
        this.#enter(byte);
        this.#at++;
        return undefined;
      }
    }
    return undefined;
  }

  /**
   * Parses a complete value. Rejects one that is not UTF-8 or repeats a key, because a hook could read it differently
   * than the sender means it.
   */
  #readValue(): JsonPiece {
    const line = this.#startLine;
    let text: string;
    try {
      text = strictDecoder.decode(this.#bytes.subarray(this.#start, this.#at));
    } catch {
      return { line, problem: "holds bytes that are not UTF-8" };
    }
    let value: object;
    try {
      value = JSON.parse(text) as object;
    } catch (error) {
      const problem = `is not JSON: ${errorText(error)}`;
      return this.#firstLineEnd < 0 ? { line, problem } : this.#breakOff(problem);
    }
    if (countKeys(value) === this.#keys) return { line, value };
    return {
      line,
      problem: `repeats the key ${JSON.stringify(findRepeatedKey(text))} in an object: which of the two counts is not clear`,
    };
  }

  /**
   * Rejects the current value: its first line is the problem, the complete lines after it are read one by one, and the
   * line with the error is read again, or skipped if it is the first.
   */
  #breakOff(problem: string): JsonPiece {
    this.#depth = 0;
    if (this.#firstLineEnd < 0) this.#skipsLine = true;
    else {
      this.#aloneFrom = this.#firstLineEnd + 1;
      this.#aloneTo = this.#lastLineEnd + 1;
      this.#aloneLine = this.#startLine + 1;
      this.#at = this.#aloneTo;
      this.#noLineEndBefore = this.#at;
    }
    return { line: this.#startLine, problem };
  }

  #sizeProblem(): string | undefined {
    return this.#at - this.#start > MAX_VALUE_BYTES
      ? `begins a value of more than ${MAX_VALUE_BYTES} bytes`
      : undefined;
  }

  /** Scans to the end of the value, or of the available bytes. Returns a problem that further bytes cannot fix. */
  #scanValue(): string | undefined {
    const bytes = this.#bytes;
    for (; this.#depth > 0 && this.#at < bytes.length; this.#at++) {
      if (this.#inString) {
        const problem = this.#scanString();
        if (problem !== undefined) return problem;
        if (this.#inString) return undefined;
        continue;
      }
      const byte = bytes[this.#at] ?? 0;
      if (this.#inLiteral && isLiteral(byte)) continue;
      this.#inLiteral = false;
      if (isBlank(byte)) {
        if (byte === LINE_FEED) this.#endLine();
      } else if (!this.#takeToken(byte)) {
        return this.#depth === MAX_DEPTH
          ? `nests deeper than ${MAX_DEPTH} levels`
          : `is not JSON: unexpected ${this.#excerpt(this.#at)}${this.#inLaterLine()}`;
      }
    }
    return undefined;
  }

  /** Reads the first byte of a token. Returns false if the token is not allowed here. */
  #takeToken(byte: number): boolean {
    const expected = this.#expected;
    if (byte === QUOTE && (expected & (VALUE | KEY)) !== 0) {
      if ((expected & KEY) !== 0) this.#keys++;
      this.#expected = (expected & KEY) !== 0 ? KEY_END : SEPARATOR | END;
      this.#inString = true;
    } else if (byte === COLON && expected === KEY_END) this.#expected = VALUE;
    else if (byte === COMMA && (expected & SEPARATOR) !== 0)
      this.#expected = this.#innermost() === OPEN_OBJECT ? KEY : VALUE;
    else if (byte === CLOSE_OBJECT && (expected & END) !== 0 && this.#innermost() === OPEN_OBJECT) this.#leave();
    else if (byte === CLOSE_LIST && (expected & END) !== 0 && this.#innermost() === OPEN_LIST) this.#leave();
    else if ((expected & VALUE) === 0) return false;
    else if (isOpening(byte)) return this.#enter(byte);
    else if (isLiteral(byte)) {
      this.#inLiteral = true;
      this.#expected = SEPARATOR | END;
    } else return false;
    return true;
  }

  #enter(bracket: number): boolean {
    if (this.#depth === MAX_DEPTH) return false;
    if (this.#depth === this.#open.length) {
      const larger = new Uint8Array(2 * this.#open.length);
      larger.set(this.#open);
      this.#open = larger;
    }
    this.#open[this.#depth++] = bracket;
    this.#expected = bracket === OPEN_OBJECT ? KEY | END : VALUE | END;
    return true;
  }

  #leave(): void {
    this.#depth--;
    this.#expected = SEPARATOR | END;
  }

  #innermost(): number | undefined {
    return this.#open[this.#depth - 1];
  }

  #endLine(): void {
    this.#line++;
    if (this.#firstLineEnd < 0) this.#firstLineEnd = this.#at;
    this.#lastLineEnd = this.#at;
  }

  /**
   * Scans to the quote that ends the string, or to the end of the available bytes. Returns the problem, if there is
   * one.
   */
  #scanString(): string | undefined {
    const bytes = this.#bytes;
    for (let plain = 0; this.#at < bytes.length; ) {
      const byte = bytes[this.#at];
      if (byte === QUOTE) {
        this.#inString = false;
        return undefined;
      }
      if (byte === LINE_FEED) return `is not JSON: a string has no end${this.#inLaterLine()}`;
      if (byte === BACKSLASH) {
        if (this.#at + 1 === bytes.length) return undefined; // the escaped byte has not arrived yet
        this.#at += bytes[this.#at + 1] === LINE_FEED ? 1 : 2;
      } else if (plain++ < SHORT_STRING) this.#at++;
      else {
        this.#at = this.#plainEnd();
        plain = 0;
      }
    }
    return undefined;
  }

  /**
   * Returns a position up to which a long string certainly has only plain bytes: its quote, an escape before that, or a
   * line end.
   */
  #plainEnd(): number {
    const bytes = this.#bytes;
    const quote = bytes.indexOf(QUOTE, this.#at);
    const end = quote < 0 ? bytes.length : quote;
    if (this.#noLineEndBefore < end) {
      const lineEnd = bytes.indexOf(LINE_FEED, Math.max(this.#at, this.#noLineEndBefore));
      this.#noLineEndBefore = lineEnd < 0 ? bytes.length : lineEnd;
      if (this.#noLineEndBefore < end) return this.#noLineEndBefore;
    }
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++;
    return end - (escapes % 2);
  }

  #inLaterLine(): string {
    return this.#line === this.#startLine ? "" : ` in line ${this.#line}`;
  }

  /** Returns the start of the rest of the line as a JSON string. */
  #excerpt(from: number): string {
    const [line = ""] = lenientDecoder.decode(this.#bytes.subarray(from, from + 4 * EXCERPT)).split("\n", 1);
    return JSON.stringify(line.length > EXCERPT ? `${line.slice(0, EXCERPT)}...` : line.trimEnd());
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === LINE_FEED || byte === 0x0d || byte === 0x09;
}

function isOpening(byte: number | undefined): byte is number {
  return byte === OPEN_OBJECT || byte === OPEN_LIST;
}

/** True for a byte of a number, `true`, `false` or `null`. */
function isLiteral(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x2b ||
    byte === 0x45
  );
}
