/**
 * Characters that could move the cursor, erase or reorder text on a screen, or be invisible there: control characters,
 * changes of writing direction, zero-width characters, tags.
 */
const UNSAFE = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]",
  "gu",
);

const NAMES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b" };

/**
 * Returns untrusted text on one line, with every control character and invisible character escaped: `\x1b`, `\u202e`. A
 * terminal can only display the result.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** Returns untrusted text on one line without control characters and invisible ones; a line end or tab becomes a blank. */
export function withoutControls(text: string): string {
  return text.replace(UNSAFE, (character) => (/[\n\t\r]/.test(character) ? " " : ""));
}

/** {@link escapeControls} for text of several lines: keeps line ends and tabs. */
export function escapeControlsInLines(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNSAFE, (character) =>
      character === "\n" || character === "\t" ? character : escapeCharacter(character),
    );
}

/** {@link escapeControlsInLines} with JSON escapes, so that JSON text keeps its value. */
export function escapeControlsInJson(text: string): string {
  return escapeControlsInLines(
    text.replace(UNSAFE, (character) =>
      character.charCodeAt(0) < 0x20 ? character : character.split("").map(unicodeEscape).join(""),
    ),
  );
}

/** Characters at which some readers end a line, such as Node's readline and Python's splitlines; JSON allows them. */
const UNICODE_LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** Returns a value as JSON that is one line to every reader. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(UNICODE_LINE_ENDS, unicodeEscape);
}

/** Returns the escape of one UTF-16 unit: `\u202e`. */
function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Returns the escape of one character: `\x1b`, `\u202e`, `\u{e0001}`. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return NAMES[character] ?? `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}
