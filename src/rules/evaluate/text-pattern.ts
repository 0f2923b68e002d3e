import { type GlobPiece, matchesPiece, parseGlob } from "../../lib/files/glob.ts";
import { HOLE } from "../../shell/steps/invocation.ts";

/** Whether a text fits: whatever stands in its holes, depending on it, or in no case. */
export type TextFit = "all" | "some" | "none";

/** Compiles a pattern that matches whole texts: `*` any characters, `?` one, `[abc]` one of these. */
export function compileText(pattern: string, anyCase = false): (text: string) => TextFit {
  const folded = anyCase ? pattern.toLowerCase() : pattern;
  // A backslash is itself, except before what it can escape.
  const pieces = parseGlob(folded.replace(/\\(?![*?[\]\\])/g, "\\\\"));
  if (pieces.length === 1 && pieces[0]?.kind === "run") return () => "all";
  const wild = pieces.findIndex((piece) => piece.kind !== "char");
  const beginning = pieces
    .slice(0, wild < 0 ? pieces.length : wild)
    .map((piece) => (piece.kind === "char" ? piece.char : ""))
    .join("");
  const literal = wild < 0 ? beginning : undefined;
  return (value) => {
    const text = anyCase ? value.toLowerCase() : value;
    const hasHole = text.includes(HOLE);
    if (literal !== undefined && !hasHole) return text === literal ? "all" : "none";
    // Most texts do not begin as the pattern does.
    if (!hasHole && !text.startsWith(beginning)) return "none";
    if (matches(pieces, text, false)) return "all";
    return hasHole && matches(pieces, text, true) ? "some" : "none";
  };
}

/** True if a text matches a pattern whole. */
export function matchesText(pattern: string, text: string): boolean {
  return compileText(pattern)(text) === "all";
}

/**
 * Runs a pattern over a text. A hole is read by `*` alone, or, if `possibly`, by whatever makes the pattern match. Takes time
 * in proportion to the product of both lengths.
 */
function matches(pieces: readonly GlobPiece[], text: string, possibly: boolean): boolean {
  let states = new Uint8Array(pieces.length + 1);
  let next = new Uint8Array(pieces.length + 1);
  enter(states, pieces, 0);
  for (const char of text) {
    next.fill(0);
    let reached = false;
    for (let state = 0; state <= pieces.length; state++) {
      if (!states[state] && !reached) continue;
      const piece = pieces[state];
      if (char === HOLE) {
        if (possibly) {
          reached = true;
          next[state] = 1;
        } else if (piece?.kind === "run") enter(next, pieces, state);
      } else if (piece?.kind === "run") enter(next, pieces, state);
      else if (piece && matchesPiece(piece, char)) enter(next, pieces, state + 1);
    }
    [states, next] = [next, states];
  }
  return states[pieces.length] === 1;
}

/** Marks a state and those reached without reading. */
function enter(states: Uint8Array, pieces: readonly GlobPiece[], state: number): void {
  for (let at = state; at <= pieces.length && !states[at]; at++) {
    states[at] = 1;
    if (pieces[at]?.kind !== "run") return;
  }
}
