/**
 * What is redacted in text without real secrets: the files of some folders, at each level.
 * Run: `bun test/bench/clean-text.ts [--level LEVEL] [--show] [FOLDER...]`. Without a folder: node_modules, and the
 * modules and libraries of Go, npm and Python that this machine has. `--show` prints each redaction with its place;
 * `--level` searches at one level only.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createRedactor, type Found, type GenericLevel } from "../../src/redaction/redact.ts";
import { printTable, shown } from "./measure.ts";

const args = process.argv.slice(2);
const isShown = takeFlag("--show");
const level = takeOption("--level") as GenericLevel | undefined;
const levels: readonly GenericLevel[] = level === undefined ? ["off", "on", "strict"] : [level];
const folders = args.length > 0 ? args : installed();

function takeFlag(name: string): boolean {
  const at = args.indexOf(name);
  return at >= 0 && args.splice(at, 1).length > 0;
}

function takeOption(name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

/** Folders of clean text that this machine has. */
function installed(): string[] {
  const output = (...command: string[]): string | undefined => {
    if (!Bun.which(command[0] ?? "")) return undefined;
    return Bun.spawnSync(command, { stderr: "ignore" }).stdout.toString().trim() || undefined;
  };
  const python = (name: string) => output("python3", "-c", `import sysconfig; print(sysconfig.get_path('${name}'))`);
  const found = [
    "node_modules",
    output("npm", "root", "-g"),
    output("go", "env", "GOMODCACHE"),
    output("go", "env", "GOROOT"),
    python("stdlib"),
    python("purelib"),
  ].filter((folder) => folder !== undefined);
  return found.filter(isFolder).filter((folder) => !found.some((other) => folder.startsWith(`${other}/`)));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Larger files are seldom text. */
const LARGEST = 6e6;

function* textsIn(folder: string): Generator<[path: string, text: Promise<string>]> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* textsIn(path);
    else if (entry.isFile() && statSync(path).size < LARGEST) yield [path, Bun.file(path).text()];
  }
}

/** Prints a redaction with its place and the text around it. */
function show(path: string, text: string, { kind, start, end }: Found): void {
  const line = text.slice(0, start).split("\n").length;
  console.log(`${path}:${line}: ${kind}: ${JSON.stringify(text.slice(Math.max(0, start - 40), end + 20))}`);
}

const total = { size: 0, hits: new Map<GenericLevel, number>() };
const row = (name: string, size: number, hits: ReadonlyMap<GenericLevel, number>) => [
  name,
  shown(size / 1e6),
  ...levels.map((each) => `${hits.get(each) ?? 0} (${(((hits.get(each) ?? 0) * 1e6) / size).toFixed(2)})`),
];
const rows: string[][] = [];
const byKind = new Map<string, Map<GenericLevel, number>>();
const increase = <Key>(counts: Map<Key, number>, key: Key, by: number) => counts.set(key, (counts.get(key) ?? 0) + by);

for (const folder of folders) {
  const hits = new Map<GenericLevel, number>();
  let size = 0;
  for (const [path, reading] of textsIn(folder)) {
    const text = await reading;
    if (text.slice(0, 8192).includes("\0")) continue;
    size += text.length;
    for (const each of levels) {
      const found = createRedactor({ generic: each }).find(text);
      increase(hits, each, found.length);
      for (const one of found) {
        const counts = byKind.get(one.kind) ?? new Map<GenericLevel, number>();
        byKind.set(one.kind, increase(counts, each, 1));
        if (isShown && each === (level ?? "on")) show(path, text, one);
      }
    }
  }
  rows.push(row(folder, size, hits));
  total.size += size;
  for (const [each, count] of hits) increase(total.hits, each, count);
}
printTable(
  "Redacted in text without real secrets (per MB)",
  ["folder", "MB", ...levels],
  [...rows, row("all", total.size, total.hits)],
);
const sum = (counts: ReadonlyMap<GenericLevel, number>) => [...counts.values()].reduce((all, each) => all + each, 0);
printTable(
  "by kind",
  ["kind", ...levels],
  [...byKind]
    .sort(([, a], [, b]) => sum(b) - sum(a))
    .map(([kind, counts]) => [kind, ...levels.map((each) => `${counts.get(each) ?? 0}`)]),
);
