/** Completion of paths among many files. */
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completions } from "../../../src/terminal/tui/completions.ts";
import { projectFiles } from "../../../src/terminal/tui/project-files.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** The id of an empty file in git. */
const EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

const signal = new AbortController().signal;

function repository(files: Readonly<Record<string, string>>): string {
  const cwd = tempDir(files);
  execFileSync("git", ["init", "-q"], { cwd, stdio: "ignore" });
  return cwd;
}

async function suggested(cwd: string, line: string): Promise<string[]> {
  const provider = completions({ commands: () => [], directory: () => cwd });
  const found = await provider.getSuggestions([line], 0, line.length, { signal });
  return found?.items.map(({ value }) => value) ?? [];
}

/** Lists the files of a directory, and checks that the program stays responsive meanwhile. */
async function listWhileTicking(cwd: string): Promise<readonly string[]> {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const files = await projectFiles(cwd, signal);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(5);
  return files;
}

test("a repository's files are cut to 100,000; those in many folders are left out", async () => {
  const cwd = repository({ "z-last.txt": "" });
  const list = Array.from({ length: 110_000 }, (_, index) => `100644 ${EMPTY_BLOB} 0\ta/b/file-${index}\n`).join("");
  execFileSync("git", ["update-index", "--index-info"], { cwd, input: list });
  const files = await listWhileTicking(cwd);
  expect(files.length).toBe(100_000);
  expect(files).toContain("z-last.txt");
  expect(await suggested(cwd, "@z-la")).toEqual(["@z-last.txt"]);
});

test("the letters of 20,000 files are compared with those typed, the names of all", async () => {
  const cwd = repository({ "a/file-0": "", "a/z-last.txt": "" });
  const list = Array.from({ length: 20_000 }, (_, index) => `100644 ${EMPTY_BLOB} 0\ta/file-${index}\n`).join("");
  execFileSync("git", ["update-index", "--index-info"], {
    cwd,
    input: `${list}100644 ${EMPTY_BLOB} 0\ta/z-last.txt\n`,
  });
  expect(await suggested(cwd, "@afile0")).toEqual(["@a/file-0"]);
  expect(await suggested(cwd, "@azlast")).toEqual([]);
  expect(await suggested(cwd, "@z-last")).toEqual(["@a/z-last.txt"]);
});

test("outside a repository, 21,000 files are cut to 20,000", async () => {
  const cwd = tempDir({});
  for (let folder = 0; folder < 210; folder++) {
    mkdirSync(join(cwd, `folder-${folder}`));
    for (let file = 0; file < 100; file++) writeFileSync(join(cwd, `folder-${folder}/component-${file}.tsx`), "");
  }
  expect((await listWhileTicking(cwd)).length).toBe(20_000);
  expect((await suggested(cwd, "@folder-1/component-99")).length).toBeGreaterThan(0);
});
