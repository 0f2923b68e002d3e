import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CALL_OUTCOMES } from "../../../../src/runtime/events/run-events.ts";
import { THEMES } from "../../../../src/terminal/theme.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";
import { blockedBy, blockOf, hook, responseOf } from "./calls.ts";

/** Lines `1` to `count`. */
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1)).join("\n");

describe("a running call", () => {
  test("is one line with the tool and the essence of its arguments", () => {
    expect(blockOf("shell", { cmd: "npm test" }).render(80)).toEqual(["● shell npm test"]);
    expect(blockOf("list_todos", {}).render(80)).toEqual(["● list_todos"]);
    expect(blockOf("shell", { cmd: "ls" }, { agent: "helper" }).render(80)).toEqual(["● helper: shell ls"]);
    expect(blockOf("shell", { cmd: `echo ${"x".repeat(100)}` }).render(20)).toEqual(["● shell echo xxxxxx…"]);
  });

  test("shows the end of its output, and how many lines came before", () => {
    const block = blockOf("shell", { cmd: "npm test" });
    block.output("one\ntw");
    expect(block.render(80)).toEqual(["● shell npm test", "  │ one", "  │ tw"]);
    block.output(`o\n${numbers(7)}\n`);
    expect(block.render(80).slice(1)).toEqual([
      "  │ … 4 earlier lines",
      ...["3", "4", "5", "6", "7"].map((n) => `  │ ${n}`),
    ]);
    expect(block.isDone).toBe(false);
  });

  test("shows the time once it took a second, also in its last state", async () => {
    const block = blockOf("shell", { cmd: "sleep 2" });
    expect(block.render(80)).toEqual(["● shell sleep 2"]);
    await Bun.sleep(1100);
    expect(block.render(80)[0]).toMatch(/^● shell sleep 2 \(\d+ s\)$/);
    block.respond(responseOf("shell", "done"));
    expect(block.render(80)[0]).toMatch(/^✓ shell sleep 2 \(\d+ s\)$/);
  });
});

