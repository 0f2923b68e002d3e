import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

async function run(
  directory: string,
  name: string,
  input: Record<string, unknown>,
  options: Record<string, unknown> = {},
) {
  return call(await makeToolset("filesystem", directory, options), name, input, toolContext(directory));
}

function put(files: Record<string, string>): string {
  const directory = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
}

const many = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`f${String(index).padStart(3, "0")}`, ""]));

describe("list_directory", () => {
  test("shows one line per entry", async () => {
    expect(await run(put({ "README.me": "", "src/a": "" }), "list_directory", { path: "." })).toEqual({
      text: "FILE README.me\nDIR  src",
    });
    expect((await run(put({ "README.me": "" }), "list_directory", { path: "." })).text).toBe("FILE README.me");
  });

  test("says that a directory is empty", async () => {
    expect(await run(put({}), "list_directory", { path: "." })).toEqual({ text: "The directory is empty" });
  });

  test("shows at most 100 entries and says how many are missing", async () => {
    const lines = (await run(put(many), "list_directory", { path: "." })).text.split("\n");
    expect(lines).toHaveLength(101);
    expect(lines[99]).toBe("FILE f099");
    expect(lines[100]).toBe("... 30 more entries not shown");
  });

  test("is an error for a file and for a missing path", async () => {
    const directory = put({ a: "" });
    expect(await run(directory, "list_directory", { path: "a" })).toEqual({
      text: `Error: ${join(directory, "a")} is not a directory`,
      isError: true,
    });
    expect((await run(directory, "list_directory", { path: "b" })).text).toBe(
      `Error: not found: ${join(directory, "b")}`,
    );
  });
});

describe("directory_tree", () => {
  test("is nested JSON, and links are not followed", async () => {
    const directory = put({ "a/b/c": "", d: "" });
    symlinkSync("..", join(directory, "a/up"));
    expect(JSON.parse((await run(directory, "directory_tree", { path: "." })).text)).toEqual({
      name: basename(directory),
      type: "directory",
      children: [
        {
          name: "a",
          type: "directory",
          children: [
            { name: "b", type: "directory", children: [{ name: "c", type: "file" }] },
            { name: "up", type: "file" },
          ],
        },
        { name: "d", type: "file" },
      ],
    });
  });

  test("holds at most 100 nodes", async () => {
    const { text } = await run(put(many), "directory_tree", { path: "." });
    expect(text.match(/"name"/g)).toHaveLength(100);
  });
});

describe("ignore_vcs", () => {
  const files = {
    ".git/config": "needle",
    ".git/info/exclude": "excluded\n",
    ".gitignore": "*.log\nbuild/\n",
    "a.log": "needle",
    "a.txt": "needle",
    excluded: "needle",
    "build/out.txt": "needle",
    "build/.gitignore": "!out.txt\n",
    "sub/.gitignore": "!keep.log\nlocal\n",
    "sub/keep.log": "needle",
    "sub/other.log": "needle",
    "sub/local": "needle",
  };

  test("leaves out .git and what git ignores", async () => {
    const directory = put(files);
    expect((await run(directory, "list_directory", { path: "." })).text).toBe("FILE .gitignore\nFILE a.txt\nDIR  sub");
    expect((await run(directory, "list_directory", { path: "sub" })).text).toBe("FILE .gitignore\nFILE keep.log");
    expect((await run(directory, "list_directory", { path: "build" })).text).toBe("The directory is empty");
    expect((await run(directory, "directory_tree", { path: "." })).text).not.toContain("other.log");
    expect((await run(directory, "search_files_content", { path: ".", query: "needle" })).text).toBe(
      "a.txt:1:1: needle\nsub/keep.log:1:1: needle",
    );
  });

  test("uses the repository's rules for a directory inside it", async () => {
    const directory = put(files);
    const inner = join(directory, "sub");
    expect((await run(inner, "list_directory", { path: "." })).text).toBe("FILE .gitignore\nFILE keep.log");
  });

  test("an ignore file hides nothing outside a repository", async () => {
    const directory = put({ ".gitignore": "*.log\n", "sub/a.log": "", "sub/b": "" });
    expect((await run(directory, "list_directory", { path: "sub" })).text).toBe("FILE a.log\nFILE b");
  });

  test("the rules of a repository below the listed directory, and not those of the one around it, hold in it", async () => {
    const outer = { ".git/config": "", ".gitignore": "*.log\n" };
    const files = {
      "in/.git/config": "",
      "in/.gitignore": "*.tmp\n",
      "in/a.log": "needle",
      "in/a.tmp": "needle",
      "b.tmp": "needle",
    };
    const query = { path: ".", query: "needle" };
    expect((await run(put(files), "search_files_content", query)).text).toBe("b.tmp:1:1: needle\nin/a.log:1:1: needle");
    expect((await run(put({ ...outer, ...files }), "search_files_content", query)).text).toBe(
      "b.tmp:1:1: needle\nin/a.log:1:1: needle",
    );
  });

  test.each([
    ["a link to a device", (at: string) => symlinkSync("/dev/zero", at), "leads out of"],
    ["a pipe", (at: string) => void Bun.spawnSync(["mkfifo", at]), "is not a regular file"],
    ["a link to a file elsewhere", (at: string) => symlinkSync(join(put({ "*": "*.txt\n" }), "*"), at), "leads out of"],
    ["a file without end", (at: string) => writeFileSync(at, "*.txt\n".repeat(200_000)), "larger than 1 MiB"],
  ])("an ignore file that is %s hides nothing, and a warning says so", async (_name, make, reason) => {
    const directory = put({ ".git/config": "", "a.txt": "" });
    make(join(directory, ".gitignore"));
    const warnings: string[] = [];
    const toolset = await makeToolset("filesystem", directory, {}, { warn: (message) => void warnings.push(message) });
    for (let calls = 0; calls < 2; calls++) {
      const { text } = await call(toolset, "list_directory", { path: "." }, toolContext(directory));
      expect(text).toContain("FILE a.txt");
    }
    expect(warnings).toEqual([expect.stringContaining(`${join(directory, ".gitignore")}: ${reason}`)]);
  });

  test("does not prevent reading a file", async () => {
    expect((await run(put(files), "read_file", { path: "a.log" })).text).toBe("needle");
  });

  test("can be turned off", async () => {
    const { text } = await run(put(files), "list_directory", { path: "." }, { ignore_vcs: false });
    expect(text).toContain("DIR  .git\n");
    expect(text).toContain("FILE a.log");
  });
});
