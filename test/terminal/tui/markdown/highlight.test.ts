import { beforeAll, describe, expect, test } from "bun:test";
import { stripAnsi } from "../../../../src/lib/platform.ts";
import { THEMES, type Theme } from "../../../../src/terminal/theme.ts";
import {
  highlight as highlightLines,
  loadLanguage,
  MAX_HIGHLIGHTED,
} from "../../../../src/terminal/tui/markdown/highlight.ts";
import { LANGUAGES } from "../../../../src/terminal/tui/markdown/languages.ts";
import { openAnswer, showAnswer } from "./show.ts";

const { dark, none } = THEMES;

const highlight = (code: string, language: string, theme: Theme) =>
  highlightLines([], code.split("\n"), language, theme).rows;

describe("highlight", () => {
  beforeAll(async () => {
    await Promise.all(LANGUAGES.map(({ name }) => loadLanguage(name)));
  });

  test("every language is loaded by its name and by its aliases, and loses no character", () => {
    const code = '<a href="x">\'&amp;\' "b" /* c */ // d\n\t# e\n\n  漢字 👩‍👩‍👧 `${f}` {{ g }}';
    for (const { name, aliases } of LANGUAGES) {
      for (const each of [name, name.toUpperCase(), ...aliases]) {
        expect(loadLanguage(each)).toBeUndefined();
        expect({ each, text: highlight(code, each, dark).map(stripAnsi) }).toEqual({ each, text: code.split("\n") });
      }
    }
  });

  test("the words of a language have the looks of their roles, on each line of its own", () => {
    expect(highlight("const a = 'b'; // c", "ts", dark)).toEqual([
      `${dark.style("keyword", "const")} a = ${dark.style("string", "'b'")}; ${dark.style("comment", "// c")}`,
    ]);
    expect(highlight("/* a\nb */", "js", dark)).toEqual([dark.style("comment", "/* a"), dark.style("comment", "b */")]);
    expect(highlight("+a\n-b", "diff", dark)).toEqual([dark.style("added", "+a"), dark.style("removed", "-b")]);
  });

  test("only the first word of the info string names the language", () => {
    expect(highlight("let a", "rust,ignore", dark)).toEqual(highlight("let a", "rust", dark));
  });

  test("an unknown language, the theme without colours, large code and long lines stay plain", () => {
    const large = "let a = 1;\n".repeat(MAX_HIGHLIGHTED / 10);
    expect(highlight("let a", "klingon", dark)).toEqual(["let a"]);
    expect(highlight("let a", "", dark)).toEqual(["let a"]);
    expect(highlight("let a", "constructor", dark)).toEqual(["let a"]);
    expect(highlight("let a", "rust", none)).toEqual(["let a"]);
    expect(highlight(large, "rust", dark)).toEqual(large.split("\n"));
    expect(highlight(`let a = ${"b".repeat(2000)}`, "rust", dark).join("")).not.toContain("\x1b");
  });

  test("a comment over several pieces of a long block keeps its look, and ends where it ends", () => {
    const comment = ["/* begin", ...Array.from({ length: 150 }, (_, at) => ` const line = ${at};`), "end */"];
    const rows = showAnswer([["```js", ...comment, "const a = 1;", "```"].join("\n")]).rows(80);
    const ended = rows.findIndex((row) => row.includes("end */"));
    expect(
      rows
        .slice(1, ended + 1)
        .filter((row) => !row.includes(dark.style("comment", stripAnsi(row).trimStart())) && !row.includes("\x1b[2m")),
    ).toEqual([]);
    expect(rows.at(-1)).toContain(dark.style("keyword", "const"));
  });

  test("code that arrives letter by letter ends with the same rows as all at once", () => {
    const text = `\`\`\`py\n${Array.from({ length: 90 }, (_, at) => `def f${at}(x):\n    """doc\n    string"""\n    return x  # ${at}\n`).join("\n")}\`\`\`\nend`;
    expect(showAnswer(text).rows(50)).toEqual(showAnswer([text]).rows(50));
  });
});

test("a language is loaded when a block of it begins, and the block is shown again then", async () => {
  const program = `
    const { openAnswer } = await import(${JSON.stringify(`${import.meta.dir}/show.ts`)});
    const shown = openAnswer();
    shown.stream.append("\`\`\`go\\nfunc main() {}\\n");
    const before = shown.rows(40);
    while (shown.renderRequests() < 2) await new Promise((done) => setTimeout(done, 5));
    console.log(JSON.stringify([before, shown.rows(40)]));`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  const [before, after] = JSON.parse(await child.stdout.text());
  expect(before.at(-1)).toBe("  func main() {}");
  expect(after.at(-1)).toContain(dark.style("keyword", "func"));
});

test("the library is loaded for code with a language only", () => {
  const shown = openAnswer();
  shown.stream.append("```\ntext\n```\n```klingon\nnuqneH\n");
  expect(shown.renderRequests()).toBe(1);
});
