import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../../src/lib/env.ts";
import { emptyPng, jpeg, PDF, png, wav } from "../../helpers/images.ts";
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
  test("returns the whole file unchanged", async () => {
    expect(await read(workspace({ "a.txt": TEN }), { path: "a.txt" })).toEqual({ text: TEN });
  });

  test.each([
    [{ line: 5, limit: 2 }, "l5\nl6"],
    [{ line: 9 }, "l9\nl10"],
    [{ limit: 1 }, "l1"],
    [{ line: 10, limit: 50 }, "l10"],
  ])("returns the requested lines: %p", async (range, text) => {
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

  test("returns an image as an attachment", async () => {
    const directory = workspace({ "dot.PNG": Buffer.from(PNG, "base64") });
    const result = await read(directory, { path: "dot.PNG" });
    expect(result).toEqual({
      text: "dot.PNG: image/png, 1 x 1 pixels, 70 bytes",
      attachments: [{ mimeType: "image/png", data: PNG, name: "dot.PNG" }],
    });
    const partly = await read(directory, { path: "dot.PNG", line: 1 });
    expect(partly).toEqual({ text: "Error: dot.PNG is an image: line and limit do not apply", isError: true });
  });

  test("takes the type of a file from its bytes, not from its extension", async () => {
    const directory = workspace({
      "photo.png": await jpeg(4, 4),
      "notes.png": "only text\n",
      "drawing.svg": "<svg/>",
      "paper.txt": PDF,
      "empty.png": "",
      "sound.bin": wav(),
    });
    expect((await read(directory, { path: "photo.png" })).attachments?.[0]?.mimeType).toBe("image/jpeg");
    expect(await read(directory, { path: "notes.png" })).toEqual({ text: "only text\n" });
    expect(await read(directory, { path: "drawing.svg" })).toEqual({ text: "<svg/>" });
    expect(await read(directory, { path: "empty.png" })).toEqual({ text: "" });
    expect(await read(directory, { path: "paper.txt" })).toEqual({
      text: `paper.txt: application/pdf, ${PDF.length} bytes`,
      attachments: [{ mimeType: "application/pdf", data: PDF.toString("base64"), name: "paper.txt" }],
    });
    expect((await read(directory, { path: "sound.bin" })).attachments?.[0]?.mimeType).toBe("audio/wav");
  });

  test("scales a large image down and says so", async () => {
    const directory = workspace({ "wide.png": png(3000, 300) });
    const { text, attachments } = await read(directory, { path: "wide.png" });
    expect(text).toMatch(
      /^wide.png: image\/png, 2000 x 200 pixels, [\d.]+ kB; made from image\/png, 3000 x 300 pixels, [\d.]+ kB$/,
    );
    const sent = Buffer.from(attachments?.[0]?.data ?? "", "base64");
    expect(await new Bun.Image(sent).metadata()).toEqual({ width: 2000, height: 200, format: "png" });
  });

  test.each([
    [
      "an image that is cut off",
      png(20, 20).subarray(0, 60),
      "is an image that cannot be shown: it is damaged or cut off",
    ],
    [
      "a header without an image",
      emptyPng(60_000, 60_000),
      "is an image that cannot be shown: it has 60000 x 60000 pixels",
    ],
    [
      "a video",
      Buffer.from("\0\0\0\x20ftypisom"),
      "is a video that cannot be shown: models cannot be shown video/mp4, 12 bytes",
    ],
    ["a program", Buffer.from("\x7fELF\0\0"), "is a binary file that cannot be shown"],
    [
      "a PDF of 13 MB",
      Buffer.concat([PDF, Buffer.alloc(13_000_000)]),
      "is a document that cannot be shown: application/pdf, 13.0 MB: larger than 12.0 MB",
    ],
  ])("refuses %s", async (_what, bytes, problem) => {
    const directory = workspace({ "file.jpg": bytes });
    const { text, isError, attachments } = await read(directory, { path: "file.jpg" });
    expect(text).toStartWith(`Error: file.jpg ${problem}`);
    expect([isError, attachments]).toEqual([true, undefined]);
  });

  test("names the full path of a missing file", async () => {
    const directory = workspace({ file: "" });
    for (const path of ["gone.txt", "file/below"]) {
      const result = await read(directory, { path });
      expect(result).toEqual({ text: `Error: not found: ${join(directory, path)}`, isError: true });
    }
  });

  test("refuses a directory and other non-regular files", async () => {
    const directory = workspace({});
    expect((await read(directory, { path: "." })).text).toContain("is a directory");
    expect((await read(directory, { path: "/dev/null" })).text).toContain("is not a regular file");
  });

  test("understands the home directory", async () => {
    const directory = workspace({ "a.txt": "home" });
    const env = { ...processEnv(), HOME: directory };
    expect((await read("/", { path: "~/a.txt" }, "read_file", env)).text).toBe("home");
  });

  test.each(["C:\\Users\\a.txt", "c:/a.txt", "\\\\server\\share"])(
    "refuses %s, which means another system",
    async (path) => {
      expect((await read(workspace({}), { path })).text).toContain("another operating system");
    },
  );

  test("reads a file that only looks like a path of another system", async () => {
    expect((await read(workspace({ "C:\\a.txt": "here" }), { path: "./C:\\a.txt" })).text).toBe("here");
  });

  test("refuses a blank path and one with a NUL", async () => {
    expect((await read(workspace({}), { path: " " })).text).toBe("Error: the path is blank");
    expect((await read(workspace({}), { path: "a\0b" })).isError).toBe(true);
  });

  test("fails on a cycle of links", async () => {
    const directory = workspace({});
    symlinkSync("b", join(directory, "a"));
    symlinkSync("a", join(directory, "b"));
    expect((await read(directory, { path: "a" })).text).toContain("too many symbolic links");
  });
});

describe("read_multiple_files", () => {
  test("returns a block for each file, also for errors", async () => {
    const directory = workspace({ a: "one\n", b: "two" });
    expect(await read(directory, { paths: ["a", "gone", "b"] }, "read_multiple_files")).toEqual({
      text: `=== a ===\none\n\n\n=== gone ===\nError: not found: ${join(directory, "gone")}\n\n=== b ===\ntwo`,
    });
  });

  test("returns a JSON array if json is true", async () => {
    const directory = workspace({ a: "one" });
    mkdirSync(join(directory, "d"));
    const { text } = await read(directory, { paths: ["a", "d"], json: true }, "read_multiple_files");
    expect(JSON.parse(text)).toEqual([
      { path: "a", content: "one" },
      { path: "d", content: `Error: ${join(directory, "d")}: is a directory` },
    ]);
  });

  test("accepts a list sent as text", async () => {
    expect((await read(workspace({ a: "one" }), { paths: '["a"]' }, "read_multiple_files")).text).toBe(
      "=== a ===\none",
    );
  });
});
