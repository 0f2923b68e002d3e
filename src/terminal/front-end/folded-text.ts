/** Rows and characters of a message that are shown of it; the agent gets all of it. */
const SHOWN_ROWS = 10;
const SHOWN_CHARACTERS = 1_000;

/** Returns the start of a long message, and how much more there is. */
export function foldedText(text: string): string {
  const rows = text.split("\n");
  const shown = rows.slice(0, SHOWN_ROWS).join("\n");
  const more = rows.length - SHOWN_ROWS;
  if (shown.length > SHOWN_CHARACTERS) {
    const start = [...shown.slice(0, SHOWN_CHARACTERS)].slice(0, -1).join("");
    return `${start}…\n… ${text.length - start.length} more characters`;
  }
  return more > 0 ? `${shown}\n… ${more} more lines` : text;
}
