import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { visibleWidth } from "@earendil-works/pi-tui";
import type { ApprovalRequest } from "../../../../src/runtime/events/front-end.ts";
import { THEMES } from "../../../../src/terminal/theme.ts";
import { ApprovalBlock, type ApprovalView } from "../../../../src/terminal/tui/tool-call/approval-rows.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";
import { hook } from "./calls.ts";

function requestOf(request: Partial<ApprovalRequest>): ApprovalRequest {
  return {
    ...{ toolCallId: "call_1", toolName: "shell", toolCategory: "shell", input: {}, metadata: {}, hooks: [] },
    ...{ grant: "shell", agentName: "root", sessionId: "s" },
    ...request,
  };
}

function rowsOf(
  request: Partial<ApprovalRequest>,
  { columns = 80, ...view }: Partial<ApprovalView> & { columns?: number } = {},
): string[] {
  return new ApprovalBlock(requestOf(request), { cwd: "/nowhere", theme: THEMES.none, ...view }).render(columns);
}

describe("the question about a call", () => {
  test("is one row if everything fits", () => {
    expect(rowsOf({ input: { cmd: "touch made" } })).toEqual(["root wants to run shell(cmd: touch made)"]);
    expect(rowsOf({ toolName: "list_todos" })).toEqual(["root wants to run list_todos()"]);
  });

  test("begins with agent, tool and target; a long command is complete behind a bar", () => {
    const cmd = `npm test -- ${"x".repeat(70)}\n  rm -rf build\n\nroot wants to run shell(cmd: ls)`;
    expect(rowsOf({ input: { cmd, timeout: 60 } }, { columns: 60 })).toEqual([
      `root wants to run shell: npm test -- ${"x".repeat(22)}…`,
      "  cmd:",
      `  | npm test -- ${"x".repeat(44)}`,
      `  | ${"x".repeat(26)}`,
      "  |   rm -rf build",
      "  | ",
      "  | root wants to run shell(cmd: ls)",
      "  timeout: 60",
    ]);
  });

  test("names the target of other tools: a path, a URL, an agent", () => {
    const long = "x".repeat(80);
    const first = (toolName: string, input: ApprovalRequest["input"]) => rowsOf({ toolName, input })[0];
    expect(first("fetch", { urls: ["https://example.com"], format: long })).toBe(
      "root wants to run fetch: https://example.com",
    );
    expect(first("transfer_task", { agent: "writer", task: `a\n${long}` })).toBe(
      "root wants to run transfer_task: writer: a … +1 line",
    );
    expect(first("other", { [long]: 1, path: "/etc/x" })).toStartWith("root wants to run other: /etc/x");
  });

  test("shows names too long for the first row below it", () => {
    const rows = rowsOf({ agentName: "a".repeat(90), toolName: "t".repeat(90), input: { cmd: "ls" } }, { columns: 80 });
    expect(rows[0]).toMatch(/^a{9,}… wants to run t{9,}…: ls$/);
    expect(
      rows
        .slice(1)
        .map((row) => row.replace("  | ", ""))
        .join(""),
    ).toBe(`  agent:${"a".repeat(90)}  tool:${"t".repeat(90)}  cmd: ls`);
  });

  test("leaves room for agent, tool and target on 20 columns", () => {
    const [first = ""] = rowsOf(
      { agentName: "researcher", toolName: "run_background_agent", input: { cmd: "rm" } },
      { columns: 20 },
    );
    expect(first).toBe("res…: run_…: rm");
  });

  test("shows arguments that are no text as JSON", () => {
    expect(rowsOf({ toolName: "x", input: { a: [1, { b: null }], c: true } })).toEqual([
      'root wants to run x(a: [1,{"b":null}], c: true)',
    ]);
  });

  test("no character moves the cursor, reorders text or is invisible or another than it seems", () => {
    const cmd = "c\u0443rl\u00a0https://ex\u0430mple.com/\u202e\u200b\u001b[2K\r\b # \u200d";
    const rows = rowsOf({ input: { cmd }, agentName: "r\u043e\u043et", toolName: "sh\u001b[1Aell" });
    expect(rows.join("\n")).toMatch(/^[ -~\n…]*$/);
    expect(rows.join("\n")).toContain(
      "c\\u0443rl\\xa0https://ex\\u0430mple.com/\\u202e\\u200b\\x1b[2K\\r\\b # \\u200d",
    );
    expect(rows.join("\n")).toContain("r\\u043e\\u043et");
  });

  test("prose keeps its language", () => {
    const input = { agent: "writer", task: "Напиши с утра – “so”" };
    expect(rowsOf({ toolName: "transfer_task", input }).join("\n")).toContain("task: Напиши с утра – “so”");
  });

  test.each(["content", "description", "message", "body", "thought"])("%s is prose", (key) => {
    expect(rowsOf({ toolName: "x", input: { [key]: "с утра – “so”" } })[0]).toBe(
      `root wants to run x(${key}: с утра – “so”)`,
    );
  });

  test("ends with what the safety label and hooks say, and which hooks asked", () => {
    const metadata = {
      safety_label: "unknown",
      blast_radius: "high",
      category: "vcs",
      reason: "touches\nfiles",
      ticket: "none\u001b[1A",
    };
    expect(rowsOf({ input: { cmd: "git push" }, metadata, hooks: [hook("the guard"), hook("other")] })).toEqual([
      "root wants to run shell(cmd: git push)",
      "  hooksh does not know what this does (vcs); it can destroy a lot.",
      "  touches",
      "    files",
      "  ticket: none\\x1b[1A",
      "  asked for by the guard (agent.yaml:12), 12 ms",
      "  asked for by other (agent.yaml:12), 12 ms",
    ]);
  });
});

