import {
  certainKey,
  certainPlainKey,
  isCertainScalar,
  nextLine,
  quotedEnd,
  skipSpaces,
  UNSURE,
  unquote,
} from "./scan-scalar.ts";

const PLAIN = /[A-Za-z\d_./$+-](?:[\w./$@+*()=~^-]|:(?=[\w/])| +(?=[\w./$@+*()=~^-]))*/y;
const PLAIN_KEY = /[A-Za-z_][\w.-]*(?=: )/y;
const MAX_DEPTH = 100;

/** An open `[` or `{`, and the token that may follow. */
interface Collection {
  close: "]" | "}";
  keys: Set<string>;
  /** `entry` is also used after a comma, where the end is allowed too. */
  expects: "entry" | "colon" | "value" | "end";
}

/** Returns the position after a flow collection whose lines are all deeper than `indent`, or {@link UNSURE}. */
export function flowEnd(text: string, start: number, indent: number): number {
  const open: Collection[] = [];
  let at = start;
  while (at !== UNSURE && at < text.length) {
    const char = text[at] ?? "";
    const collection = open[open.length - 1];
    if (char === "[" || char === "{") {
      if (collection && !takesValue(collection)) return UNSURE;
      if (collection) collection.expects = "end";
      if (open.push({ close: char === "[" ? "]" : "}", keys: new Set(), expects: "entry" }) > MAX_DEPTH) return UNSURE;
      at++;
    } else if (!collection) {
      return UNSURE;
    } else if (char === collection.close) {
      if (collection.expects === "colon" || collection.expects === "value") return UNSURE;
      open.pop();
      at++;
      if (open.length === 0) return at;
    } else {
      at = readToken(text, at, collection);
    }
    at = skipBlank(text, at, indent);
  }
  return UNSURE;
}

function takesValue(collection: Collection): boolean {
  return collection.expects === "value" || (collection.expects === "entry" && collection.close === "]");
}

/** Reads a comma, a colon, a key or a scalar if the collection expects it. Returns the position after it. */
function readToken(text: string, at: number, collection: Collection): number {
  const char = text[at];
  if (char === ",") {
    if (collection.expects !== "end") return UNSURE;
    collection.expects = "entry";
    return at + 1;
  }
  if (char === ":") {
    if (collection.expects !== "colon") return UNSURE;
    collection.expects = "value";
    return at + 1;
  }
  if (takesValue(collection)) {
    collection.expects = "end";
    return char === '"' || char === "'" ? quotedEnd(text, at) : plainEnd(text, at);
  }
  if (collection.expects !== "entry") return UNSURE;
  collection.expects = "colon";
  return keyEnd(text, at, collection.keys);
}

function plainEnd(text: string, at: number): number {
  PLAIN.lastIndex = at;
  const match = PLAIN.exec(text)?.[0] ?? "";
  return isCertainScalar(match) ? at + match.length : UNSURE;
}

/** Reads a key that its mapping does not have yet. Returns the position of its colon. */
function keyEnd(text: string, at: number, keys: Set<string>): number {
  const quoted = text[at] === '"' || text[at] === "'";
  PLAIN_KEY.lastIndex = at;
  const end = quoted ? quotedEnd(text, at) : at + (PLAIN_KEY.exec(text)?.[0].length ?? 0);
  if (end === UNSURE || end === at || text[end] !== ":") return UNSURE;
  const written = text.slice(at, end);
  const key = quoted ? certainKey(unquote(written), end) : certainPlainKey(written, end);
  if (!key || keys.has(key.name)) return UNSURE;
  keys.add(key.name);
  return end;
}

/** Skips spaces, comments and line ends. A new line must be deeper than `indent` and must not be a document marker. */
function skipBlank(text: string, start: number, indent: number): number {
  if (start === UNSURE) return UNSURE;
  let at = skipSpaces(text, start);
  while (text[at] === "\n" || (text[at] === "#" && " \n".includes(text[at - 1] ?? "x"))) {
    const line = text[at] === "\n" ? at + 1 : nextLine(text, at);
    at = skipSpaces(text, line);
    const ended = text[at] === "\n" || text[at] === undefined;
    if (!ended && text[at] !== "#" && at - line <= indent) return UNSURE;
    if (text.startsWith("---", line) || text.startsWith("...", line)) return UNSURE;
  }
  return at;
}
