import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { redactText } from "../../../src/redaction/redact.ts";
import type { ToolContext } from "../../../src/tools/tool.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

async function run(
  directory: string,
  name: string,
  input: Record<string, unknown>,
  options: Record<string, unknown> = {},
) {
  return call(await makeToolset("filesystem", directory, options), name, input, toolContext(directory));
}

describe("write_file", () => {
  test("writes a file and its parent directories, and reports the size", async () => {
    const directory = temporaryDirectory();
    const result = await run(directory, "write_file", { path: "a/b/c.txt", content: "héllo" });
    expect(result).toEqual({ text: "File written successfully: a/b/c.txt (6 bytes)" });
    expect(readFileSync(join(directory, "a/b/c.txt"), "utf8")).toBe("héllo");
  });

  test("replaces an existing file", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "f"), "a long old content");
    await run(directory, "write_file", { path: "f", content: "new" });
    expect(readFileSync(join(directory, "f"), "utf8")).toBe("new");
  });

  test("does not wait for the reader of a pipe, and does not write to a device", async () => {
    const directory = temporaryDirectory();
    Bun.spawnSync(["mkfifo", join(directory, "pipe")]);
    for (const path of ["pipe", "/dev/null"]) {
      const result = await run(directory, "write_file", { path, content: "x" });
      expect(result).toMatchObject({ isError: true, text: expect.stringContaining("is not a regular file") });
    }
  });

  test("is an error if a parent is a file", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "f"), "");
    expect((await run(directory, "write_file", { path: "f/g", content: "" })).isError).toBe(true);
  });
});

describe("edit_file", () => {
  async function edit(content: string | Buffer, edits: unknown) {
    const directory = temporaryDirectory();
    const file = join(directory, "f");
    writeFileSync(file, content);
    return { ...(await run(directory, "edit_file", { path: "f", edits })), file: readFileSync(file) };
  }

  test("replaces the first occurrence, literally", async () => {
    const result = await edit("a.c abc abc", [{ oldText: "abc", newText: "$&$1" }]);
    expect(result.file.toString()).toBe("a.c $&$1 abc");
    expect(result.text).toBe("File edited successfully. Replaced 3 characters");
  });

  test("applies edits in order, each to the result of the previous one", async () => {
    const result = await edit("one", [
      { oldText: "one", newText: "two two" },
      { oldText: "two", newText: "thrée" },
      { oldText: "thrée", newText: "3" },
    ]);
    expect(result.file.toString()).toBe("3 two");
    expect(result.text).toBe(
      "File edited successfully:\n1. Replaced 3 characters\n2. Replaced 3 characters\n3. Replaced 5 characters",
    );
  });

  test("changes nothing if an old text is not found", async () => {
    const result = await edit("one two", [
      { oldText: "one", newText: "1" },
      { oldText: "three", newText: "3" },
    ]);
    expect(result.isError).toBe(true);
    expect(result.text).toBe("Error: edit 2: oldText was not found; nothing was changed");
    expect(result.file.toString()).toBe("one two");
  });

  test("refuses an empty old text and an empty list", async () => {
    expect(await edit("x", [{ oldText: "", newText: "y" }])).toMatchObject({ isError: true, file: Buffer.from("x") });
    expect((await edit("x", [])).text).toBe("Error: edits is empty");
  });

  test("accepts the edits as JSON text, or a single edit", async () => {
    expect((await edit("one", JSON.stringify([{ oldText: "one", newText: "two" }]))).file.toString()).toBe("two");
    expect((await edit("one", { oldText: "one", newText: "two" })).file.toString()).toBe("two");
  });

  test("names an argument that is missing inside an edit", async () => {
    expect((await edit("one", [{ oldText: "one" }])).text).toBe("Invalid arguments: edits.0.newText is missing");
  });

  test("keeps a byte-order mark and line ends", async () => {
    expect((await edit("\uFEFFone\r\ntwo\r\n", [{ oldText: "two", newText: "2" }])).file.toString()).toBe(
      "\uFEFFone\r\n2\r\n",
    );
  });

  test("does not change a file that is not text", async () => {
    const bytes = Buffer.from([0x61, 0xff, 0x62]);
    expect(await edit(bytes, [{ oldText: "a", newText: "b" }])).toMatchObject({ isError: true, file: bytes });
  });

  test("is an error for a missing file", async () => {
    const directory = temporaryDirectory();
    const result = await run(directory, "edit_file", { path: "gone", edits: [{ oldText: "a", newText: "b" }] });
    expect(result).toEqual({ text: `Error: not found: ${join(directory, "gone")}`, isError: true });
  });
});

