import { percentile } from "../../lib/percentiles.ts";
import { ATTRIBUTES } from "../../trace/names.ts";
import type { HookDurations } from "./page/page-data.ts";
import { attribute, type SpanNode, shortName, walk } from "./span-tree.ts";

/** The verdicts of a hook that gave no answer. */
const FAILURES: readonly string[] = ["failed", "timed out"];

/** Returns the durations of each hook on each event, the one with the greatest p95 first. */
export function hookDurations(roots: readonly SpanNode[]): HookDurations[] {
  const groups = new Map<string, SpanNode[]>();
  for (const node of walk(roots)) {
    if (node.kind !== "hook") continue;
    const key = JSON.stringify([hookNameOf(node), eventOf(node)]);
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return [...groups.values()].map(durationsOf).sort((a, b) => b.p95 - a.p95 || b.total - a.total);
}

/** The event that a hook ran for; "" if the trace does not say. */
export function eventOf(node: SpanNode): string {
  const parent = node.parentNode;
  return attribute(node, ATTRIBUTES.event) || (parent ? attribute(parent, ATTRIBUTES.event) : "");
}

function durationsOf(nodes: readonly SpanNode[]): HookDurations {
  const sorted = nodes.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const [first] = nodes;
  return {
    hook: first ? hookNameOf(first) : "",
    event: first ? eventOf(first) : "",
    runs: nodes.length,
    failures: nodes.filter(({ verdict }) => FAILURES.includes(verdict)).length,
    p50: percentile(sorted, 0.5) ?? 0,
    p95: percentile(sorted, 0.95) ?? 0,
    max: sorted.at(-1) ?? 0,
    total: sorted.reduce((sum, value) => sum + value, 0),
  };
}

function hookNameOf(node: SpanNode): string {
  return attribute(node, ATTRIBUTES.hookName) || shortName(node);
}
