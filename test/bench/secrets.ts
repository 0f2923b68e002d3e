/**
 * How many secrets are found, and which harmless texts are redacted: the samples of every kind in every context, harmless text of every
 * family, and the files of some folders.
 * Run: `bun test/bench/secrets.ts [--samples N] [--show] [FOLDER...]`. Without a folder: node_modules, and the sources of
 * Go and Python where they are installed. `--show` prints each secret that is missed and each harmless text that is redacted, with its line.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createRedactor } from "../../src/redaction/redact.ts";
import { CONTEXTS } from "../redaction/contexts.ts";
import { negatives } from "../redaction/negatives.ts";
import { fits, POSITIVE_KINDS, place, positivesOf } from "../redaction/positives.ts";
import { printTable, shown } from "./measure.ts";

const args = process.argv.slice(2);
const show = takeFlag("--show");
const samples = Number(takeOption("--samples") ?? 20);
const folders = args.length > 0 ? args : installed();
const { redact, find } = createRedactor();

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
  const python = output("python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))");
  const found = ["node_modules", output("go", "env", "GOMODCACHE"), output("go", "env", "GOROOT"), python];
  return found.filter((folder) => folder !== undefined).filter(isFolder);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

interface Share {
  asked: number;
  found: number;
}

const percent = ({ found, asked }: Share) =>
  `${((100 * found) / asked).toFixed(asked - found > 0 && asked > 1000 ? 2 : 1)} %`;

/** Every sample of every kind in every context that can hold it. */
function measureRecall(): void {
  const byContext = new Map<string, Share>();
  const byKind = new Map<string, Share>();
  const count = (shares: Map<string, Share>, id: string, isFound: boolean) => {
    const share = shares.get(id) ?? { asked: 0, found: 0 };
    shares.set(id, { asked: share.asked + 1, found: share.found + Number(isFound) });
  };
  for (const [at, kind] of POSITIVE_KINDS.entries()) {
    for (const positive of positivesOf(kind, samples, at + 1)) {
      for (const context of CONTEXTS.filter((each) => fits(positive, each))) {
        const { text, spelled } = place(positive, context);
        const isFound = !redact(text).includes(spelled);
        if (show && !isFound) console.log(`missed: ${kind} in ${context.id}: ${JSON.stringify(text)}`);
        count(byContext, context.id, isFound);
        count(byKind, kind, isFound);
      }
    }
  }
  const rows = (shares: Map<string, Share>) =>
    [...shares]
      .sort(([, a], [, b]) => a.found / a.asked - b.found / b.asked)
      .map(([id, share]) => [id, `${share.asked}`, percent(share)]);
  const all = [...byKind.values()].reduce((sum, { asked, found }) => ({
    asked: sum.asked + asked,
    found: sum.found + found,
  }));
  printTable(`Found by context, ${POSITIVE_KINDS.length} kinds`, ["context", "secrets", "found"], rows(byContext));
  const partly = rows(byKind).filter(([, , share]) => share !== "100.0 %");
  printTable(
    "Kinds that are not found everywhere",
    ["kind", "secrets", "found"],
    [...partly, ["all kinds", `${all.asked}`, percent(all)]],
  );
}

function measureNegatives(): void {
  const byFamily = new Map<string, [texts: number, hits: number]>();
  for (const { family, text } of negatives(samples, 1)) {
    const hits = find(text).length;
    if (show && hits > 0) console.log(`${family}: ${JSON.stringify(redact(text))}`);
    const [texts, before] = byFamily.get(family) ?? [0, 0];
    byFamily.set(family, [texts + 1, before + hits]);
  }
  const rows = [...byFamily]
    .filter(([, [, hits]]) => hits > 0)
    .map(([family, [texts, hits]]) => [family, `${texts}`, `${hits}`]);
  const texts = [...byFamily.values()].reduce((sum, [each]) => sum + each, 0);
  const hits = [...byFamily.values()].reduce((sum, [, each]) => sum + each, 0);
  printTable(
    `Harmless text, ${byFamily.size} families`,
    ["family", "texts", "redacted"],
    [...rows, ["all families", `${texts}`, `${hits}`]],
  );
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

/** What is redacted in the text files of a folder: files with keys and passwords for tests and documentation count too. */
async function measureFolder(folder: string): Promise<void> {
  const byKind = new Map<string, number>();
  const byFile = new Map<string, number>();
  let size = 0;
  let took = 0;
  for (const [path, reading] of textsIn(folder)) {
    const text = await reading;
    if (text.slice(0, 8192).includes("\0")) continue;
    size += text.length;
    const started = performance.now();
    const found = find(text);
    took += performance.now() - started;
    for (const { kind, start, end } of found) {
      byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
      byFile.set(path, (byFile.get(path) ?? 0) + 1);
      if (show)
        console.log(
          `${path}:${text.slice(0, start).split("\n").length}: ${kind}: ${JSON.stringify(text.slice(start - 40, end + 20))}`,
        );
    }
  }
  const hits = [...byKind.values()].reduce((sum, each) => sum + each, 0);
  const title = `${folder}: ${shown(size / 1e6)} MB, ${hits} redacted (${((hits * 1e6) / size).toFixed(3)} per MB), ${shown(size / 1e3 / took)} MB/s`;
  const rows = (counts: Map<string, number>) =>
    [...counts].sort(([, a], [, b]) => b - a).map(([id, n]) => [id, `${n}`]);
  printTable(title, ["kind", "redacted"], rows(byKind));
  printTable(
    "by file",
    ["file", "redacted"],
    rows(byFile)
      .slice(0, 40)
      .map(([path = "", n = ""]) => [path.slice(folder.length + 1), n]),
  );
}

measureRecall();
measureNegatives();
for (const folder of folders) await measureFolder(folder);
