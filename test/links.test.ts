import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dir, "..");

const scan = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true })].sort();
const pages = [...scan("*.md"), ...scan("{docs,test,examples,.github}/**/*.md")];
const sources = scan("{src,builtins,test,scripts,examples}/**/*.ts");

const texts = new Map([...pages, ...sources].map((file) => [file, readFileSync(join(root, file), "utf8")]));

/** The text without code blocks, whose `#` lines are no headings and whose brackets are no links. */
function withoutCode(text: string): string {
  return text.replace(/^```[^]*?^```/gm, "");
}

/** The anchors that GitHub makes for the headings of a page. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(texts.get(page) ?? "").matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = ""]) => {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = words.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** Why a link leads nowhere; undefined if it leads somewhere. `from` is a path from the root, `target` relative to it. */
function problemOf(from: string, target: string): string | undefined {
  const [path = "", anchor] = target.split("#");
  const page = path === "" ? from : normalize(join(dirname(from), path)).replace(/\/$/, "");
  if (!existsSync(join(root, page))) return `${from}: ${target}: no such file`;
  if (anchor === undefined || !page.endsWith(".md") || anchorsOf(page).includes(anchor)) return undefined;
  return `${from}: ${target}: no such heading`;
}

describe("links", () => {
  test("the check sees headings and links", () => {
    expect(anchorsOf("docs/design/contract.md")).toContain("exit-codes");
    expect(problemOf("README.md", "docs/design/contract.md#exit-codes")).toBeUndefined();
    expect(problemOf("README.md", "docs/design/contract.md#no-such-heading")).toContain("no such heading");
    expect(problemOf("README.md", "docs/no-such-page.md")).toContain("no such file");
  });

  test("every link of a page leads to a file and a heading that exist", () => {
    const problems = pages.flatMap((page) => {
      const text = withoutCode(texts.get(page) ?? "").replace(/`[^`\n]*`/g, "");
      const targets = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target = ""]) => target);
      return targets.flatMap((target) => problemOf(page, target) ?? []);
    });
    expect(problems).toEqual([]);
  });

  test("the index links to every page of the documentation", () => {
    const index = texts.get("docs/README.md") ?? "";
    const own = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== "docs/README.md");
    expect(own.filter((page) => !index.includes(`](${page.slice("docs/".length)})`))).toEqual([]);
  });

  test("each page of the path ends with a link to the next one, and the index lists them in this order", () => {
    const path = ["tour.md", "rules.md", "hooks.md", "testing.md", "agents/README.md"];
    const [, steps = ""] = /^## The path\n([^]*?)^## /m.exec(texts.get("docs/README.md") ?? "") ?? [];
    const numbered = [...steps.matchAll(/^\d\. .*$/gm)].map(([step]) => /\]\(([^)]+)\)/.exec(step)?.[1]);
    expect(numbered).toEqual(path);
    const last = (page: string) => (texts.get(`docs/${page}`) ?? "").trimEnd().split("\n").at(-1) ?? "";
    const next = path.map((page) => /^Next: .*?\]\(([^)]+)\)/.exec(last(page))?.[1]);
    expect(next).toEqual([...path.slice(1), "list.md"]);
  });

  test("every page and heading that the code names exists", () => {
    const problems = sources
      .filter((file) => !file.startsWith("test/"))
      .flatMap((file) => {
        const found = (texts.get(file) ?? "").matchAll(
          /(?<![\w./-])((?:docs|test)\/[\w./-]+\.md(?:#[\w-]+)?|(?:README|CONTRIBUTING|SECURITY|CHANGELOG)\.md)/g,
        );
        return [...found].flatMap(([, target = ""]) => (problemOf("README.md", target) ? [`${file}: ${target}`] : []));
      });
    expect(problems).toEqual([]);
  });

  test("every source file that a page names exists", () => {
    const problems = pages.flatMap((page) => {
      const found = (texts.get(page) ?? "").matchAll(/`((?:src|builtins|test|scripts|examples|docs)\/[\w./-]*\w\/?)`/g);
      // NAME, TYPE and FIELD are for the reader to fill in.
      const paths = [...found].map(([, path = ""]) => path).filter((path) => !/NAME|TYPE|FIELD/.test(path));
      return paths.flatMap((path) => (existsSync(join(root, path)) ? [] : [`${page}: ${path}`]));
    });
    expect(problems).toEqual([]);
  });

  test("no comment cites a document that a reader of the repository cannot open", () => {
    const citation =
      /\bSource: (?!https?:|docs\/|RFC )|\((?:D|T)\d+\)|\b(?:hooks|runtime|config-and-cli|bun-notes|dialects) \d+\.\d+/;
    const found = [...texts]
      .filter(([file]) => file !== "test/links.test.ts")
      .flatMap(([file, text]) =>
        text.split("\n").flatMap((line, index) => (citation.test(line) ? [`${file}:${index + 1}`] : [])),
      );
    expect(found).toEqual([]);
  });
});

test("a row of a table has as many cells as its head: a bar in a cell is escaped", () => {
  const tables = pages.flatMap((page) =>
    [...withoutCode(texts.get(page) ?? "").matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => ({
      page,
      rows: table.trim().split("\n"),
    })),
  );
  const cells = (row: string) => row.match(/(?<!\\)\|/g)?.length;
  const broken = tables.flatMap(({ page, rows: [head = "", ...rows] }) =>
    rows.filter((row) => cells(row) !== cells(head)).map((row) => `${page}: ${row}`),
  );
  expect(tables.length).toBeGreaterThan(50);
  expect(broken).toEqual([]);
});