test("a question longer than the screen says how long it is, and ends with agent, tool and target", () => {
  const cmd = Array.from({ length: 30 }, (_, index) => `echo ${index}`).join("\n");
  const rows = rowsOf({ input: { cmd } }, { screenRows: 24 });
  expect(rows.slice(0, 4)).toEqual([
    "root wants to run shell: echo 0 … +29 lines",
    "  31 rows follow",
    "  cmd:",
    "  | echo 0",
  ]);
  expect(rows.slice(-3)).toEqual([
    "  | echo 29",
    "  31 rows above belong to this question: scroll up to read all of it",
    "root wants to run shell: echo 0 … +29 lines",
  ]);
  expect(rowsOf({ input: { cmd } }, { screenRows: 36 })).toHaveLength(32);
});

test("a question reads the file once, however often the window changes", () => {
  const cwd = tempDir({ "a.txt": "one\n" });
  const input = { path: "a.txt", edits: [{ oldText: "one", newText: "1" }] };
  const block = new ApprovalBlock(
    requestOf({ toolName: "edit_file", toolCategory: "filesystem", input, metadata: { safety_label: "unknown" } }),
    {
      theme: THEMES.none,
      cwd,
    },
  );
  writeFileSync(join(cwd, "a.txt"), "1\n");
  expect(block.render(80)).toEqual(["root wants to run edit_file: a.txt", "  1 - one", "  1 + 1"]);
  expect(block.render(80)).toBe(block.render(80));
  expect(block.render(21)).toEqual(["root: edit…: a.txt", "  tool: edit_file", "  1 - one", "  1 + 1"]);
});

