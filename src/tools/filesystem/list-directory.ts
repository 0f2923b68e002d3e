import { basename } from "node:path";
import type { Access } from "./access.ts";
import { type Entry, requireDirectory, visibleEntries } from "./entries.ts";
import type { Place } from "./paths.ts";
import type { HiddenByVcs } from "./vcs.ts";

const MAX_ENTRIES = 100;

interface Node {
  name: string;
  type: "file" | "directory";
  children?: Node[];
}

/** Lists a directory, one line per entry: `DIR  name` or `FILE name`. Throws if it is not a directory. */
export async function listDirectory(place: Place, access: Access, hiddenByVcs: HiddenByVcs): Promise<string> {
  await requireDirectory(place);
  const entries = await visibleEntries(place, access, hiddenByVcs);
  if (entries.length === 0) return "The directory is empty";
  const shown = entries.slice(0, MAX_ENTRIES);
  const lines = shown.map(({ kind, name }) => `${kind === "directory" ? "DIR " : "FILE"} ${name}`);
  if (entries.length > MAX_ENTRIES) lines.push(`... ${entries.length - MAX_ENTRIES} more entries not shown`);
  return lines.join("\n");
}

/** Returns a directory and its contents as nested JSON: at most 100 nodes, upper levels first. */
export async function directoryTree(
  place: Place,
  access: Access,
  hiddenByVcs: HiddenByVcs,
  signal: AbortSignal,
): Promise<string> {
  await requireDirectory(place);
  const root: Node = { name: basename(place.path) || place.path, type: "directory", children: [] };
  const open: { directory: Place; node: Node }[] = [{ directory: place, node: root }];
  let room = MAX_ENTRIES - 1;
  for (let next = open.shift(); next && room > 0 && !signal.aborted; next = open.shift()) {
    // A directory that cannot be read is shown as empty.
    const entries = await visibleEntries(next.directory, access, hiddenByVcs).catch(() => []);
    const shown = entries.slice(0, room).map((entry) => ({ directory: entry, node: toNode(entry) }));
    next.node.children?.push(...shown.map(({ node }) => node));
    open.push(...shown.filter(({ node }) => node.children));
    room -= shown.length;
  }
  return JSON.stringify(root, null, 2);
}

function toNode({ name, kind }: Entry): Node {
  return kind === "directory" ? { name, type: "directory", children: [] } : { name, type: "file" };
}
