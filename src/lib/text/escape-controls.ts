/**
 * Everything that could move the cursor, erase or reorder what stands on a screen, or stand there unseen: control
 * characters, changes of writing direction, blanks without width, tags.
 */
const UNSEEN = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]",
  "gu",
);

const NAMES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b" };

/**
 * A text from outside in one line that a terminal can do nothing with but show: whatever is no plain character stands
 * there as an escape, `\x1b` or `\u202e`.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSEEN, escape);
}

/** The same for a text of several lines: line ends and tabs stay. */
export function escapeControlsInLines(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNSEEN, (character) => (character === "\n" || character === "\t" ? character : escape(character)));
}

/** {@link escapeControlsInLines}, with JSON escapes, so that a JSON text keeps its value. */
export function escapeControlsInJson(text: string): string {
  return escapeControlsInLines(
    text.replace(UNSEEN, (character) =>
      character.charCodeAt(0) < 0x20 ? character : character.split("").map(unicodeEscape).join(""),
    ),
  );
}

/** The escape of one UTF-16 unit: `\u202e`. */
function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return NAMES[character] ?? `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}
