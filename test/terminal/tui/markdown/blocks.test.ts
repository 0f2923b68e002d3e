import { describe, expect, test } from "bun:test";
import { THEMES } from "../../../../src/terminal/theme.ts";
import { openAnswer, showAnswer, visibleRows } from "./show.ts";

describe("headings, paragraphs, rules", () => {
  const cases: readonly [name: string, text: string, rows: string[]][] = [
    ["a heading loses its closing marks", "## Title ##\ntext", ["Title", "", "text"]],
    ["a # that closes nothing stays", "# C#", ["C#"]],
    ["a # without a space is text", "#42 is fixed", ["#42 is fixed"]],
    ["an underlined heading", "Title\n===\ntext", ["Title", "", "text"]],
    ["a rule", "a\n\n---\nb", ["a", "", "─".repeat(40), "", "b"]],
    ["several empty lines are one", "a\n\n\n\nb", ["a", "", "b"]],
    ["line ends of Windows", "a\r\n\r\nb\r\n", ["a", "", "b"]],
    ["the line ends of the model stay", "one\ntwo", ["one", "two"]],
    ["HTML is text", "<div onclick=x>*a*</div>\n<!-- c -->", ["<div onclick=x>a</div>", "<!-- c -->"]],
    ["an answer of marks only", "- ", ["- "]],
    ["a number", "42", ["42"]],
    ["nothing", "\n \n", []],
  ];
  for (const [name, text, rows] of cases) test(name, () => expect(visibleRows(text, 40)).toEqual(rows));
});

describe("lists and quotes", () => {
  const cases: readonly [name: string, text: string, rows: string[]][] = [
    ["numbers stay as they are", "9. nine\n10. ten\n\n1) one", ["9. nine", "10. ten", "", "1) one"]],
    [
      "wrapped text is indented",
      "- one two three four five six seven eight",
      ["- one two three four five six seven", "  eight"],
    ],
    [
      "nested by two, three and four columns",
      "1. a\n  - b\n- c\n    - d\n        - e",
      ["1. a", "   - b", "- c", "  - d", "    - e"],
    ],
    ["tasks", "- [ ] open\n- [x] done", ["- [ ] open", "- [x] done"]],
    ["empty lines between items stay", "- a\n\n- b\n- c", ["- a", "", "- b", "- c"]],
    ["text behind a list", "- a\n\ntext", ["- a", "", "text"]],
    ["a list right behind a paragraph", "Look:\n- a\n- b", ["Look:", "- a", "- b"]],
    ["code in an item", "1. a\n   ```sh\n   ls\n   ```\n2. b", ["1. a", "   sh", "     ls", "2. b"]],
    [
      "a quote with a list",
      "> a\n> - b\n> lazy\nlazier\n\ntext",
      ["│ a", "│ - b", "│   lazy", "│   lazier", "", "text"],
    ],
    ["a quote in an item", "- > a", ["- │ a"]],
    ["a year that begins a line of a paragraph is no item", "It was\n1986. A year", ["It was", "1986. A year"]],
  ];
  for (const [name, text, rows] of cases) test(name, () => expect(visibleRows(text, 36)).toEqual(rows));

  test("quotes deeper than 16 are text", () => {
    expect(visibleRows(`${"> ".repeat(20)}x`, 80)).toEqual([`${"│ ".repeat(16)}> > > > x`]);
  });

  test("deep nesting keeps half of the window for text, and all numbers", () => {
    const rows = visibleRows(
      `${Array.from({ length: 12 }, (_, at) => `${at + 1000}.`).join(" ")} text that goes on`,
      40,
    );
    for (let at = 0; at < 12; at++) expect(rows.join(" ")).toContain(`${at + 1000}.`);
    expect(rows.at(-1)).toMatch(/^ *1011\. text that goes$|on$/);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(40);
  });
});

describe("tabs in code", () => {
  /** The code of a fence after these lines, indented by `indent` like the fence. */
  const code = (before: string, indent: string, line: string) =>
    visibleRows(`${before}${indent}\`\`\`\n${indent}a\n${indent}${line}\n${indent}\`\`\`\n`, 40);

  test.each([
    ["at the margin", "", ""],
    ["in a numbered item", "3. x\n", "   "],
    ["in a bullet item", "- x\n", "  "],
    ["in nested items", "1. x\n   - y\n", "     "],
    ["in a quote", "", "> "],
  ])("%s are four columns from the beginning of the code", (_name, before, indent) => {
    const columns = (line: string, end: string) =>
      code(before, indent, line)
        .find((row) => row.endsWith(end))
        ?.indexOf(end) ?? 0;
    const start = columns("b", "a");
    expect(columns("\tb", "b") - start).toBe(4);
    expect(columns("\t\tb", "b") - start).toBe(8);
    expect(columns("xy\tb", "b") - start).toBe(4);
  });
});

