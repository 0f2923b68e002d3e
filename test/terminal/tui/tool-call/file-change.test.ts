import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileChangeOf } from "../../../../src/terminal/tui/tool-call/file-change.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const FILES = {
  "a.txt": "one\ntwo\n",
  binary: "a\0b",
  large: "x".repeat(1024 * 1024 + 1),
  "secret/key": "s3cret",
  ".agentsignore": "secret/\n",
};

function changeOf(name: string, args: Record<string, unknown>, category = "filesystem", cwd = tempDir(FILES)) {
  return fileChangeOf({ name, category, args }, { cwd, env: {} });
}

describe("write_file", () => {
  test("replaces the text that is in the file", () => {
    expect(changeOf("write_file", { path: "a.txt", content: "new", description: "d" })).toEqual({
      path: "a.txt",
      changes: [{ before: "one\ntwo\n", after: "new", isWhole: true }],
      notes: [],
      shown: ["path", "content"],
    });
  });

  test("of a path where nothing is makes a new file", () => {
    const change = changeOf("write_file", { path: "none/b.txt", content: "new" });
    expect(change?.notes).toEqual(["new file"]);
    expect(change?.changes).toEqual([{ before: undefined, after: "new", isWhole: true }]);
  });

  test.each([
    ["binary", "it is binary"],
    ["large", "larger than 1 MiB"],
    ["secret", "off limits by .agentsignore"],
    ["secret/key", "off limits by .agentsignore"],
    [".", "is a directory"],
    ["/dev/null", "it belongs to the system"],
    ["/proc/self/environ", "it belongs to the system"],
    ["", "the path is blank"],
  ])("of %p does not claim a new file: %s", (path, reason) => {
    const change = changeOf("write_file", { path, content: "new" });
    expect(change?.notes.join()).toStartWith("the file's present content is not shown: ");
    expect(change?.notes.join()).toContain(reason);
    expect(change?.changes).toEqual([{ before: undefined, after: "new", isWhole: true }]);
  });

  test("does not wait for a FIFO, follow a broken link or claim that an unreadable file is new", () => {
    const cwd = tempDir({ locked: "x" });
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    symlinkSync("nowhere", join(cwd, "broken"));
    symlinkSync("pipe", join(cwd, "to-pipe"));
    chmodSync(join(cwd, "locked"), 0);
    for (const path of ["pipe", "to-pipe"]) {
      const change = changeOf("write_file", { path, content: "new" }, "filesystem", cwd);
      expect(change?.notes).toEqual(["the file's present content is not shown: is not a regular file"]);
    }
    // The tool writes through a broken link, to a file that does not exist.
    expect(changeOf("write_file", { path: "broken", content: "new" }, "filesystem", cwd)?.notes).toEqual(["new file"]);
    if (process.getuid?.() !== 0) {
      const change = changeOf("write_file", { path: "locked", content: "new" }, "filesystem", cwd);
      expect(change?.notes).toEqual(["the file's present content is not shown: permission denied"]);
    }
  });

  test("that has run reads no file", () => {
    const change = fileChangeOf({ name: "write_file", category: "filesystem", args: { path: "a", content: "b" } });
    expect(change?.notes).toEqual(["the file's present content is not shown: the call has run"]);
  });
});

describe("edit_file", () => {
  const edit = (oldText: string, newText: string) => ({ oldText, newText });

  test("applies the edits in order, each to the first occurrence", () => {
    const change = changeOf("edit_file", { path: "a.txt", edits: [edit("o", "0"), edit("o", "O"), edit("0ne", "1")] });
    expect(change?.changes).toEqual([{ before: "one\ntwo\n", after: "1\ntwO\n", isWhole: true }]);
    expect(change?.notes).toEqual([]);
    expect(change?.shown).toEqual(["path", "edits"]);
  });

  test.each([
    ["a.txt", edit("three", "3"), "the old text of edit 1 is not in the file"],
    ["a.txt", edit("", "3"), "the old text of edit 1 is not in the file"],
    ["none.txt", edit("one", "1"), "the file does not exist"],
    ["binary", edit("a", "1"), "the rest of the file is not shown: it is binary"],
  ])("of %s that cannot be applied shows the edits: %j", (path, one, note) => {
    const change = changeOf("edit_file", { path, edits: [one] });
    expect(change?.notes).toEqual([note]);
    expect(change?.changes).toEqual([{ before: one.oldText, after: one.newText, isWhole: false }]);
  });

  test.each([
    [[]],
    [[{ oldText: "a" }]],
    [[{ oldText: "a", newText: "b" }, {}]],
    [[{ oldText: "a", newText: "b", everywhere: true }]],
    ["text"],
  ])("with edits of another shape shows its arguments instead: %j", (edits) => {
    expect(changeOf("edit_file", { path: "a.txt", edits })).toBeUndefined();
  });
});

describe("a tool of another maker", () => {
  test.each([
    [
      { file_path: "a.txt", old_string: "one", new_string: "1", replace_all: true },
      ["file_path", "old_string", "new_string"],
    ],
    [{ path: "a.txt", old_str: "one", new_str: "1" }, ["path", "old_str", "new_str"]],
    [{ path: "a.txt", edits: [{ oldText: "one", newText: "1" }], dryRun: false }, ["path", "edits"]],
  ])("with old and new text shows them without reading the file: %j", (args, shown) => {
    const change = changeOf("fs_edit", args, "mcp");
    expect(change?.changes).toEqual([{ before: "one", after: "1", isWhole: false }]);
    expect(change?.notes).toEqual([]);
    expect(change?.shown).toEqual(shown);
  });

  test.each([
    ["write_file", { path: "a.txt", content: "x" }],
    ["edit_file", { path: "a.txt", old_string: "x" }],
    ["translate", { oldText: "x", newText: "y" }],
  ])("is no change of a file if it is not sure: %s %j", (name, args) => {
    expect(changeOf(name, args, "mcp")).toBeUndefined();
  });
});