describe("a result", () => {
  test("of a command is folded to its end, and opens", () => {
    const block = blockOf("shell", { cmd: "seq 3000" });
    block.respond(responseOf("shell", numbers(3000)));
    expect(block.isDone).toBe(true);
    expect(block.render(80)).toEqual([
      "✓ shell seq 3000",
      "  │ … 2995 more lines (Ctrl+O opens)",
      ...["2996", "2997", "2998", "2999", "3000"].map((n) => `  │ ${n}`),
    ]);
    expect(block.isFoldable).toBe(true);
    block.toggle();
    expect(block.render(80)).toHaveLength(3001);
    expect(block.render(80).at(1)).toBe("  │ 1");
    block.toggle();
    expect(block.render(80)).toHaveLength(7);
  });

  test("of which only a part is kept says how many lines were printed", () => {
    const block = blockOf("shell", { cmd: "seq 3000" });
    block.output(`${numbers(3000)}\n`);
    block.respond(responseOf("shell", numbers(2000)));
    expect(block.render(80)[1]).toBe("  │ … 2995 more lines, 1995 of them kept (Ctrl+O opens)");
  });

  test("of any other tool is folded to its start", () => {
    const block = blockOf("fetch", { urls: ["https://example.com"] }, { category: "fetch" });
    block.respond(responseOf("fetch", numbers(10), { category: "fetch" }));
    expect(block.render(80).slice(1)).toEqual([
      ...["1", "2", "3", "4"].map((n) => `  │ ${n}`),
      "  │ … 6 more lines (Ctrl+O opens)",
    ]);
  });

  test("of one line more is shown whole, and a short one cannot be opened", () => {
    const block = blockOf("fetch", {}, { category: "fetch" });
    block.respond(responseOf("fetch", numbers(5), { category: "fetch" }));
    expect(block.render(80)).toHaveLength(6);
    expect(block.isFoldable).toBe(false);
  });

  test("that is cut at the width opens to all of it", () => {
    const block = blockOf("shell", { cmd: "x" });
    block.respond(responseOf("shell", `start ${"x".repeat(100)} end`));
    expect(block.render(40)[1]).toEndWith("x…");
    expect(block.isFoldable).toBe(true);
    block.toggle();
    const text = block
      .render(40)
      .slice(1)
      .map((row) => row.replace("  │ ", ""));
    expect(text.join("")).toBe(`start ${"x".repeat(100)} end`);
  });

  test("of a file that is read says only how many lines it has, until it is opened", () => {
    const block = blockOf("read_file", { path: "a.ts" }, { category: "filesystem" });
    block.respond(responseOf("read_file", numbers(12), { category: "filesystem" }));
    expect(block.render(80)).toEqual(["✓ read_file a.ts (12 lines)"]);
    expect(block.isFoldable).toBe(true);
    block.toggle();
    expect(block.render(80)).toHaveLength(13);
  });

  test("of a script of the agent file is folded to its end", () => {
    const block = blockOf("deploy", {}, { category: "script" });
    block.respond(responseOf("deploy", numbers(20), { category: "script" }));
    expect(block.render(80).slice(1, 3)).toEqual(["  │ … 15 more lines (Ctrl+O opens)", "  │ 16"]);
  });

  test("of a todo tool is a list with check boxes", () => {
    const block = blockOf("update_todos", { updates: [{ id: "todo_1", status: "completed" }] }, { category: "todo" });
    const all_todos = [
      { id: "todo_1", description: "look", status: "completed" },
      { id: "todo_2", description: "leap", status: "in-progress" },
      { id: "todo_3", description: "land", status: "pending" },
    ];
    block.respond(responseOf("update_todos", JSON.stringify({ updated: [], all_todos }), { category: "todo" }));
    expect(block.render(80)).toEqual([
      "✓ update_todos todo_1 → completed",
      "  │ [x] look",
      "  │ [>] leap",
      "  │ [ ] land",
    ]);
  });

  test("of 100,000 lines opens to at most 10,000 rows, and says how many lines are left out", () => {
    const block = blockOf("shell", { cmd: "seq 100000" });
    block.respond(responseOf("shell", numbers(100_000)));
    block.render(80);
    block.toggle();
    const rows = block.render(80);
    expect(rows).toHaveLength(10_002);
    expect(rows[5001]).toBe("  │ … 90000 lines are not shown here; the session has all of them");
    expect(rows.at(-1)).toBe("  │ 100000");
  });

  test("of one line without end is cut, and says so", () => {
    const block = blockOf("shell", { cmd: "yes" });
    block.respond(responseOf("shell", "y".repeat(3_000_000)));
    block.toggle();
    const rows = block.render(80);
    expect(rows.length).toBeLessThan(300);
    expect(rows.join("").replaceAll("  │ ", "")).toContain("2980000 characters are not shown here");
  });

  test("that is binary is not printed before it is opened, and then escaped", () => {
    const block = blockOf("shell", { cmd: "cat picture" });
    block.respond(responseOf("shell", "\u0089PNG\0\u0001\u001b[2J"));
    expect(block.render(80).slice(1)).toEqual(["  │ binary output (Ctrl+O opens)"]);
    block.toggle();
    expect(block.render(80).slice(1)).toEqual(["  │ \\x89PNG\\x00\\x01"]);
  });

  test("of a failed tool is shown in full", () => {
    const block = blockOf("fetch", {}, { category: "fetch" });
    block.respond(responseOf("fetch", numbers(200), { outcome: "failed", category: "fetch" }));
    expect(block.render(80)).toHaveLength(201);
    expect(block.render(80)[0]).toBe("✗ fetch (failed)");
    expect(block.isFoldable).toBe(false);
  });

  test("of a command that failed says how in the first line, and shows more of the output", () => {
    const block = blockOf("shell", { cmd: "make" });
    block.respond(responseOf("shell", `Error executing command: exit status 2\nOutput: ${numbers(30)}`));
    expect(block.render(80)[0]).toBe("✗ shell make (exit 2)");
    expect(block.render(80)[1]).toBe("  │ 1");
    expect(block.render(80)).toHaveLength(31);
    const slow = blockOf("shell", { cmd: "sleep 99" });
    slow.respond(responseOf("shell", "Command timed out after 30s\nOutput: "));
    expect(slow.render(80)[0]).toBe("✗ shell sleep 99 (Command timed out after 30s)");
  });

  test.each(["", " "])("of a command that failed without output shows its exit code as a warning: %j", (end) => {
    const block = blockOf("shell", { cmd: "false" }, { theme: THEMES.dark });
    block.respond(responseOf("shell", `Error executing command: exit status 1\nOutput:${end}`));
    const warning = (text: string) => THEMES.dark.style("warning", text);
    expect(block.render(80)).toEqual([
      `${warning("✗ ")}${THEMES.dark.style("toolName", "shell")} false${warning(" (exit 1)")}`,
    ]);
  });

  test("of another tool with the same first words is not a failure", () => {
    const block = blockOf("read_file", { path: "log" }, { category: "filesystem" });
    block.respond(responseOf("read_file", "Error executing command: x\ny", { category: "filesystem" }));
    expect(block.render(80)[0]).toBe("✓ read_file log (2 lines)");
  });
});

