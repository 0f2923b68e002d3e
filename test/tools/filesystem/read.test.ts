import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../../src/lib/env.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

/** The smallest PNG: one transparent pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

function workspace(files: Record<string, string | Buffer>): string {
  const directory = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return directory;
}

async function read(directory: string, input: Record<string, unknown>, name = "read_file", env = processEnv()) {
  return call(await makeToolset("filesystem", directory, {}, { env }), name, input, toolContext(directory, { env }));
}

const TEN = "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\n";

describe("read_file", () => {
  test("gives the whole file as it is", async () => {
    expect(await read(workspace({ "a.txt": TEN }), { path: "a.txt" })).toEqual({ text: TEN });
  });

  test.each([
    [{ line: 5, limit: 2 }, "l5\nl6"],
    [{ line: 9 }, "l9\nl10"],
    [{ limit: 1 }, "l1"],
    [{ line: 10, limit: 50 }, "l10"],
  ])("gives the lines asked for: %p", async (range, text) => {
    expect(await read(workspace({ "a.txt": TEN }), { path: "a.txt", ...range })).toEqual({ text });
  });

  test.each([
    [{ line: 0 }, "line must be at least 1"],
    [{ limit: 0 }, "limit must be at least 1"],
    [{ line: -3 }, "line must be at least 1"],
    [{ line: 11 }, "line 11 is past the end"],
    [{ line: 1.5 }, "line: Invalid integer"],
  ])("refuses %p", async (range, problem) => {
    const result = await read(workspace({ "a.txt": TEN }), { path: "a.txt", ...range });
    expect(result.isError).toBe(true);
    expect(result.text).toContain(problem);
  });

  test("gives an image as an attachment", async () => {
    const directory = workspace({ "dot.PNG": Buffer.from(PNG, "base64") });
    const result = await read(directory, { path: "dot.PNG" });
    expect(result.attachments).toEqual([{ mimeType: "image/png", data: PNG, name: "dot.PNG" }]);
    expect(result.isError).toBeUndefined();
    expect((await read(directory, { path: "dot.PNG", line: 1 })).isError).toBe(true);
  });

  test("names the place where a missing file was looked for", async () => {
    const directory = workspace({ file: "" });
    for (const path of ["gone.txt", "file/below"]) {
      const result = await read(directory, { path });
      expect(result).toEqual({ text: `Error: not found: ${join(directory, path)}`, isError: true });
    }
  });

  test("refuses a directory and whatever is no regular file", async () => {
    const directory = workspace({});
    expect((await read(directory, { path: "." })).text).toContain("is a directory");
    expect((await read(directory, { path: "/dev/null" })).text).toContain("is not a regular file");
  });

  test("knows the home directory", async () => {
    const directory = workspace({ "a.txt": "home" });
    const env = { ...processEnv(), HOME: directory };
    expect((await read("/", { path: "~/a.txt" }, "read_file", env)).text).toBe("home");
  });

  test.each(["C:\\Users\\a.txt", "c:/a.txt", "\\\\server\\share"])("refuses %s, which means another system", async (path) => {
    expect((await read(workspace({}), { path })).text).toContain("another operating system");
  });

  test("reads a file that only looks like a path of another system", async () => {
    expect((await read(workspace({ "C:\\a.txt": "here" }), { path: "./C:\\a.txt" })).text).toBe("here");
  });

  test("refuses a blank path and one with a NUL", async () => {
    expect((await read(workspace({}), { path: " " })).text).toBe("Error: the path is blank");
    expect((await read(workspace({}), { path: "a\0b" })).isError).toBe(true);
  });

  test("gives up on links that go in circles", async () => {
    const directory = workspace({});
    symlinkSync("b", join(directory, "a"));
    symlinkSync("a", join(directory, "b"));
    expect((await read(directory, { path: "a" })).text).toContain("too many symbolic links");
  });
});

describe("read_multiple_files", () => {
  test("gives each file its block, errors too", async () => {
    const directory = workspace({ a: "one\n", b: "two" });
    expect(await read(directory, { paths: ["a", "gone", "b"] }, "read_multiple_files")).toEqual({
      text: `=== a ===\none\n\n\n=== gone ===\nError: not found: ${join(directory, "gone")}\n\n=== b ===\ntwo`,
    });
  });

  test("gives a JSON array on demand", async () => {
    const directory = workspace({ a: "one" });
    mkdirSync(join(directory, "d"));
    const { text } = await read(directory, { paths: ["a", "d"], json: true }, "read_multiple_files");
    expect(JSON.parse(text)).toEqual([
      { path: "a", content: "one" },
      { path: "d", content: `Error: ${join(directory, "d")}: is a directory` },
    ]);
  });

  test("takes a list that came as text", async () => {
    expect((await read(workspace({ a: "one" }), { paths: '["a"]' }, "read_multiple_files")).text).toBe("=== a ===\none");
  });
});
