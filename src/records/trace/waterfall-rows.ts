import { type Folded, foldRepeats } from "./fold-repeats.ts";
import type { SpanNode } from "./span-tree.ts";

/** A row of a waterfall: a span or a group of hidden ones, with the lines that lead to it. */
export type WaterfallRow = Folded & {
  /** The first span of its tree, or of the first hidden tree. */
  root: SpanNode;
  /** The lines of the spans above that have further children. */
  prefix: string;
  /** The end of the line from its parent; "" for a root. */
  branch: string;
};

/** Deeper spans are not indented further: a row must leave room for the name. */
const MOST_INDENTED = 8;

/** Yields the rows of trees from top to bottom, with repeats folded unless `all`. Not recursive. */
export function* rowsOf(roots: readonly SpanNode[], all: boolean): Generator<WaterfallRow> {
  const open: WaterfallRow[] = rootRows(all ? roots.map((node) => ({ node })) : foldRepeats(roots)).reverse();
  for (let row = open.pop(); row; row = open.pop()) {
    yield row;
    if ("hidden" in row) continue;
    const { node, root } = row;
    const children = all ? node.children.map((child) => ({ node: child })) : foldRepeats(node.children);
    const prefix = node.depth > MOST_INDENTED ? row.prefix : row.prefix + continuation(row.branch);
    const rows = children.map((child, index) => ({
      ...child,
      root,
      prefix,
      branch: index === children.length - 1 ? "└ " : "├ ",
    }));
    for (const child of rows.reverse()) open.push(child);
  }
}

/** The text below the end of a line: the line goes on unless it ended there. */
export function continuation(branch: string): string {
  if (branch === "") return "";
  return branch === "├ " ? "│ " : "  ";
}

function rootRows(folded: readonly Folded[]): WaterfallRow[] {
  return folded.flatMap((row) => {
    const root = "node" in row ? row.node : row.hidden[0];
    return root ? [{ ...row, root, prefix: "", branch: "" }] : [];
  });
}