describe("a call that changes a file", () => {
  const edit = { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] };
  const diff = ["  1   one", "  2 - two", "  2 + 2"];

  test("shows the diff of the file as it was before the tool ran", () => {
    const cwd = tempDir({ "a.txt": "one\ntwo\n" });
    const block = blockOf("edit_file", edit, { category: "filesystem", cwd });
    expect(block.render(80)).toEqual(["● edit_file a.txt (+1 -1)", ...diff]);
    writeFileSync(join(cwd, "a.txt"), "one\n2\n");
    block.respond(responseOf("edit_file", "File edited successfully.", { category: "filesystem" }));
    expect(block.render(80)).toEqual(["✓ edit_file a.txt (+1 -1)", ...diff]);
    block.toggle();
    expect(block.render(80)).toEqual(["✓ edit_file a.txt (+1 -1)", ...diff, "  │ File edited successfully."]);
  });

  test("folds a long diff, and opens it", () => {
    const cwd = tempDir({});
    const block = blockOf("write_file", { path: "new", content: `${numbers(100)}\n` }, { category: "filesystem", cwd });
    expect(block.render(80).slice(0, 3)).toEqual(["● write_file new (+100 -0)", "     new file", "   1 + 1"]);
    expect(block.render(80).at(-1)).toBe("  … 77 more lines (Ctrl+O opens)");
    expect(block.isFoldable).toBe(true);
    block.toggle();
    expect(block.render(80)).toHaveLength(102);
  });

  test("opens to at most 10,000 rows, and says how many are left out", () => {
    const content = `${numbers(12_000)}\n`;
    const block = blockOf("write_file", { path: "new", content }, { category: "filesystem", cwd: tempDir({}) });
    block.toggle();
    expect(block.render(80)).toHaveLength(10_002);
    expect(block.render(80).at(-1)).toBe("  … 2001 more rows are not shown here");
  });

  test("shows the error alone if it failed", () => {
    const block = blockOf("edit_file", edit, { category: "filesystem", cwd: tempDir({ "a.txt": "one\n" }) });
    block.respond(
      responseOf("edit_file", "Error: oldText was not found", { outcome: "failed", category: "filesystem" }),
    );
    expect(block.render(80).slice(1)).toEqual(["  │ Error: oldText was not found"]);
  });

  test("shows the diff of a blocked call only when it is opened", () => {
    const block = blockOf("edit_file", edit, { category: "filesystem", cwd: tempDir({ "a.txt": "one\ntwo\n" }) });
    block.blocked(blockedBy("no"));
    expect(block.render(80)).toEqual(["✗ edit_file a.txt (denied)", "  no"]);
    expect(block.isFoldable).toBe(true);
    block.toggle();
    expect(block.render(80)).toEqual(["✗ edit_file a.txt (denied)", "  no", ...diff]);
  });

  test("of the past does not read the file", () => {
    const options = { category: "filesystem", cwd: tempDir({ "a.txt": "one\ntwo\n" }), hasRun: true };
    expect(blockOf("edit_file", edit, options).render(80).slice(1)).toEqual([
      "  the rest of the file is not shown: the call has run",
      "  - two",
      "  + 2",
    ]);
  });
});

