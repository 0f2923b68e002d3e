import { UserError } from "../lib/errors.ts";
import type { CharSet } from "./sets.ts";

/** A condition on a position between two characters. */
export type Assertion = "text_start" | "text_end" | "line_start" | "line_end" | "word_edge" | "no_word_edge";

/** A parsed pattern. `max` is `Infinity` for an open repetition. */
export type Node =
  | { kind: "char"; code: number }
  | { kind: "set"; set: CharSet }
  | { kind: "assert"; what: Assertion }
  | { kind: "sequence"; parts: readonly Node[] }
  | { kind: "choice"; options: readonly Node[] }
  | { kind: "repeat"; node: Node; min: number; max: number };

/** An invalid pattern. `offset` is the position of the error, in UTF-16 units; the message includes it. */
export class PatternError extends UserError {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(`${reason} at ${offset}`);
    this.name = "PatternError";
    this.offset = offset;
  }
}
