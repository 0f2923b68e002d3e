import { CODE_INDENT, indentOf, isRule, matchContainers, type OpenedLine, openContainers } from "./containers.ts";
import { type Container, continueLeaf, type Fence, type Leaf, newLeaf } from "./leaf.ts";
import { isTableStart } from "./table-lines.ts";

/** Longest paragraph in characters that is one piece: each change reads and wraps the whole piece again. */
const MAX_PARAGRAPH = 3000;
/** Lines and characters of code in one piece. */
const MAX_CODE_LINES = 40;
const MAX_CODE_SIZE = 2000;
/** Lines and characters of a table in one piece. The first piece sets the widths of the columns. */
const MAX_TABLE_LINES = 60;
const MAX_TABLE_SIZE = 6000;

const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})(?: (.*))?$/;
const UNDERLINE = /^ {0,3}(=+|-+) *$/;

/** The beginning of a line whose meaning depends on what follows: `-`, `---`, `1.`, `| - |`. */
const ONLY_MARKS = /^[ \-=*_+#>`~|:\d.)]*$/;
/** The same inside a code block, which only a fence ends. */
const ONLY_FENCE = /^[ >`~]*$/;

/** What a line does to an answer. */
export type Placement =
  | { kind: "open"; leaf: Leaf }
  | { kind: "continue"; text: string }
  | { kind: "underline"; level: number }
  | { kind: "tableStart"; text: string }
  | { kind: "close" }
  | { kind: "blank"; containers: readonly Container[] };

/**
 * Splits Markdown into leaves, line by line (https://spec.commonmark.org/0.31.2/#appendix-a-parsing-strategy, with the
 * tables of GitHub). Each line costs the same, however long the text before it is. A long leaf is split into pieces.
 */
export class BlockParser {
  #containers: readonly Container[] = [];
  #open: Leaf | undefined;
  #last: Leaf | undefined;
  #hasBlankBefore = false;

  /** The column at which the content of the open fenced code block begins; 0 without one. */
  get codeColumn(): number {
    const fence = this.#open?.kind === "code" ? this.#open.fence : undefined;
    if (fence === undefined || fence === "indented") return 0;
    return this.#containers.reduce((column, each) => column + (each.kind === "item" ? each.indent : 2), fence.indent);
  }

  /** Returns what the line does; changes nothing. The line holds no tabs. */
  place(line: string): Placement {
    const continued = matchContainers(this.#containers, line);
    const open = continued.matched === this.#containers.length ? this.#open : undefined;
    const inCode = open?.kind === "code" ? this.#placeInCode(open, continued.rest) : undefined;
    if (inCode !== undefined) return inCode;
    if (continued.rest.trim() === "") return { kind: "blank", containers: continued.containers };
    const below = open?.kind === "paragraph" ? placeBelow(open, continued.rest) : undefined;
    if (below !== undefined) return below;
    const opened = openContainers(continued, open?.kind === "paragraph");
    if (opened.containers.length === continued.matched && startOf(opened.rest) === undefined) {
      if (open?.kind === "table") return this.#addTo(open, opened.rest.trim());
      // a line outside the quote or item of a paragraph continues it too
      if (this.#open?.kind === "paragraph") return this.#addTo(this.#open, opened.rest.trimStart());
    }
    return { kind: "open", leaf: this.#leafOf(opened) };
  }

  /** True if the rest of a line can change what its beginning does. */
  isUndecided(line: string): boolean {
    const isInCode =
      this.#open?.kind === "code" && matchContainers(this.#containers, line).matched === this.#containers.length;
    return (isInCode ? ONLY_FENCE : ONLY_MARKS).test(line);
  }

  /** Returns what the next part of a line does, if the line is too long to be placed in one piece. */
  placeRest(text: string): Placement {
    const previous = this.#open ?? this.#last;
    if (previous?.kind === "code" && this.#open !== undefined) return this.#addTo(previous, text);
    if (text.trim() === "") return { kind: "blank", containers: this.#containers };
    const leaf = previous === undefined ? newLeaf("paragraph", text) : continueLeaf(previous, "paragraph", text);
    return { kind: "open", leaf };
  }

  /** Changes the state as the placement says. Returns the leaf that is open now. */
  apply(placement: Placement): Leaf | undefined {
    if (placement.kind === "blank") {
      this.#hasBlankBefore = true;
      this.#containers = placement.containers;
    }
    if (placement.kind === "blank" || placement.kind === "close") return (this.#open = undefined);
    if (placement.kind === "open") this.#begin(placement.leaf);
    else if (this.#open !== undefined) this.#change(this.#open, placement);
    const leaf = this.#open;
    if (leaf?.kind === "heading" || leaf?.kind === "rule") this.#open = undefined;
    return leaf;
  }

  #begin(leaf: Leaf): void {
    this.#open = leaf;
    this.#last = leaf;
    this.#containers = leaf.containers;
    this.#hasBlankBefore = false;
  }

  #change(leaf: Leaf, placement: Exclude<Placement, { kind: "blank" | "close" | "open" }>): void {
    if (placement.kind === "underline") {
      leaf.kind = "heading";
      leaf.level = placement.level;
    } else if (placement.kind === "tableStart") this.#startTable(leaf, placement.text);
    else addLine(leaf, placement.text);
  }

  /** Turns the last line of a paragraph into the header of a table. */
  #startTable(paragraph: Leaf, below: string): void {
    if (paragraph.lines.length === 1) {
      paragraph.kind = "table";
      addLine(paragraph, below);
      return;
    }
    const header = paragraph.lines.pop() ?? "";
    paragraph.size -= header.length + 1;
    const { containers } = paragraph;
    const table = newLeaf("table", header, { containers, fresh: containers.length, gap: containers.length });
    addLine(table, below);
    this.#begin(table);
  }

  #placeInCode(leaf: Leaf, rest: string): Placement | undefined {
    const { fence } = leaf;
    if (fence === undefined) return undefined;
    if (fence === "indented") {
      if (rest.trim() === "") return this.#addTo(leaf, "");
      return indentOf(rest) >= CODE_INDENT ? this.#addTo(leaf, rest.slice(CODE_INDENT)) : undefined;
    }
    if (closesFence(fence, rest)) return { kind: "close" };
    return this.#addTo(leaf, rest.slice(Math.min(indentOf(rest), fence.indent)));
  }

  /** Adds a line to a leaf, or to a new piece of it if it is long. */
  #addTo(leaf: Leaf, text: string): Placement {
    if (!isFull(leaf, text)) return { kind: "continue", text };
    return { kind: "open", leaf: continueLeaf(leaf, leaf.kind, text) };
  }

  #leafOf({ containers, matched, rest }: OpenedLine): Leaf {
    const leaf = startOf(rest) ?? this.#indentedCode(rest) ?? newLeaf("paragraph", rest.trim());
    return { ...leaf, containers, fresh: matched, gap: this.#gapBefore(containers, matched) };
  }

  #indentedCode(rest: string): Leaf | undefined {
    if (indentOf(rest) < CODE_INDENT) return undefined;
    return newLeaf("code", rest.slice(CODE_INDENT), { fence: "indented" });
  }

  /** An empty row comes between two leaves, except where a list was written without empty lines. */
  #gapBefore(containers: readonly Container[], matched: number): number | undefined {
    if (this.#last === undefined) return undefined;
    const opensItem = containers.slice(matched).some(({ kind }) => kind === "item");
    const staysInItem = containers.length === matched && containers.at(-1)?.kind === "item";
    const isList = (opensItem && this.#last.kind !== "heading") || staysInItem;
    return this.#hasBlankBefore || !isList ? matched : undefined;
  }
}

/** Returns the leaf that begins with a line of its own form: a heading, a fence or a rule. */
function startOf(line: string): Leaf | undefined {
  const [, marks, title = ""] = HEADING.exec(line) ?? [];
  if (marks !== undefined) return newLeaf("heading", withoutClosingMarks(title), { level: marks.length });
  if (isRule(line)) return newLeaf("rule", "");
  const [, indent = "", fence, info = ""] = FENCE.exec(line) ?? [];
  if (fence === undefined || (fence.startsWith("`") && info.includes("`"))) return undefined;
  const opened = { character: fence.charAt(0), length: fence.length, indent: indent.length };
  return { ...newLeaf("code", "", { language: info.trim(), fence: opened }), lines: [] };
}

/** `## title ##` is `title`. */
function withoutClosingMarks(title: string): string {
  const trimmed = title.trim();
  let end = trimmed.length;
  while (trimmed[end - 1] === "#") end -= 1;
  return end === 0 || trimmed[end - 1] === " " ? trimmed.slice(0, end).trim() : trimmed;
}

function closesFence(fence: Exclude<Fence, "indented">, line: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && indentOf(line) < CODE_INDENT && text === fence.character.repeat(text.length);
}

/** Returns what a line does that turns the paragraph above it into a heading or a table. */
function placeBelow(paragraph: Leaf, line: string): Placement | undefined {
  const header = paragraph.lines.at(-1) ?? "";
  if (isTableStart(header, line)) return { kind: "tableStart", text: line };
  const marks = UNDERLINE.exec(line)?.[1];
  if (marks === undefined || paragraph.size === 0 || paragraph.isContinued) return undefined;
  return { kind: "underline", level: marks.startsWith("=") ? 1 : 2 };
}

function addLine(leaf: Leaf, text: string): void {
  leaf.lines.push(text);
  leaf.size += text.length + 1;
}

function isFull({ kind, lines, size }: Leaf, text: string): boolean {
  if (kind === "code") return lines.length >= MAX_CODE_LINES || (size > 0 && size + text.length > MAX_CODE_SIZE);
  if (kind === "table") return lines.length >= MAX_TABLE_LINES || size + text.length > MAX_TABLE_SIZE;
  return size + text.length > MAX_PARAGRAPH;
}