describe("a call whose result is hidden", () => {
  test("shows no output until it is opened", () => {
    const block = blockOf("shell", { cmd: "seq 3" }, { hideResult: true });
    block.output("1\n2\n");
    expect(block.render(80)).toEqual(["● shell seq 3"]);
    block.respond(responseOf("shell", "Error executing command: exit status 1\nOutput: 1\n2"));
    expect(block.render(80)).toEqual(["✗ shell seq 3 (exit 1, 2 lines)"]);
    block.toggle();
    expect(block.render(80)).toHaveLength(3);
  });

  test("shows the first line of an error", () => {
    const block = blockOf("fetch", {}, { category: "fetch", hideResult: true });
    block.respond(responseOf("fetch", "Error: no\nmore\nmore", { outcome: "failed", category: "fetch" }));
    expect(block.render(80)).toEqual(["✗ fetch (failed, 3 lines)", "  │ Error: no"]);
    expect(block.isFoldable).toBe(true);
    block.toggle();
    expect(block.render(80)).toHaveLength(4);
  });
});

describe("a call that did not run", () => {
  test("blocked: which hook, why, where it is declared and how long it took", () => {
    const block = blockOf("shell", { cmd: "rm -rf build" });
    block.blocked(blockedBy("no deletions here", hook("no-rm", "no deletions here")));
    const rows = [
      "✗ shell rm -rf build (denied)",
      "  no deletions here",
      "  by no-rm (agent.yaml:12), 12 ms, on pre_tool_use",
    ];
    expect(block.render(80)).toEqual(rows);
    block.respond(responseOf("shell", "The tool call was rejected by a pre_tool_use hook.", { outcome: "blocked" }));
    expect(block.render(80)).toEqual(rows);
  });

  test("blocked by several hooks: each with its reason", () => {
    const block = blockOf("shell", { cmd: "rm" });
    block.blocked(blockedBy("one\ntwo", hook("first", "one"), hook("second", "two")));
    expect(block.render(80).slice(1)).toEqual([
      "  by first (agent.yaml:12), 12 ms, on pre_tool_use: one",
      "  by second (agent.yaml:12), 12 ms, on pre_tool_use: two",
    ]);
  });

  test("denied: which rule, and how to allow it", () => {
    const block = blockOf("shell", { cmd: "rm" });
    const ending = { outcome: "denied", reason: 'rule "shell:cmd=rm*"', hint: "remove the rule" } as const;
    block.respond(responseOf("shell", "denied", ending));
    expect(block.render(80)).toEqual([
      "✗ shell rm (denied)",
      '  rule "shell:cmd=rm*"',
      "  to allow it: remove the rule",
    ]);
  });

  test("a long reason breaks between words", () => {
    const block = blockOf("shell", { cmd: "rm" });
    block.blocked(blockedBy("files below build are made by the build alone, so delete them with make clean"));
    expect(block.render(40).slice(1)).toEqual([
      "  files below build are made by the ",
      "    build alone, so delete them with ",
      "    make clean",
    ]);
  });

  test("the reason cannot imitate other rows or move the cursor", () => {
    const block = blockOf("shell", { cmd: "rm" });
    block.blocked(blockedBy("no\n✓ shell rm\u001b[1A"));
    expect(block.render(80).slice(1)).toEqual(["  no", "    ✓ shell rm\\x1b[1A"]);
  });

  test.each(CALL_OUTCOMES.filter((outcome) => outcome !== "completed"))("%s is said in words", (outcome) => {
    const block = blockOf("shell", { cmd: "x" });
    block.respond(responseOf("shell", "the reason", { outcome }));
    expect(block.render(80)[0]).toMatch(/^[✗○] shell x \([a-z ]+\)$/);
    expect(block.render(80).slice(1).join()).toContain("the reason");
    expect(block.isDone).toBe(true);
  });

  test("the state stays on the line however long the command is", () => {
    const block = blockOf("shell", { cmd: "x".repeat(300) });
    block.blocked(blockedBy("no"));
    expect(block.render(40)[0]).toBe(`✗ shell ${"x".repeat(22)}… (denied)`);
  });
});

test("rows are made once for each width", () => {
  const block = blockOf("shell", { cmd: "x" });
  block.respond(responseOf("shell", "y"));
  expect(block.render(80)).toBe(block.render(80));
  expect(block.render(40)).not.toBe(block.render(80));
});
