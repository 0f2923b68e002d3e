import { writeSync } from "node:fs";
import { sleepSync } from "../../lib/platform.ts";
import type { Region, Size } from "./layout.ts";

/** The contents of the region at the bottom of the screen, lowest priority first. */
const LAYERS = ["spinner", "editor", "question"] as const;

/** See {@link LAYERS}. */
export type Layer = (typeof LAYERS)[number];

/** The options of a {@link Screen}. */
export interface ScreenOptions {
  /** False for a terminal without escape sequences, on which nothing is moved or erased. */
  supportsEscapes: boolean;
  size: () => Size;
  /** The stream for everything other than the agent's text: standard error if it is the terminal too. */
  notes: 1 | 2;
}

/**
 * A terminal that shows the agent's text (on standard output), notes, and a region that stays at the bottom. Both
 * streams are written synchronously and in order. While a region is shown, text appears above it, line by line.
 */
export class Screen {
  readonly supportsEscapes: boolean;
  readonly #options: ScreenOptions;
  readonly #layers = new Map<Layer, Region>();
  #cursorRow: number | undefined;
  #isMidLine = false;
  /** The incomplete last line of output, kept back while a region is shown. */
  #held = "";

  constructor(options: ScreenOptions) {
    this.supportsEscapes = options.supportsEscapes;
    this.#options = options;
  }

  get size(): Size {
    return this.#options.size();
  }

  /** True if the agent is in the middle of a line. */
  get isMidLine(): boolean {
    return this.#isMidLine || this.#held !== "";
  }

  /** Shows text of the agent. */
  write(text: string): void {
    this.#print(1, text);
  }

  /** Shows a note, starting on a new line. */
  note(text: string): void {
    this.startLine();
    this.#print(this.#options.notes, `${text}\n`);
  }

  /** Starts a new line, unless the last text ended one. */
  startLine(): void {
    if (this.isMidLine) this.#print(1, "\n");
  }

  /** Shows a prompt that the user types after; for a terminal without escape sequences. */
  prompt(text: string): void {
    this.startLine();
    this.#print(this.#options.notes, text);
  }

  /** Shows the rest of that line; empty if the terminal has echoed it. */
  echo(text: string): void {
    this.#put(this.#options.notes, text);
    this.#isMidLine = false;
  }

  /** Sets the region of a layer at the bottom of the screen; undefined removes it. */
  show(layer: Layer, region: Region | undefined): void {
    if (!this.supportsEscapes) return;
    const sequences = this.#erasing();
    if (region) this.#layers.set(layer, region);
    else this.#layers.delete(layer);
    this.#put(this.#options.notes, sequences + this.#drawing());
    if (this.#layers.size > 0 || this.#held === "") return;
    this.#put(1, this.#held);
    this.#isMidLine = true;
    this.#held = "";
  }

  /** Sends an escape sequence that shows no text. */
  control(sequence: string): void {
    if (this.supportsEscapes) this.#put(this.#options.notes, sequence);
  }

  #print(fd: 1 | 2, text: string): void {
    if (text === "") return;
    if (this.#layers.size === 0) {
      this.#put(fd, text);
      this.#isMidLine = !text.endsWith("\n");
      return;
    }
    const end = text.lastIndexOf("\n") + 1;
    const complete = end > 0 ? this.#held + text.slice(0, end) : "";
    this.#held = end > 0 ? text.slice(end) : this.#held + text;
    if (complete === "") return;
    this.#put(this.#options.notes, this.#erasing());
    this.#put(fd, complete);
    this.#put(this.#options.notes, this.#drawing());
  }

  #erasing(): string {
    if (this.#cursorRow === undefined) return "";
    const up = this.#cursorRow > 0 ? `\x1b[${this.#cursorRow}A` : "";
    this.#cursorRow = undefined;
    return `${up}\r\x1b[J`;
  }

  #drawing(): string {
    const top = LAYERS.findLast((layer) => this.#layers.has(layer));
    const region = top && this.#layers.get(top);
    if (!region) return "";
    const { rows, cursor } = region;
    const start = this.#isMidLine ? "\n" : "";
    this.#isMidLine = false;
    this.#cursorRow = cursor.row;
    const below = rows.length - 1 - cursor.row;
    const up = below > 0 ? `\x1b[${below}A` : "";
    const right = cursor.column > 0 ? `\x1b[${cursor.column}C` : "";
    return `${start}${rows.join("\n")}${up}\r${right}`;
  }

  #put(fd: 1 | 2, text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(fd, bytes, at);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return; // the terminal is closed
        sleepSync(2);
      }
    }
  }
}