describe("directories", () => {
  test("are created with their parents", async () => {
    const directory = temporaryDirectory();
    const result = await run(directory, "create_directory", { paths: ["a/b", "c"] });
    expect(result).toEqual({ text: "Directory created successfully: a/b\nDirectory created successfully: c" });
    expect(existsSync(join(directory, "a/b"))).toBe(true);
  });

  test("are removed when empty, and only then", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "full/inner"), { recursive: true });
    mkdirSync(join(directory, "empty"));
    const result = await run(directory, "remove_directory", { paths: ["full", "empty"] });
    expect(result.isError).toBe(true);
    expect(result.text).toContain("ENOTEMPTY");
    expect(result.text).toContain("Directory removed successfully: empty");
    expect(existsSync(join(directory, "full/inner"))).toBe(true);
    expect(existsSync(join(directory, "empty"))).toBe(false);
  });

  test("are not removed through a link, and files are never removed", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "target"));
    symlinkSync("target", join(directory, "link"));
    writeFileSync(join(directory, "file"), "");
    const result = await run(directory, "remove_directory", { paths: ["link", "file"] });
    expect(result.isError).toBe(true);
    expect(existsSync(join(directory, "target"))).toBe(true);
    expect(existsSync(join(directory, "file"))).toBe(true);
  });

  test("must be named", async () => {
    expect((await run(temporaryDirectory(), "create_directory", { paths: [] })).text).toBe("Error: paths is empty");
  });
});

describe("post_edit", () => {
  const options = {
    post_edit: [
      { path: "*.txt", cmd: 'echo "$file" >> log' },
      { path: "src/**/*.go", cmd: "echo go >> log" },
    ],
  };
  const log = (directory: string) =>
    existsSync(join(directory, "log")) ? readFileSync(join(directory, "log"), "utf8") : "";

  test("runs after a write and after an edit, with the file's absolute path", async () => {
    const directory = temporaryDirectory();
    await run(directory, "write_file", { path: "sub/a.txt", content: "one" }, options);
    await run(directory, "edit_file", { path: "sub/a.txt", edits: [{ oldText: "one", newText: "two" }] }, options);
    expect(log(directory)).toBe(`${join(directory, "sub/a.txt")}\n`.repeat(2));
  });

  test("matches the path from the working directory when the glob has a slash", async () => {
    const directory = temporaryDirectory();
    await run(directory, "write_file", { path: "src/deep/a.go", content: "" }, options);
    await run(directory, "write_file", { path: "other/a.go", content: "" }, options);
    expect(log(directory)).toBe("go\n");
  });

  test("does not run after a failed edit", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "a.txt"), "one");
    await run(directory, "edit_file", { path: "a.txt", edits: [{ oldText: "two", newText: "" }] }, options);
    expect(log(directory)).toBe("");
  });

  test("a failure says that the file was changed", async () => {
    const directory = temporaryDirectory();
    const failing = { post_edit: [{ path: "*", cmd: "echo bad format; exit 4" }] };
    const result = await run(directory, "write_file", { path: "a", content: "x" }, failing);
    expect(result.isError).toBe(true);
    expect(result.text).toStartWith("File written successfully: a (1 bytes)\n");
    expect(result.text).toContain("exit status 4\nOutput: bad format");
    expect(existsSync(join(directory, "a"))).toBe(true);
  });
});

