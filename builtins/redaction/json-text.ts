/** Replaces every secret that can be read in a text as it stands. */
type Replace = (text: string) => string;

/**
 * Redacts a text that may be JSON: a secret is found too when an escape inside a string hides it, as `\/` hides a slash,
 * also in JSON inside JSON. What was valid JSON stays so, and no number is written anew.
 */
export function redactJson(text: string, replace: Replace): string {
  return replace(mayBeJson(text) ? redactEscapedStrings(text, replace) : text);
}

function mayBeJson(text: string): boolean {
  return text.includes("\\") && /^\s{0,64}[[{"]/.test(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Redacts every string of a JSON text that has an escape in it; the others can be read as they stand. */
function redactEscapedStrings(text: string, replace: Replace): string {
  let redacted = "";
  let kept = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    const { end, escaped } = stringEnd(text, at);
    const replacement = escaped ? redactLiteral(text.slice(at, end), replace) : undefined;
    if (replacement !== undefined) {
      redacted += text.slice(kept, at) + replacement;
      kept = end;
    }
    at = end;
  }
  return kept === 0 ? text : redacted + text.slice(kept);
}

/** Where the string that begins at `start` ends, and whether it has escapes. */
function stringEnd(text: string, start: number): { end: number; escaped: boolean } {
  let escaped = false;
  let at = start + 1;
  for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++) {
    if (text.charCodeAt(at) !== BACKSLASH) continue;
    escaped = true;
    at++;
  }
  return { end: Math.min(at + 1, text.length), escaped };
}

/** The literal of a redacted string; undefined when nothing is in it, or when it is no JSON after all. */
function redactLiteral(literal: string, replace: Replace): string | undefined {
  const value = parseString(literal);
  if (value === undefined) return undefined;
  const redacted = redactJson(value, replace);
  return redacted === value ? undefined : JSON.stringify(redacted);
}

function parseString(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined; // No secret is lost: the text is searched as it stands as well.
  }
}
