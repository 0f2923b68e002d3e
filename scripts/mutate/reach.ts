import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Which source files each test file can reach through imports, starts of threads and started programs. */
export interface Reach {
  /**
   * Returns the test files that reach a file: those of its own folder first, then by the number of imports in between.
   */
  testsOf(file: string): { test: string; distance: number }[];
  /** The files that a test file reaches, itself included. */
  filesOf(test: string): string[];
  /** True for a test that starts the compiled executable. */
  startsBinary(test: string): boolean;
}

const BINARY_HELPER = "test/helpers/binary.ts";

/** Reads the imports of every test file and of everything behind them. */
export function readReach(root: string): Reach {
  const imports = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    const known = imports.get(file);
    if (known) return known;
    const found = readImports(root, file);
    imports.set(file, found);
    return found;
  };
  const program = distances(["src/main.ts", "src/worker.ts"], importsOf);
  const tests = [...new Bun.Glob("test/**/*.test.ts").scanSync(root)].sort();
  const reached = new Map(tests.map((test) => [test, distances([test], importsOf)]));
  const startsBinary = (test: string) => reached.get(test)?.has(BINARY_HELPER) === true;
  return {
    startsBinary,
    filesOf: (test) => [...(reached.get(test)?.keys() ?? [])].sort(),
    testsOf: (file) =>
      tests
        .flatMap((test) => {
          const direct = reached.get(test)?.get(file);
          const started = startsBinary(test) ? program.get(file) : undefined;
          const distance = direct ?? (started === undefined ? undefined : started + 100);
          return distance === undefined ? [] : [{ test, distance }];
        })
        .sort((a, b) => sharedFolders(b.test, file) - sharedFolders(a.test, file) || a.distance - b.distance),
  };
}

/**
 * Returns the number of folders below src/ and test/ that a test file shares with a source file, whose folders it
 * mirrors.
 */
function sharedFolders(test: string, file: string): number {
  const [ours, theirs] = [test, file].map((path) => dirname(path).split("/").slice(1)) as [string[], string[]];
  const first = ours.findIndex((folder, index) => folder !== theirs[index]);
  return first < 0 ? ours.length : first;
}

/** Searches breadth first: returns each reachable file with its distance from the nearest start. */
function distances(starts: readonly string[], importsOf: (file: string) => readonly string[]): Map<string, number> {
  const found = new Map(starts.map((start) => [start, 0]));
  // A Map visits what is added to it during the iteration.
  for (const [file, distance] of found)
    for (const next of importsOf(file)) if (!found.has(next)) found.set(next, distance + 1);
  return found;
}

const transpiler = new Bun.Transpiler({ loader: "ts" });

/**
 * The files that a file imports, and those it names by a relative path (a thread's file, a program that a test starts).
 */
function readImports(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const imported = transpiler.scanImports(text).map(({ path }) => path);
  const named = [...text.matchAll(/"([./a-z][^"\n]*\.ts)"/g)].map(([, path]) => path ?? "");
  const paths = [...imported, ...named].flatMap((path) =>
    path === "hooksh" ? [join(root, "src/index.ts")] : [resolve(root, dirname(file), path)],
  );
  const inside = paths.filter((path) => path.startsWith(`${root}/`) && path.endsWith(".ts") && existsSync(path));
  return [...new Set(inside)].map((path) => relative(root, path));
}