describe("tables", () => {
  test("columns have the width of their longest cell, and its alignment", () => {
    const text = "| Name | Size | Kind |\n|:-----|-----:|:----:|\n| a\\|b | 1 | file |\n| c | 1000 | d |";
    expect(visibleRows(text)).toEqual([
      "Name │ Size │ Kind",
      "─────┼──────┼─────",
      "a|b  │    1 │ file",
      "c    │ 1000 │  d",
    ]);
  });

  test("wide characters count as two columns", () => {
    const rows = visibleRows("|a|b|\n|-|-|\n|漢字|x|\n|👩‍👩‍👧|y|\n|abcd|z|");
    expect(rows.slice(2)).toEqual(["漢字 │ x", "👩‍👩‍👧   │ y", "abcd │ z"]);
  });

  test("cells wrap where the window is narrow", () => {
    const rows = visibleRows(
      "| Flag | What it does |\n|---|---|\n| --all | removes every file that is not locked |",
      30,
    );
    expect(rows).toEqual([
      "Flag  │ What it does",
      "──────┼───────────────────────",
      "--all │ removes every file",
      "      │ that is not locked",
    ]);
  });

  test("a table with too many columns for the window lists the cells of each row with their names", () => {
    const text = `|${"alpha|beta|gamma|delta|epsilon|"}\n|${"---|".repeat(5)}\n|one|two|three|a longer fourth cell|five|`;
    const rows = visibleRows(text, 40);
    expect(rows).toEqual([
      "─".repeat(20),
      "alpha: one",
      "beta: two",
      "gamma: three",
      "delta: a longer fourth cell",
      "epsilon: five",
    ]);
  });

  test("surplus cells are kept, missing ones are empty", () => {
    expect(visibleRows("|a|b|\n|-|-|\n|1|2|3|\n|4|").slice(2)).toEqual(["1 │ 2 | 3", "4 │"]);
  });

  test("the lines above the header stay a paragraph", () => {
    expect(visibleRows("See:\n|a|\n|-|\n|1|")).toEqual(["See:", "", "a", "─", "1"]);
  });

  test("a long table comes in pieces with the same columns, even if later cells are a little longer", () => {
    const lines = Array.from({ length: 300 }, (_, at) => `| row ${at} | value ${at * 7} |`);
    const shown = showAnswer([["| name | value |", "|---|---|", ...lines].join("\n")]);
    expect(shown.blocks.length).toBeGreaterThan(4);
    const bars = new Set(shown.rows(60).map((row) => Math.max(row.indexOf("│"), row.indexOf("┼"))));
    expect(shown.rows(60)).toHaveLength(302);
    expect(bars.size).toBe(3); // the header and the rule have looks
  });

  test("a later piece of a long table does not break words to fit the columns of the first", () => {
    const lines = Array.from({ length: 100 }, (_, at) => (at < 90 ? "| a | b |" : "| a-much-longer-first-cell | b |"));
    const rows = visibleRows(["|x|y|", "|-|-|", ...lines].join("\n"));
    expect(rows.at(-1)).toBe("a-much-longer-first-cell │ b");
  });
});

