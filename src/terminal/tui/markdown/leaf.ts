import { MAX_HIGHLIGHTED } from "./highlight.ts";

/** A block quote or a list item around a leaf. */
export type Container = { kind: "quote" } | { kind: "item"; marker: string; indent: number };

/** The fence of an open code block; `indented` code has none. */
export type Fence = { character: string; length: number; indent: number } | "indented";

export type LeafKind = "paragraph" | "heading" | "code" | "table" | "rule";

/** A piece of an answer with a block of its own: a paragraph, a heading, a table, some lines of code. */
export interface Leaf {
  kind: LeafKind;
  /** The quotes and list items around the leaf, outermost first. */
  containers: readonly Container[];
  /** Index of the first container that begins with this leaf: its marker is shown. */
  fresh: number;
  /** Number of containers that the piece before is in too, if an empty row comes between the two. */
  gap: number | undefined;
  /** The content without markers; of a table, the second line is the one below the header. */
  lines: string[];
  /** Number of characters in `lines`. */
  size: number;
  /** Heading: 1 to 6. */
  level: number;
  /** Code: the text after the opening fence. */
  language: string;
  fence?: Fence;
  /** True if the piece continues one that became too long. */
  isContinued: boolean;
  /** Table: its first piece, which sets the widths of the columns. Unset in the first piece. */
  firstPiece?: Leaf;
  /** Code: the piece before, until `context` is known. */
  previous?: Leaf;
  /** Code: the earlier lines that began what this piece continues, such as a long comment. */
  context: readonly string[];
  /** Code: the context of the next piece; unset until the piece has been highlighted. */
  nextContext?: readonly string[];
  /** Code: number of characters before this piece. */
  offset: number;
}

export function newLeaf(kind: LeafKind, line: string, rest: Partial<Leaf> = {}): Leaf {
  return {
    kind,
    containers: [],
    fresh: 0,
    gap: undefined,
    lines: [line],
    size: line.length,
    level: 0,
    language: "",
    isContinued: false,
    context: [],
    offset: 0,
    ...rest,
  };
}

/** Returns a leaf that continues one that became too long. */
export function continueLeaf(previous: Leaf, kind: LeafKind, line: string): Leaf {
  const { containers, fence, language, firstPiece = previous } = previous;
  const leaf = newLeaf(kind, line, { containers, fresh: containers.length, isContinued: true });
  if (kind === "table") return { ...leaf, firstPiece };
  if (kind !== "code" || fence === undefined) return leaf;
  const offset = previous.offset + previous.size;
  // Only code in colours needs the piece before; otherwise each piece would keep all of those above it in memory.
  const isColoured = language !== "" && fence !== "indented" && offset <= MAX_HIGHLIGHTED;
  return { ...leaf, fence, language, offset, ...(isColoured ? { previous } : {}) };
}
