import { visibleWidth } from "@earendil-works/pi-tui";

/** Marks, joiners, skin tones and flags: terminals disagree about how wide the characters with them are. */
const UNCERTAIN = /[\p{M}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]/u;

const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Moves the cursor to its column behind each character whose width is uncertain, so that the rest of the row, such as
 * the next cell of a table, is where it belongs in every terminal.
 */
export function pinColumns(row: string): string {
  if (!UNCERTAIN.test(row)) return row;
  let pinned = "";
  for (const { segment, index } of clusters.segment(row)) {
    pinned += segment;
    if (UNCERTAIN.test(segment)) pinned += `\x1b[${visibleWidth(row.slice(0, index + segment.length)) + 1}G`;
  }
  return pinned;
}
