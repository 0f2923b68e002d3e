/** One part of a glob: `*` (`run`), `?` (`any`), a character, or a class such as `[a-z]`. */
export type GlobPiece =
  | { kind: "run" }
  | { kind: "any" }
  | { kind: "char"; char: string }
  | { kind: "class"; negated: boolean; ranges: readonly (readonly [string, string])[] };

/**
 * True if the whole text matches a glob, ignoring case: `*` matches any characters, `?` one character, `[a-z]` a class,
 * `\x` the character x. No character is a separator: `*` also matches `/`, spaces and newlines. The time is at most
 * proportional to the product of both lengths.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const pieces = parseGlob(glob.toLowerCase());
  const chars = [...text.toLowerCase()];
  let piece = 0;
  let at = 0;
  let run = -1; // the last `*`, and the position in the text up to which it matches so far
  let runAt = 0;
  while (at < chars.length) {
    const current = pieces[piece];
    if (current?.kind === "run") {
      run = piece++;
      runAt = at;
    } else if (current && matchesPiece(current, chars[at] ?? "")) {
      piece++;
      at++;
    } else if (run >= 0) {
      piece = run + 1;
      at = ++runAt;
    } else {
      return false;
    }
  }
  return pieces.slice(piece).every((rest) => rest.kind === "run");
}

/** Escapes a text so that a glob matches it literally. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, "\\$&");
}

/** True if a piece matches a single character. A run matches none by itself. */
export function matchesPiece(piece: GlobPiece, char: string): boolean {
  switch (piece.kind) {
    case "any":
      return true;
    case "char":
      return piece.char === char;
    case "class":
      return piece.ranges.some(([from, to]) => from <= char && char <= to) !== piece.negated;
    case "run":
      return false;
  }
}

/** Splits a glob into its pieces. To ignore case, pass it in lower case. */
export function parseGlob(glob: string): GlobPiece[] {
  const chars = [...glob];
  const pieces: GlobPiece[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? "";
    const end = char === "[" ? classEnd(chars, at) : -1;
    if (char === "*") {
      if (pieces.at(-1)?.kind !== "run") pieces.push({ kind: "run" });
    } else if (char === "?") {
      pieces.push({ kind: "any" });
    } else if (char === "\\" && at + 1 < chars.length) {
      pieces.push({ kind: "char", char: chars[++at] ?? "" });
    } else if (end > 0) {
      pieces.push(parseClass(chars.slice(at + 1, end)));
      at = end;
    } else {
      pieces.push({ kind: "char", char });
    }
  }
  return pieces;
}

/**
 * Returns the position of the `]` that closes a class; -1 if there is none, in which case `[` is an ordinary character.
 */
function classEnd(chars: readonly string[], open: number): number {
  const first = open + (chars[open + 1] === "^" || chars[open + 1] === "!" ? 2 : 1);
  return chars.indexOf("]", first + 1);
}

function parseClass(inside: readonly string[]): GlobPiece {
  const negated = inside[0] === "^" || inside[0] === "!";
  const chars = negated ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let at = 0; at < chars.length; at++) {
    const from = chars[at] ?? "";
    const to = chars[at + 1] === "-" ? chars[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return { kind: "class", negated, ranges };
}
