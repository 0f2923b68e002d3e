import { type HtmlElement, type HtmlText, visitHtml } from "../../lib/platform.ts";

/** Elements whose text a page does not display. */
const HIDDEN = new Set(["script", "style", "noscript", "template", "svg", "iframe", "object"]);

/** Elements that a blank line separates from the text around them. */
const BLOCKS = new Set([
  "address",
  "article",
  "aside",
  "body",
  "dd",
  "details",
  "div",
  "dl",
  "dt",
  "fieldset",
  "figcaption",
  "figure",
  "footer",
  "form",
  "header",
  "main",
  "nav",
  "ol",
  "p",
  "section",
  "summary",
  "table",
  "title",
  "ul",
]);

/** The text before and after an element. */
type Marks = readonly [before: string, after: string];

const NOTHING: Marks = ["", ""];
const BLOCK: Marks = ["\n\n", "\n\n"];

/** One line break begins a new line, two make a blank line. */
const MARKS: Readonly<Record<string, { markdown: Marks; text: Marks }>> = {
  h1: { markdown: ["\n\n# ", "\n\n"], text: BLOCK },
  h2: { markdown: ["\n\n## ", "\n\n"], text: BLOCK },
  h3: { markdown: ["\n\n### ", "\n\n"], text: BLOCK },
  h4: { markdown: ["\n\n#### ", "\n\n"], text: BLOCK },
  h5: { markdown: ["\n\n##### ", "\n\n"], text: BLOCK },
  h6: { markdown: ["\n\n###### ", "\n\n"], text: BLOCK },
  blockquote: { markdown: ["\n\n> ", "\n\n"], text: BLOCK },
  pre: { markdown: ["\n\n```\n", "\n```\n\n"], text: BLOCK },
  li: { markdown: ["\n- ", ""], text: ["\n", ""] },
  tr: { markdown: ["\n| ", ""], text: ["\n", ""] },
  td: { markdown: ["", " | "], text: ["", " "] },
  th: { markdown: ["", " | "], text: ["", " "] },
  strong: { markdown: ["**", "**"], text: NOTHING },
  b: { markdown: ["**", "**"], text: NOTHING },
  em: { markdown: ["_", "_"], text: NOTHING },
  i: { markdown: ["_", "_"], text: NOTHING },
  code: { markdown: ["`", "`"], text: NOTHING },
};

/**
 * Converts the readable part of an HTML page to Markdown or plain text, with absolute links. Not a faithful conversion,
 * but enough for a model to read a page.
 */
export function renderHtml(html: string, format: "markdown" | "text", base: URL): string {
  const parts: string[] = [];
  let hiddenDepth = 0;
  let preformatted = 0;
  let pending = "";

  const element = (node: HtmlElement): void => {
    const name = node.tagName;
    if (name === "br") parts.push("\n");
    if (name === "hr") parts.push(format === "markdown" ? "\n\n---\n\n" : "\n\n");
    if (name === "img" && format === "markdown") parts.push(imageText(node));
    if (node.selfClosing || VOID.has(name)) return;

    const [before, after] = marksOf(node, format, preformatted > 0, base);
    const hidden = HIDDEN.has(name) ? 1 : 0;
    const exact = name === "pre" ? 1 : 0;
    parts.push(before);
    hiddenDepth += hidden;
    preformatted += exact;
    node.onEndTag(() => {
      hiddenDepth -= hidden;
      preformatted -= exact;
      parts.push(after);
    });
  };
  const text = (node: HtmlText): void => {
    pending += node.text;
    if (!node.lastInTextNode) return;
    const decoded = decodeEntities(pending);
    pending = "";
    if (hiddenDepth === 0) parts.push(preformatted > 0 ? decoded : decoded.replace(/[ \t\r\n\f]+/g, " "));
  };
  visitHtml(html, { element, text });
  return tidy(parts);
}

const VOID = new Set([
  "area",
  "base",
  "br",
  "col",
  "embed",
  "hr",
  "img",
  "input",
  "link",
  "meta",
  "source",
  "track",
  "wbr",
]);

function marksOf(node: HtmlElement, format: "markdown" | "text", insidePre: boolean, base: URL): Marks {
  const name = node.tagName;
  if (name === "a") return format === "markdown" ? linkMarks(node, base) : NOTHING;
  if (name === "code" && insidePre) return NOTHING;
  return MARKS[name]?.[format] ?? (BLOCKS.has(name) ? BLOCK : NOTHING);
}

function imageText(node: HtmlElement): string {
  const alternative = decodeEntities(node.getAttribute("alt") ?? "");
  return alternative === "" ? "" : `![${alternative}]`;
}

function linkMarks(node: HtmlElement, base: URL): Marks {
  const href = decodeEntities(node.getAttribute("href") ?? "");
  if (href === "" || href.startsWith("#") || !URL.canParse(href, base.href)) return NOTHING;
  const url = new URL(href, base);
  return url.protocol === "http:" || url.protocol === "https:" ? ["[", `](${url.href})`] : NOTHING;
}

/** Joins the parts with at most one blank line between blocks and no spaces at the ends of lines. */
function tidy(parts: readonly string[]): string {
  const lines = parts
    .join("")
    .split("\n")
    .map((line) => line.trimEnd());
  const kept = lines.filter((line, index) => line !== "" || lines[index - 1] !== "");
  return kept
    .map((line) => line.replace(/^ (?=\S)/, ""))
    .join("\n")
    .trim();
}

const ENTITIES = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: " ",
    copy: "©",
    reg: "®",
    trade: "™",
    hellip: "…",
    mdash: "—",
    ndash: "–",
    lsquo: "‘",
    rsquo: "’",
    ldquo: "“",
    rdquo: "”",
    bull: "•",
    middot: "·",
    times: "×",
    deg: "°",
    euro: "€",
    pound: "£",
    sect: "§",
    laquo: "«",
    raquo: "»",
    rarr: "→",
    larr: "←",
  }),
);

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name)) ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
