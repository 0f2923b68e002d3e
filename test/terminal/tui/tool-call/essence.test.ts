import { describe, expect, test } from "bun:test";
import { argumentsOf, essenceOf } from "../../../../src/terminal/tui/tool-call/essence.ts";

describe("the essence of a call", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["shell", { cmd: "npm test" }, "npm test"],
    ["shell", { cmd: "make\nmake install\n", cwd: "sub" }, "make (in sub) … +1 line"],
    ["shell", { cmd: "ls", cwd: "sub" }, "ls (in sub)"],
    ["run_background_job", { cmd: "npm start" }, "npm start"],
    ["view_background_job", { job_id: "job_1" }, "job_1"],
    ["read_file", { path: "a.ts" }, "a.ts"],
    ["read_file", { path: "a.ts", line: 10, limit: 20 }, "a.ts:10-29"],
    ["read_file", { path: "a.ts", line: 10 }, "a.ts:10-"],
    ["read_file", { path: "a.ts", limit: 20 }, "a.ts:1-20"],
    ["read_multiple_files", { paths: ["a.ts", "b.ts"] }, "a.ts, b.ts"],
    ["write_file", { path: "a.ts", content: "one\ntwo\n" }, "a.ts"],
    ["edit_file", { path: "a.ts", edits: [{ oldText: "a", newText: "b" }] }, "a.ts"],
    ["edit_file", { path: "a.ts", edits: [{}, {}] }, "a.ts"],
    ["search_files_content", { path: "src", query: 'say "hi"' }, '"say \\"hi\\"" in src'],
    ["create_directory", { paths: ["a", "b"] }, "a, b"],
    [
      "fetch",
      { urls: ["https://example.com/a", "https://example.com/b"], format: "text" },
      "https://example.com/a, https://example.com/b",
    ],
    ["think", { thought: "first\nsecond\nthird" }, "first … +2 lines"],
    ["create_todos", { descriptions: ["one", "two"] }, "one, two"],
    ["update_todos", { updates: [{ id: "todo_1", status: "completed" }] }, "todo_1 → completed"],
    ["list_todos", {}, ""],
    ["update_memory", { id: "7", memory: "likes tea" }, "7: likes tea"],
    ["transfer_task", { agent: "writer", task: "write it", expected_output: "text" }, "writer: write it"],
    ["run_background_agent", { agent: "writer", task: "write it" }, "writer: write it"],
    ["read_skill_file", { skill_name: "pdf", path: "a.md" }, "pdf: a.md"],
    ["github_create_issue", { body: "b", title: "T", labels: ["x", "y"] }, "T, body: b, labels: x, y"],
    ["unknown_tool", { depth: 2, deep: { a: [1] } }, 'depth: 2, deep: {"a":[1]}'],
    ["unknown_tool", { mode: "r", file: "a" }, "a, mode: r"],
    ["unknown_tool", { only: "this" }, "this"],
    ["toString", { path: "p" }, "p"],
  ])("%s %j: %s", (name, args, essence) => {
    expect(essenceOf(name, args)).toBe(essence);
  });

  test("arguments of the wrong type are shown, not lost", () => {
    expect(essenceOf("shell", { cmd: ["ls", "-la"] })).toBe("ls, -la");
    expect(essenceOf("read_file", { path: 7, line: "x" })).toBe("7");
    expect(essenceOf("shell", { script: "ls" })).toBe("ls");
    expect(essenceOf("update_todos", { updates: ["x"] })).toBe("x");
  });

  test("paths below the working directory are relative to it", () => {
    expect(essenceOf("read_file", { path: "/home/me/p/src/a.ts" }, "/home/me/p")).toBe("src/a.ts");
    expect(essenceOf("read_multiple_files", { paths: ["/home/me/p/a", "/etc/b"] }, "/home/me/p/")).toBe("a, /etc/b");
    expect(essenceOf("read_file", { path: "/home/me/private" }, "/home/me/p")).toBe("/home/me/private");
    expect(essenceOf("list_directory", { path: "/home/me/p" }, "/home/me/p")).toBe("/home/me/p");
  });

  test("control characters are escaped, and a long text is cut", () => {
    expect(essenceOf("shell", { cmd: "a\u001b[2Kb\u202e" })).toBe("a\\x1b[2Kb\\u202e");
    expect(essenceOf("shell", { cmd: "x".repeat(1000) })).toBe(`${"x".repeat(400)}…`);
  });

  test("arguments that are no JSON object are shown as the model wrote them", () => {
    expect(essenceOf("shell", argumentsOf('{"cmd": '))).toBe('{"cmd":');
    expect(essenceOf("x", argumentsOf('{"cmd": '))).toBe('{"cmd":');
    expect(argumentsOf("")).toEqual({});
    expect(argumentsOf('["a"]')).toEqual({ "": '["a"]' });
  });
});