describe("inline", () => {
  const { dark } = THEMES;
  const row = (text: string) =>
    showAnswer([text], dark)
      .rows(100)[0]
      ?.replace(/\x1b\[0m$/, "");

  test("each row ends its looks, and the next one begins them again", () => {
    const rows = showAnswer(["**one two three**"], dark).rows(9);
    expect(rows).toEqual(["\x1b[1mone two\x1b[0m", "\x1b[1mthree\x1b[22m\x1b[0m"]);
  });

  test("looks", () => {
    expect(row("a **b** c")).toBe(`a ${dark.style("bold", "b")} c`);
    expect(row("a *b* _c_")).toBe(`a ${dark.style("italic", "b")} ${dark.style("italic", "c")}`);
    expect(row("~~a~~ ~5 and ~6")).toBe(`${dark.style("strike", "a")} ~5 and ~6`);
    expect(row("`a b`")).toBe(dark.style("code", "a b"));
    expect(row("snake_case_name and 2 * 3 * 4")).toBe("snake_case_name and 2 * 3 * 4");
  });

  test("without colours, marks that change the meaning stay", () => {
    expect(visibleRows("# T\n**a** `b` ~~c~~ *d*", 80, THEMES.none)).toEqual(["# T", "", "a `b` ~~c~~ d"]);
  });

  test("a link shows its target, unless that is its text", () => {
    expect(visibleRows("[docs](https://a.example/x)")).toEqual(["docs (https://a.example/x)"]);
    expect(visibleRows('[docs](https://a.example "Title")')).toEqual(['docs (https://a.example "Title")']);
    expect(visibleRows("<https://a.example> www.b.example me@c.example")).toEqual([
      "https://a.example www.b.example me@c.example",
    ]);
    expect(visibleRows("![logo](a.png)")).toEqual(["logo (a.png)"]);
    expect(visibleRows("[a][b]\n\n[b]: https://b.example")).toEqual(["[a][b]", "", "[b]: https://b.example"]);
  });

  test("a link whose text is another address shows the real one", () => {
    expect(visibleRows("[https://bank.example](https://evil.example)")).toEqual([
      "https://bank.example (https://evil.example)",
    ]);
    expect(visibleRows("[a@bank.example](mailto:b@evil.example)")).toEqual(["a@bank.example (mailto:b@evil.example)"]);
  });
});

describe("text from a model is untrusted", () => {
  test("escape sequences, control characters and characters that reorder text are shown", () => {
    const text = "a \x1b[2J\x1b]0;title\x07 b\x00 \x9b31m \u202ereversed\u202c \u200b \u2066 c";
    for (const around of ["", "# ", "> ", "- ", "```\n", "| x |\n|---|\n| ", "`", "[", "    "]) {
      const rows = showAnswer((around + text).split(""))
        .rows(200)
        .join("\n");
      expect(rows.replace(/\x1b\[\d*m/g, "")).not.toMatch(
        /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]/,
      );
      expect(rows).toContain("\\x1b[2J");
      expect(rows).toContain("\\u202e");
    }
  });

  test("a carriage return does not overwrite the line, wherever the deltas are cut", () => {
    for (const deltas of [["safe\revil"], ["safe\r", "evil"], ["safe", "\r", "evil"]])
      expect(showAnswer(deltas).rows(80)).toEqual(["safe\\revil"]);
  });

  test("a line end of Windows that two deltas share is one line end", () => {
    expect(showAnswer(["a\r", "\nb"]).rows(80)).toEqual(["a", "b"]);
  });

  test("an invisible character that two deltas share is shown", () => {
    expect(showAnswer(["a\udb40", "\udc41b"]).rows(80)).toEqual(["a\\u{e0041}b"]);
  });

  test("a character that two deltas share is one character", () => {
    expect(showAnswer(["a \ud83d", "\ude00 b"]).rows(80)).toEqual(["a 😀 b"]);
  });
});

describe("while the text arrives", () => {
  test("the beginning of a line is shown as soon as it is clear what it is", () => {
    const shown = openAnswer(THEMES.none);
    const after = (delta: string) => {
      shown.stream.append(delta);
      return shown.rows(40);
    };
    expect(after("Hel")).toEqual(["Hel"]);
    expect(after("lo\n")).toEqual(["Hello"]);
    expect(after("-")).toEqual(["Hello"]);
    expect(after(" i")).toEqual(["Hello", "- i"]);
    expect(after("\n``")).toEqual(["Hello", "- i"]);
    expect(after("`ts")).toEqual(["Hello", "- i"]);
    expect(after("\nlet a")).toEqual(["Hello", "- i", "", "ts", "  let a"]);
    expect(after(" = 1\n`")).toEqual(["Hello", "- i", "", "ts", "  let a = 1"]);
    expect(after("``\nend")).toEqual(["Hello", "- i", "", "ts", "  let a = 1", "", "end"]);
  });

  test("each delta asks for one frame", () => {
    const shown = openAnswer();
    for (const delta of ["a", "b\n", "\n"]) shown.stream.append(delta);
    expect(shown.renderRequests()).toBe(3);
  });

  test("a narrower window wraps again", () => {
    const shown = showAnswer(["one two three four"]);
    expect(shown.rows(40)).toEqual(["one two three four"]);
    expect(shown.rows(10)).toEqual(["one two", "three four"]);
    expect(shown.rows(40)).toEqual(["one two three four"]);
  });
});