describe("a file whose secrets the model was shown as [REDACTED]", () => {
  const KEY = ["AKIA", "QYLPMN5HHHFPZAM2"].join("");
  const ENV = `# settings\nREGION=eu\nAWS_KEY=${KEY}\n`;
  const SHOWN = redactText(ENV);

  const redact = async (text: string) => redactText(text);

  async function change(name: string, content: string, input: object, more: Partial<ToolContext> = { redact }) {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "f"), content);
    const toolset = await makeToolset("filesystem", directory);
    const result = await call(toolset, name, { path: "f", ...input }, toolContext(directory, more));
    return { ...result, file: readFileSync(join(directory, "f"), "utf8") };
  }
  const write = (content: string, written: string) => change("write_file", content, { content: written });
  const edit = (content: string, ...edits: [string, string][]) =>
    change("edit_file", content, { edits: edits.map(([oldText, newText]) => ({ oldText, newText })) });

  test("the samples hold a secret and its mark", () => {
    expect(SHOWN).toBe("# settings\nREGION=eu\nAWS_KEY=[REDACTED]\n");
  });

  test("is not overwritten with the redacted text, and the error says why", async () => {
    const result = await write(ENV, SHOWN.replace("eu", "us"));
    expect(result).toMatchObject({
      isError: true,
      file: ENV,
      text: expect.stringMatching(
        /was not written: .*\[REDACTED\].* would destroy the secret; change the file with edit_file/,
      ),
    });
  });

  test.each([
    ["a mark in oldText", [[SHOWN, "x"]], /oldText holds \[REDACTED\], which you were shown instead of a secret/],
    [
      "a mark in newText",
      [["REGION=eu", "REGION=eu\nAWS_KEY=[REDACTED]"]],
      /newText holds \[REDACTED\], .* the file holds a secret, and the mark would destroy it/,
    ],
    [
      "a mark in the second edit",
      [
        ["eu", "us"],
        ["AWS_KEY=[REDACTED]", "AWS_KEY=[REDACTED] # ours"],
      ],
      /edit 2: oldText holds \[REDACTED\]/,
    ],
  ] as [string, [string, string][], RegExp][])("is not edited with %s", async (_name, edits, message) => {
    const result = await edit(ENV, ...edits);
    expect(result).toMatchObject({ isError: true, file: ENV });
    expect(result.text).toMatch(message);
    expect(result.text).toContain("nothing was changed");
  });

  test("can be edited around its secrets, and its secrets can be removed", async () => {
    expect((await edit(ENV, ["REGION=eu", "REGION=us"])).file).toBe(ENV.replace("eu", "us"));
    expect((await write(ENV, "REGION=us\n")).file).toBe("REGION=us\n");
  });

  test("can keep lines with marks that it already contains", async () => {
    const mixed = `${ENV}# keys are shown as [REDACTED]\n`;
    expect((await write(mixed, "REGION=us\n# keys are shown as [REDACTED]\n")).file).toBe(
      "REGION=us\n# keys are shown as [REDACTED]\n",
    );
    expect((await edit(mixed, ["# keys are shown as [REDACTED]", "# keys look like [REDACTED]"])).file).toContain(
      "# keys look like [REDACTED]",
    );
    expect((await write(mixed, redactText(mixed))).isError).toBe(true);
    const alike = `${ENV}AWS_KEY=[REDACTED]\n`;
    expect(await write(alike, redactText(alike))).toMatchObject({ isError: true, file: alike });
  });

  test("that contains no secret accepts any mark, and the result mentions it", async () => {
    const docs = "Secrets are replaced.\n";
    const note = /\nNote: the text holds \[REDACTED\] once, and it was written like that\./;
    const written = await write(docs, "Secrets become [REDACTED].\n");
    expect(written).toMatchObject({ file: "Secrets become [REDACTED].\n", text: expect.stringMatching(note) });
    expect(await edit(docs, ["replaced", "shown as [REDACTED]"])).toMatchObject({
      file: "Secrets are shown as [REDACTED].\n",
      text: expect.stringMatching(note),
    });
    const kept = await edit("Shown as [REDACTED].", ["as [REDACTED]", "like [REDACTED]"]);
    expect([kept.file, kept.text]).toEqual([
      "Shown like [REDACTED].",
      "File edited successfully. Replaced 13 characters",
    ]);
  });

  test("is written unchanged if redaction is off", async () => {
    const result = await change("write_file", ENV, { content: SHOWN }, {});
    expect([result.file, result.isError]).toEqual([SHOWN, undefined]);
    expect(result.text).toEndWith("bytes)");
  });
});
