import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pages } from "../scripts/docs.ts";

const root = join(import.meta.dir, "..");
const written = ["README.md", ...new Bun.Glob("docs/**/*.md").scanSync(root)];

describe("the reference pages say what the tables say (bun scripts/docs.ts writes them)", async () => {
  test.each(Object.entries(await pages()))("%s", (path, text) => {
    expect(readFileSync(join(root, path), "utf8")).toBe(text);
  });
});

describe("every page", () => {
  test.each(written.map((path) => [path]))("%s links only to what is there", (path) => {
    const text = readFileSync(join(root, path), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target);
    expect(links.filter((target) => !existsSync(join(root, dirname(path), target)))).toEqual([]);
  });
});
