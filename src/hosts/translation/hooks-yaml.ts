import { Document, isMap, isSeq, type YAMLMap } from "yaml";
import { contractOf, type EventName } from "../../protocol/events.ts";
import type { ImportedHook } from "./import-hooks.ts";

/** A group of hooks with one matcher, or a single hook where the event takes no matcher. */
type Item = { matcher?: string; hooks: unknown[] } | object;

/** Writes hooks as the YAML that `--hooks-file` reads, each under a comment with the place it comes from. */
export function hooksYaml(hooks: readonly ImportedHook[], heading: string): string {
  const byEvent = Map.groupBy(hooks, ({ event }) => event);
  const document = new Document(Object.fromEntries([...byEvent].map(([event, list]) => [event, itemsOf(event, list)])));
  for (const [event, list] of byEvent) comment(document, event, list);
  document.commentBefore = heading
    .split("\n")
    .map((line) => ` ${line}`)
    .join("\n");
  return document.toString({ lineWidth: 0 });
}

function itemsOf(event: EventName, hooks: readonly ImportedHook[]): Item[] {
  if (!contractOf(event).matcher) return hooks.map(({ hook }) => hook);
  return groupsOf(hooks).map((group) => {
    const matcher = group[0]?.matcher ?? "";
    return { ...(matcher === "" ? {} : { matcher }), hooks: group.map(({ hook }) => hook) };
  });
}

/** Only consecutive hooks with the same matcher share a group, which keeps their order. */
function groupsOf(hooks: readonly ImportedHook[]): ImportedHook[][] {
  const groups: ImportedHook[][] = [];
  for (const hook of hooks) {
    const last = groups.at(-1);
    if (last?.[0]?.matcher === hook.matcher) last.push(hook);
    else groups.push([hook]);
  }
  return groups;
}

function comment(document: Document, event: EventName, hooks: readonly ImportedHook[]): void {
  const list = document.get(event);
  if (!isSeq(list)) return;
  const nodes = contractOf(event).matcher
    ? list.items.flatMap((group) => {
        const inner = isMap(group) ? group.get("hooks") : undefined;
        return isSeq(inner) ? inner.items : [];
      })
    : list.items;
  nodes.forEach((node, index) => {
    if (isMap(node)) (node as YAMLMap).commentBefore = ` ${hooks[index]?.place ?? ""}`;
  });
}
