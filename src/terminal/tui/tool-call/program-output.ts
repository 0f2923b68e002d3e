import { escapeControlsInLines } from "../../../lib/text/escape-controls.ts";

/**
 * Escape sequences (ECMA-48): CSI, the strings OSC, DCS, SOS, PM and APC with their ends, and short ones. A string that
 * does not end within 4,096 characters is not one.
 */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-Z\\`-~]/g;
/** The beginning of a sequence at the end of a text. */
const UNFINISHED = /(?:\x1b[[]?[ -?]*|\x1b[\]PX^_][^\x07\x1b\x9c]{0,4096}\x1b?)$/;

/** Characters of a row of output that are kept: more than the widest terminal has. */
const MAX_LINE = 2000;
/** Output is binary if more than this share of its first characters is control or replacement characters. */
const BINARY_SHARE = 0.1;
const SAMPLE = 4096;

/**
 * Returns the output of a program as text that a terminal can only display: without escape sequences, each line in its
 * last state after carriage returns (as a progress bar leaves it), other control characters escaped.
 */
export function cleanOutput(text: string): string {
  return escapeControlsInLines(lastStates(text.replace(SEQUENCES, "")));
}

/** True if a text looks like the bytes of a file that is not text. */
export function looksBinary(text: string): boolean {
  const sample = text.slice(0, SAMPLE).replace(SEQUENCES, "");
  if (sample.includes("\0")) return true;
  const odd = sample.match(/[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]/g)?.length ?? 0;
  return odd > sample.length * BINARY_SHARE;
}

function lastStates(text: string): string {
  if (!text.includes("\r")) return text;
  return text.split("\n").map(lastState).join("\n");
}

function lastState(line: string): string {
  const end = line.replace(/\r+$/, "");
  return end.slice(end.lastIndexOf("\r") + 1);
}

/** The last lines of what a program prints while it runs. Its memory is bounded whatever the program prints. */
export class OutputTail {
  readonly #capacity: number;
  readonly #lines: string[] = [];
  /** The line being printed, and the beginning of an escape sequence at its end. */
  #line = "";
  #count = 0;

  /** `capacity` is the number of lines that are kept. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Complete lines so far. */
  get count(): number {
    return this.#count;
  }

  /** Adds what the program printed; a piece may end inside a line or an escape sequence. */
  append(piece: string): void {
    const lines = (this.#line + piece).split("\n");
    this.#line = shortened(lines.pop() ?? "");
    this.#count += lines.length;
    this.#lines.push(...lines.slice(-this.#capacity).map((line) => shortened(line)));
    this.#lines.splice(0, this.#lines.length - this.#capacity);
  }

  /** Returns the last lines, oldest first, cleaned; the one being printed too, unless it is empty. */
  lines(): string[] {
    const current = cleanOutput(this.#line.replace(UNFINISHED, ""));
    return [...this.#lines.map(cleanOutput), ...(current === "" ? [] : [current])].slice(-this.#capacity);
  }
}

/** Cuts a long line to the beginning of its last state; keeps what the next piece may continue. */
function shortened(line: string): string {
  if (line.length <= MAX_LINE) return line;
  const unfinished = UNFINISHED.exec(line.slice(-MAX_LINE))?.[0] ?? "";
  const body = line.slice(0, line.length - unfinished.length).replace(SEQUENCES, "");
  return `${lastState(body).slice(0, MAX_LINE)}${body.endsWith("\r") ? "\r" : ""}${unfinished}`;
}
