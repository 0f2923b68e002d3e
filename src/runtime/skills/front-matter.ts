/** The front matter and the body of a `SKILL.md`. */
export interface FrontMatter {
  fields: ReadonlyMap<string, string>;
  body: string;
}

/**
 * Parses the lines `key: value` between the two `---` lines at the top. An indented line continues the value above it;
 * a line `- value` adds an item to it. A text without front matter is all body.
 */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = lines[0]?.trimEnd() === "---" ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---") : -1;
  if (end < 0) return { fields: new Map(), body: text };
  const fields = new Map<string, string>();
  let key = "";
  for (const line of lines.slice(1, end)) {
    const item = /^\s*-\s+(.*)$/.exec(line)?.[1];
    const colon = line.indexOf(":");
    if (item !== undefined) append(fields, key, item, ", ");
    else if (/^\s/.test(line) || colon < 0) append(fields, key, line, " ");
    else {
      key = line.slice(0, colon).trim();
      const value = line.slice(colon + 1).trim();
      fields.set(key, /^[|>][+-]?$/.test(value) ? "" : unquote(value));
    }
  }
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

/**
 * Returns the items of a list: `a, b`, `[a, b]` or `a b`. A comma or space inside parentheses does not separate items.
 */
export function parseList(value: string): string[] {
  const inner = value.startsWith("[") && value.endsWith("]") ? value.slice(1, -1) : value;
  const words = [...inner.matchAll(/[^\s,()]+(?:\([^()]*\))?/g)].map(([word]) => unquote(word));
  return words.filter((word) => word !== "");
}

function append(fields: Map<string, string>, key: string, text: string, separator: string): void {
  const added = text.trim();
  const value = fields.get(key);
  if (value === undefined || added === "") return;
  fields.set(key, value === "" ? unquote(added) : value + separator + unquote(added));
}

function unquote(value: string): string {
  const quote = value[0];
  const isQuoted = value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}
