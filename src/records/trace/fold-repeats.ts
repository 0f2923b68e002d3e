import { type SpanNode, shortName } from "./span-tree.ts";

/** A span, or several that follow each other and are not shown. */
export type Folded = { node: SpanNode } | { hidden: readonly SpanNode[] };

/** Up to this many siblings are all shown. */
const SHORT_LIST = 12;
/** How many siblings of one kind, name and verdict are shown. */
const SHOWN_OF_A_KIND = 3;
/** How many siblings are shown in all, however they differ. */
const SHOWN = 40;

/**
 * Chooses which siblings a terminal shows: of a long list, the first of each name and verdict and the slowest of all.
 * Those in between are hidden, in groups that keep their place.
 */
export function foldRepeats(siblings: readonly SpanNode[]): Folded[] {
  if (siblings.length <= SHORT_LIST) return siblings.map((node) => ({ node }));
  const shown = chooseShown(siblings);
  const folded: Folded[] = [];
  let hidden: SpanNode[] = [];
  const endGroup = () => {
    if (hidden.length > 0) folded.push({ hidden });
    hidden = [];
  };
  for (const node of siblings) {
    if (!shown.has(node)) {
      hidden.push(node);
      continue;
    }
    endGroup();
    folded.push({ node });
  }
  endGroup();
  return folded;
}

/** Names hidden spans, the most frequent first: `tool shell ×400, model gpt-5 ×12`. */
export function describeHidden(hidden: readonly SpanNode[]): string {
  const counts = new Map<string, number>();
  for (const node of hidden) counts.set(labelOf(node), (counts.get(labelOf(node)) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const named = sorted.slice(0, 3).map(([label, count]) => (count > 1 ? `${label} ×${count}` : label));
  return sorted.length > 3 ? `${named.join(", ")}, ...` : named.join(", ");
}

function chooseShown(siblings: readonly SpanNode[]): Set<SpanNode> {
  const counts = new Map<string, number>();
  const slowest = siblings.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a));
  const shown = new Set([slowest]);
  for (const node of siblings) {
    const label = labelOf(node);
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    if (count <= SHOWN_OF_A_KIND && shown.size < SHOWN) shown.add(node);
  }
  return shown;
}

function labelOf(node: SpanNode): string {
  const name = node.kind === "other" ? node.name : `${node.kind} ${shortName(node)}`;
  return node.verdict === "" ? name : `${name} ${node.verdict}`;
}