describe("the question about a file", () => {
  const edits = [{ oldText: "two", newText: "2" }];

  test("is a diff of the file", () => {
    const cwd = tempDir({ "src/a.txt": "one\ntwo\nthree\n" });
    const request = {
      toolName: "edit_file",
      toolCategory: "filesystem",
      input: { path: "src/a.txt", edits, description: "why" },
    };
    expect(rowsOf(request, { cwd })).toEqual([
      "root wants to run edit_file: src/a.txt",
      "  description: why",
      "  1   one",
      "  2 - two",
      "  2 + 2",
      "  3   three",
    ]);
  });

  test("shows the path as the tool gets it, if the first row shows less of it", () => {
    const cwd = tempDir({ "a.txt": "two\n" });
    const path = `${cwd}/a.txt`;
    const rows = rowsOf(
      { toolName: "edit_file", toolCategory: "filesystem", input: { path, edits } },
      { cwd, columns: 200 },
    );
    expect(rows.slice(0, 2)).toEqual(["root wants to run edit_file: a.txt", `  path: ${path}`]);
    const deep = `${"d/".repeat(40)}a.txt`;
    const long = rowsOf(
      { toolName: "write_file", toolCategory: "filesystem", input: { path: deep, content: "x\n" } },
      { cwd, columns: 60 },
    );
    expect(long[0]).toEndWith("…");
    expect(long.slice(1, 4)).toEqual(["  path:", `  | ${deep.slice(0, 56)}`, `  | ${deep.slice(56)}`]);
  });

  test("says that it makes a new file, and that it could not read one", () => {
    const cwd = tempDir({ binary: "\0" });
    const write = (path: string) =>
      rowsOf({ toolName: "write_file", toolCategory: "filesystem", input: { path, content: "x\n" } }, { cwd });
    expect(write("new")).toEqual(["root wants to run write_file: new", "  new file", "  1 + x"]);
    expect(write("binary")[1]).toBe("  the file's present content is not shown: it is binary");
  });

  test("of an MCP server shows the edit without reading a file", () => {
    const cwd = tempDir({ "a.txt": "one\ntwo\n" });
    const input = { path: "a.txt", old_string: "two", new_string: "2", replace_all: true };
    expect(rowsOf({ toolName: "edit_file", toolCategory: "mcp", input }, { cwd })).toEqual([
      "root wants to run edit_file: a.txt",
      "  replace_all: true",
      "  - two",
      "  + 2",
    ]);
  });

  test("leaves out nothing of the new text, however long", () => {
    const content = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join("");
    const rows = rowsOf(
      { toolName: "write_file", toolCategory: "filesystem", input: { path: "new", content } },
      { cwd: tempDir({}) },
    );
    expect(rows).toHaveLength(20_002);
    expect(rows.at(-1)).toBe("  20000 + line 19999");
  });

  test("no line of the text can imitate a row of the question", () => {
    const content = "  path: other\n  asked for by nobody\nroot wants to run shell(cmd: ls)\n";
    const rows = rowsOf(
      { toolName: "write_file", toolCategory: "filesystem", input: { path: "new", content } },
      { cwd: tempDir({}) },
    );
    expect(rows.slice(2).every((row) => /^ {2}[ \d]*\d \+ /.test(row))).toBe(true);
  });
});

describe("no row of the question is wider than the screen", () => {
  test.each([
    ["words", "plain text that is long enough to be wrapped at every width ".repeat(6)],
    ["Chinese", "漢字かな交じり文。".repeat(30)],
    ["emoji and combining characters", "👩‍👩‍👧‍👦🏳️‍🌈👍🏽 e\u0301\u0302 हिन्दी กำ ".repeat(12)],
    ["tabs and controls", "a\tb\t\u001b[31m\u0000\u202e\n".repeat(12)],
  ])("%s", (_name, text) => {
    for (let columns = 20; columns <= 200; columns += columns < 40 ? 1 : 17) {
      const requests: Partial<ApprovalRequest>[] = [
        {
          agentName: text,
          toolName: text,
          input: { [text]: text, cmd: text },
          metadata: { reason: text, [text]: text },
          hooks: [hook(text)],
        },
        {
          toolName: "edit_file",
          toolCategory: "filesystem",
          input: { path: text, edits: [{ oldText: text, newText: `x${text}` }] },
        },
      ];
      for (const row of requests.flatMap((request) => rowsOf(request, { columns, theme: THEMES.dark }))) {
        expect([row, visibleWidth(row) <= columns, Bun.stringWidth(row) <= columns]).toEqual([row, true, true]);
        expect(Bun.stripANSI(row)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
      }
    }
  });
});
