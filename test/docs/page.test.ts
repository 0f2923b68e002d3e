import { describe, expect, test } from "bun:test";
import { checkCommand } from "./check-command.ts";
import { normalOutput, withElisions } from "./normal-output.ts";
import { type CommandBlock, readPage, syntaxProblem } from "./page.ts";
import { runSection, sectionsOf } from "./run-page.ts";
import { usageProblems } from "./usage.ts";

const FENCE = "```";

function block(language: string, ...lines: string[]): string {
  return [`${FENCE}${language}`, ...lines, FENCE, ""].join("\n");
}

/** The only block of commands on a page. */
function commandsOf(text: string): CommandBlock {
  const found = readPage("page.md", text).filter((step): step is CommandBlock => step.kind === "commands");
  expect(found).toHaveLength(1);
  return found[0] as CommandBlock;
}

describe("a page", () => {
  test("has commands with the lines below them as output", () => {
    const { place, commands } = commandsOf(`# Title\n\n${block("console", "$ ls |", "    sort", "a", "b", "$ true")}`);
    expect(place).toBe("page.md:3");
    expect(commands).toEqual([
      { text: "ls |\n    sort", shown: ["a", "b"] },
      { text: "true", shown: [] },
    ]);
  });

  test.each([
    ["a here-document", ["cat <<EOF", "x", "EOF"]],
    ["quotes over two lines", ["echo 'a", "b'"]],
    ["a backslash at the end", ["echo a \\", "  b"]],
    ["a compound command", ["if true; then", "  echo a", "fi"]],
  ])("has commands of several lines: %s", (_name, lines) => {
    const { commands } = commandsOf(block("sh", ...lines, "true   # a comment", "# another"));
    expect(commands.map(({ text }) => text)).toEqual([lines.join("\n"), "true   # a comment"]);
  });

  test("with `one` has one command, even if its output looks like others", () => {
    const text = `<!-- test: one -->\n${block("console", "$ demo", "$ ls", "a")}`;
    expect(commandsOf(text).commands).toEqual([{ text: "demo", shown: ["$ ls", "a"] }]);
  });

  test("has files, named by their first line, the line below #!, or a comment above", () => {
    const named = `<!-- test: file c.json -->\n${block("json", "{}")}`;
    const text = `${block("yaml", "# dir/a.yaml", "x: 1")}${block("sh", "#!/bin/sh", "# b.sh", "true")}${named}`;
    const files = readPage("page.md", text).flatMap((step) => (step.kind === "file" ? [step.path] : []));
    expect(files).toEqual(["dir/a.yaml", "b.sh", "c.json"]);
  });

  test("has blocks in lists, without their indentation", () => {
    expect(commandsOf("- item:\n\n  ```sh\n  true\n  ```\n").commands).toEqual([{ text: "true", shown: undefined }]);
  });

  test.each(["skip", "skip because", "skip because ", "maybe", "file", "setup"])(
    "with the comment %j is refused",
    (mark) => {
      expect(() => readPage("page.md", `<!-- test: ${mark} -->\n${block("sh", "true")}`)).toThrow("page.md:1: unknown");
    },
  );

  test("runs in the order of its steps, and reports each exit code", async () => {
    const text = [
      block("sh", "# a.sh", "echo from a.sh"),
      "<!-- test: setup\nexport NAME=value\n-->\n",
      block("console", "$ sh a.sh", "$ cd / && false", "$ echo $? $NAME $PWD"),
    ].join("");
    const [section = []] = sectionsOf(readPage("page.md", text));
    const { runs } = await runSection(section);
    expect([...runs.values()]).toEqual([
      { printed: "from a.sh\n", code: 0 },
      { printed: "", code: 1 },
      { printed: "1 value /\n", code: 0 },
    ]);
  });

  test("whose setup fails runs no further command, and says why", async () => {
    const text = `<!-- test: setup\nls no-such-file\n-->\n${block("sh", "echo ran")}`;
    const [section = []] = sectionsOf(readPage("page.md", text));
    const { runs, rest } = await runSection(section);
    expect(runs.size).toBe(0);
    expect(rest).toContain("page.md:1: setup failed");
    expect(rest).toContain("no-such-file");
  });
});

describe("outputs are compared", () => {
  test("without what differs from run to run", () => {
    const first = "took 12 ms (1m2s) at 2026-01-02 03:04:05 on 127.0.0.1:4747";
    const second = "took 1.5 s (3h4m) at 2027-11-12 13:14:15 on 127.0.0.1:1";
    expect(normalOutput(first)).toBe(normalOutput(second));
    expect(normalOutput("6 passed")).not.toBe(normalOutput("5 passed"));
    expect(normalOutput("hooks.yaml:3:1")).not.toBe(normalOutput("hooks.yaml:4:1"));
  });

  test("with the parts that a page leaves out", () => {
    expect(withElisions("a\n...\nd", "a\nb\nc\nd")).toBe("a\nb\nc\nd");
    expect(withElisions("...\nd", "d")).toBe("d");
    expect(withElisions("head …!", "head 12!")).toBe("head 12!");
    expect(withElisions("a\n...\nd", "a\nb\ne")).toBe("a\n...\nd");
    expect(withElisions("a.", "ab")).toBe("a.");
  });
});

describe("a command fails the test of its page", () => {
  const check = (shown: string[] | undefined, run: { printed: string; code: number } | undefined) => {
    const command = { text: "ls", shown };
    return () => checkCommand(command, { runs: new Map(run ? [[command, run]] : []), rest: "no shell", places: {} });
  };

  test.each<[string, string[] | undefined, { printed: string; code: number }]>([
    ["prints something else", ["a"], { printed: "b\n", code: 0 }],
    ["prints more", ["a"], { printed: "a\nb\n", code: 0 }],
    ["prints something, and the page shows nothing", [], { printed: "a\n", code: 0 }],
    ["fails, and the page shows nothing", [], { printed: "", code: 1 }],
    ["fails in a block without outputs", undefined, { printed: "", code: 1 }],
  ])("that %s", (_name, shown, run) => {
    expect(check(shown, run)).toThrow();
  });

  test("that does not end, and the message holds what was printed last", () => {
    expect(check(["a"], undefined)).toThrow("did not end: ls\nno shell");
  });

  test("unless it prints what the page shows, also if it fails then", () => {
    expect(check(["a"], { printed: "a\n", code: 1 })).not.toThrow();
    expect(check(undefined, { printed: "a\n", code: 0 })).not.toThrow();
  });
});

test("commands and flags that hooksh does not have are found", () => {
  expect(usageProblems("hooksh run agent.yaml --yolo hello; A=1 hooksh test --fuzz 3 -- --x")).toEqual([]);
  expect(usageProblems("docker run --rm -it hooksh audit --denied # hooksh nothing")).toEqual([]);
  expect(usageProblems("hooksh COMMAND --help && hooksh --version")).toEqual([]);
  expect(usageProblems("hooksh rum")).toEqual(["hooksh has no command rum"]);
  expect(usageProblems("cat a | hooksh dispatch --hook-file a")).toEqual([
    "hooksh dispatch: unknown flag --hook-file, did you mean --hooks-file?",
  ]);
});

test("the syntax of a script is checked without running it", () => {
  expect(syntaxProblem("exit 3")).toBe("");
  expect(syntaxProblem("if true; then")).toContain("syntax error");
});
