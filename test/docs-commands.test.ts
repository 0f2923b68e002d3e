import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CommandBlock, readPage, syntaxProblem } from "./docs/page.ts";
import { usageProblems } from "./docs/usage.ts";

const root = join(import.meta.dir, "..");
const paths = ["README.md", ...[...new Bun.Glob("docs/**/*.md").scanSync(root)].sort()];
const pages = paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** The number of blocks of each page that do not run; a comment above each block says why. */
const SKIPPED: Readonly<Record<string, number>> = {
  "README.md": 2,
  "docs/agents-from-elsewhere.md": 1,
  "docs/docker.md": 1,
  "docs/install.md": 2,
  "docs/library.md": 1,
  "docs/tour.md": 1,
  "docs/trace.md": 1,
};

describe("blocks of commands", () => {
  const blocks = pages.flatMap(({ path, text }) =>
    readPage(path, text).filter((step): step is CommandBlock => step.kind === "commands"),
  );

  test("name only commands and flags that hooksh has, in the text between them too", () => {
    const inBlocks = blocks.map(({ place, commands }) => [place, commands.map(({ text }) => text).join("\n")] as const);
    // A longer text without flags can also be a message of hooksh.
    const inText = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/`(hooksh (?:\S+|[^`\n]* -[^`\n]*))`/g)].map(([, command = ""]) => [path, command] as const),
    );
    const problems = [...inBlocks, ...inText].flatMap(([place, text]) =>
      usageProblems(text).map((problem) => `${place}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  test("are marked as such: no block in another language begins with a prompt", () => {
    const hidden = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/^ *```(?!console\n)[^`\n]*\n\$ .*/gm)].map(([found]) => `${path}: ${found}`),
    );
    expect(hidden).toEqual([]);
  });

  test("that do not run are counted, and their syntax is right", () => {
    const skipped = blocks.filter((block) => block.skipped !== undefined);
    expect(
      Object.fromEntries(
        Map.groupBy(skipped, ({ place }) => place.split(":")[0])
          .entries()
          .map(([page, all]) => [page, all.length]),
      ),
    ).toEqual(SKIPPED);
    const script = ({ commands }: CommandBlock) => commands.map(({ text }) => text).join("\n");
    const problems = skipped
      .filter(({ language }) => language !== "powershell" && language !== "fish")
      .map((block) => `${block.place}: ${syntaxProblem(script(block))}`);
    expect(problems.filter((problem) => !problem.endsWith(": "))).toEqual([]);
  });
});
