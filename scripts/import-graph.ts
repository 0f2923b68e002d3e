/** Reads which file of `src` and `builtins` imports which, and how folders depend on each other because of it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** The nodes of a graph, each with the nodes that it imports. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Reads the source files, by their paths from the root, each with the files it imports: `import type` and `import()`
 * count too.
 */
export function readImports(): Graph {
  const files = ["src", "builtins"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name)),
  );
  return new Map(files.map((file) => [file, importsOf(file)]));
}

function importsOf(file: string): Set<string> {
  const text = readFileSync(join(ROOT, file), "utf8");
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g);
  return new Set([...found].map(([, specifier = ""]) => relative(ROOT, resolve(ROOT, dirname(file), specifier))));
}

/** The part that a file belongs to: `builtins`, a folder or a file of `src`. Undefined outside of both. */
export function partOf(file: string): string | undefined {
  return /^(?:builtins(?=\/)|src\/[^/]+)/.exec(file)?.[0];
}

/** The parts, and which of them import which. */
export function partGraph(imports: Graph): Graph {
  return grouped(imports, partOf);
}

/** Every folder below the parts' parent, by its path from the root. */
export function foldersOf(imports: Graph): string[] {
  const folders = new Set<string>();
  for (const file of imports.keys()) {
    for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].sort();
}

/** The files and subfolders directly in a folder, and which of them import which. A subfolder stands for all it holds. */
export function childGraph(imports: Graph, folder: string): Graph {
  return grouped(imports, (file) =>
    file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split("/", 1)[0] : undefined,
  );
}

function grouped(imports: Graph, groupOf: (file: string) => string | undefined): Graph {
  const groups = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const group = groupOf(file);
    if (group === undefined) continue;
    const known = groups.get(group) ?? new Set();
    groups.set(group, known);
    for (const target of targets) {
      const other = imports.has(target) ? groupOf(target) : undefined;
      if (other !== undefined && other !== group) known.add(other);
    }
  }
  return groups;
}

/** One way along which a node of the graph reaches itself; undefined if none does. */
export function cycleIn(graph: Graph): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const target of graph.get(node) ?? []) {
      const cycle = visit(target, [...path, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/** The level of each node of a graph without cycles: 1 for a node that imports no other, else one above its imports. */
export function levelsOf(graph: Graph): Map<string, number> {
  const levels = new Map<string, number>();
  const levelOf = (node: string): number => {
    const level = levels.get(node) ?? 1 + Math.max(0, ...[...(graph.get(node) ?? [])].map(levelOf));
    levels.set(node, level);
    return level;
  };
  for (const node of graph.keys()) levelOf(node);
  return levels;
}
