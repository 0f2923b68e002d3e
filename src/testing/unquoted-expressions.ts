/**
 * `message: { text: /a[bc]/ }` is not YAML: inside braces, a value without quotes must not contain brackets or commas.
 * A test file may contain such values all the same. Before it is parsed, each is replaced with a text of equal length,
 * so that the places in messages stay right; {@link MaskedText.restore} puts them back.
 */
export interface MaskedText {
  text: string;
  /** Puts the expressions back into a parsed value. */
  restore: (value: unknown) => unknown;
}

/** An expression between slashes, as `isExpression` accepts it, followed by the end of its value. */
const EXPRESSION = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[imsU]*(?=[ \t]*(?:[,}\]\n]|$|[ \t]#))/y;

/** The characters that end a value without quotes, or could. */
const NEEDS_QUOTES = /[[\]{},]|: | #/;

/** The first character of a private range, which a file has no reason to use. */
const FIRST_MARK = 0xe000;
const LAST_MARK = 0xf8ff;

/** Replaces the expressions that YAML would not accept without quotes. */
export function maskExpressions(source: string): MaskedText {
  const marks = new Map<string, string>();
  let text = "";
  let at = 0;
  let code = FIRST_MARK;
  while (at < source.length) {
    const end = tokenEnd(source, at);
    const token = source.slice(at, end);
    while (code <= LAST_MARK && source.includes(String.fromCharCode(code))) code++;
    if (token.startsWith("/") && token.length > 1 && NEEDS_QUOTES.test(token) && code <= LAST_MARK) {
      const mark = `/${String.fromCharCode(code++).padEnd(token.length - 1, "x")}`;
      marks.set(mark, token);
      text += mark;
    } else text += token;
    at = end;
  }
  return { text, restore: (value) => (marks.size === 0 ? value : restored(value, marks)) };
}

/** Returns the end of the token at a position: a quoted value, a comment, an expression where a value starts, or one character. */
function tokenEnd(source: string, at: number): number {
  const char = source[at];
  const startsValue = /(?:^|\n|[:,\-?] |[[{])[ \t]*$/.test(source.slice(Math.max(0, at - 40), at));
  if (!startsValue) return char === "#" && /[ \t]/.test(source[at - 1] ?? "") ? lineEnd(source, at) : at + 1;
  if (char === "#") return lineEnd(source, at);
  if (char === '"' || char === "'") return quotedEnd(source, at, char);
  EXPRESSION.lastIndex = at;
  return char === "/" ? at + (EXPRESSION.exec(source)?.[0].length ?? 1) : at + 1;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf("\n", at);
  return end < 0 ? source.length : end;
}

function quotedEnd(source: string, at: number, quote: string): number {
  for (let end = at + 1; end < source.length; end++) {
    if (source[end] === "\\" && quote === '"') end++;
    else if (source[end] === quote) return end + 1;
  }
  return source.length;
}

function restored(value: unknown, marks: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string")
    return [...marks].reduce((text, [mark, expression]) => text.replace(mark, () => expression), value);
  if (Array.isArray(value)) return value.map((item) => restored(item, marks));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [restored(key, marks) as string, restored(inner, marks)]),
  );
}
