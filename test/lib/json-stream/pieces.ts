import type { JsonPiece, JsonSplitter } from "../../../src/lib/json-stream/json-splitter.ts";

/** The JSON text of a value, or the number of a line that cannot be read. */
function shown(piece: JsonPiece): string | number {
  return "problem" in piece ? piece.line : JSON.stringify(piece.value);
}

/** The pieces that are complete. */
export function* taken(splitter: JsonSplitter): Generator<string | number> {
  for (let piece = splitter.next(); piece; piece = splitter.next()) yield shown(piece);
}
