import type { SpanNode } from "./span-tree.ts";
import { walk } from "./span-tree.ts";

/** Which spans a view shows. */
export interface SpanFilter {
  /** Only spans that take at least this many milliseconds. */
  least?: number | undefined;
  /** Only spans that failed, or that a hook, a permission or the user refused. */
  errors?: boolean | undefined;
}

/**
 * Removes the spans that a filter leaves out, and keeps the spans above those that remain, so that these keep their
 * place. Returns the remaining roots, and how many spans were removed.
 */
export function filterTrees(roots: readonly SpanNode[], filter: SpanFilter): { roots: SpanNode[]; removed: number } {
  const all = [...walk(roots)];
  const kept = new Set<SpanNode>();
  // Children come after their parents, so from the end every child has been judged before its parent.
  for (const node of all.toReversed()) {
    node.children = node.children.filter((child) => kept.has(child));
    if (node.children.length > 0 || passes(node, filter)) kept.add(node);
  }
  return { roots: roots.filter((root) => kept.has(root)), removed: all.length - kept.size };
}

/** Returns the trees that contain a span of the session. */
export function treesOfSession(roots: readonly SpanNode[], session: string): SpanNode[] {
  return roots.filter((root) => walk([root]).some((node) => node.session === session));
}

/** Returns the ids of the sessions in a trace, in the order of their first spans. */
export function sessionsOf(roots: readonly SpanNode[]): string[] {
  const sessions = new Set([...walk(roots)].map(({ session }) => session));
  return [...sessions].filter((session) => session !== "");
}

function passes({ milliseconds, tone, failed }: SpanNode, { least = 0, errors = false }: SpanFilter): boolean {
  return milliseconds >= least && (!errors || failed || tone === "bad");
}
