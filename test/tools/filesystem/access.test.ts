import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ConfigError } from "../../../src/lib/errors.ts";
import type { ToolResult } from "../../../src/tools/tool.ts";
import { settled } from "../../helpers/settled.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

async function run(
  directory: string,
  name: string,
  input: Record<string, unknown>,
  options: Record<string, unknown> = {},
) {
  return call(await makeToolset("filesystem", directory, options), name, input, toolContext(directory));
}

function put(directory: string, files: Record<string, string>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
}

function refused(result: ToolResult, reason: string): void {
  expect(result.text).toContain(reason);
  expect(result.isError).toBe(true);
}

describe(".agentsignore", () => {
  const files = {
    ".agentsignore": "*.key\nvault/\n!public.key\n",
    "a.key": "KEY",
    "public.key": "open",
    "vault/x": "KEY",
    "ok.txt": "fine",
  };

  test("refuses the files that it lists under any spelling, for reading and writing", async () => {
    const directory = put(temporaryDirectory(), files);
    symlinkSync("a.key", join(directory, "harmless"));
    symlinkSync("vault", join(directory, "safe"));
    const spellings = [
      "a.key",
      "./a.key",
      "sub/../a.key",
      join(directory, "a.key"),
      `../${basename(directory)}/a.key`,
      "harmless",
      "vault/x",
      "safe/x",
      "vault",
    ];
    for (const path of spellings) {
      refused(await run(directory, "read_file", { path }), ".agentsignore");
      refused(await run(directory, "write_file", { path, content: "" }), ".agentsignore");
    }
    expect(readFileSync(join(directory, "a.key"), "utf8")).toBe("KEY");
  });

  test("refuses a path that does not exist yet if it would be listed", async () => {
    const directory = put(temporaryDirectory(), files);
    refused(await run(directory, "write_file", { path: "new.key", content: "" }), ".agentsignore");
    refused(await run(directory, "create_directory", { paths: ["vault/sub"] }), ".agentsignore");
    symlinkSync("future.key", join(directory, "dangling"));
    refused(await run(directory, "write_file", { path: "dangling", content: "" }), ".agentsignore");
    expect(existsSync(join(directory, "future.key"))).toBe(false);
  });

  test("allows a path that a line with ! names", async () => {
    expect(await run(put(temporaryDirectory(), files), "read_file", { path: "public.key" })).toEqual({ text: "open" });
  });

  test("protects itself, and a nearer file cannot take its place", async () => {
    const directory = put(temporaryDirectory(), files);
    refused(await run(directory, "read_file", { path: ".agentsignore" }), ".agentsignore");
    refused(await run(directory, "write_file", { path: "sub/.agentsignore", content: "" }), ".agentsignore");
    refused(
      await run(directory, "edit_file", { path: ".agentsignore", edits: [{ oldText: "vault/", newText: "" }] }),
      ".agentsignore",
    );
  });

  test("hides from listing, tree and search", async () => {
    const directory = put(temporaryDirectory(), files);
    symlinkSync("a.key", join(directory, "harmless"));
    expect((await run(directory, "list_directory", { path: "." })).text).toBe("FILE ok.txt\nFILE public.key");
    expect((await run(directory, "directory_tree", { path: "." })).text).not.toMatch(
      /a\.key|vault|harmless|agentsignore/,
    );
    expect((await run(directory, "search_files_content", { path: ".", query: "KEY" })).text).toBe("No results found");
    refused(await run(directory, "search_files_content", { path: "a.key", query: "KEY" }), ".agentsignore");
  });

  test("is taken from the nearest directory that has one", async () => {
    const directory = put(temporaryDirectory(), {
      ".agentsignore": "/deep/secret\n",
      "deep/secret": "KEY",
      "deep/deep/secret": "fine",
    });
    const inner = join(directory, "deep");
    refused(await run(inner, "read_file", { path: "secret" }), ".agentsignore");
    expect((await run(inner, "read_file", { path: "deep/secret" })).text).toBe("fine");
  });

  test.each([
    ["a pipe", (at: string) => void Bun.spawnSync(["mkfifo", at]), "is not a regular file"],
    ["a link to a device", (at: string) => symlinkSync("/dev/zero", at), "leads out of"],
    [
      "a link to an empty file elsewhere",
      (at: string) => symlinkSync(join(put(temporaryDirectory(), { none: "" }), "none"), at),
      "leads out of",
    ],
    ["a file in UTF-16", (at: string) => writeFileSync(at, Buffer.from("\ufeff*.key\n", "utf16le")), "not UTF-8 text"],
    [
      "a file of more than a mebibyte",
      (at: string) => writeFileSync(at, "*.key\n".repeat(200_000)),
      "larger than 1 MiB",
    ],
  ])("that is %s keeps the toolset from starting without its rules", async (_name, make, reason) => {
    const directory = temporaryDirectory();
    make(join(directory, ".agentsignore"));
    const path = `${join(directory, ".agentsignore")}: `;
    expect(await settled(makeToolset("filesystem", directory))).toThrow(path);
    expect(await settled(makeToolset("filesystem", directory))).toThrow(reason);
    // A call in another working directory of the session is judged by that one's file.
    const elsewhere = await makeToolset("filesystem", temporaryDirectory());
    refused(await call(elsewhere, "read_file", { path: "a" }, toolContext(directory)), reason);
  });

  test("that cannot be read keeps the toolset from starting", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, ".agentsignore"));
    expect(await settled(makeToolset("filesystem", directory))).toThrow(ConfigError);
    const other = temporaryDirectory();
    symlinkSync("gone", join(other, ".agentsignore"));
    expect(await settled(makeToolset("filesystem", other))).toThrow(ConfigError);
  });
});

describe("allow_list", () => {
  test("allows the paths inside it and refuses the rest", async () => {
    const directory = put(temporaryDirectory(), { "in/a": "inside", "out/a": "outside", "in-front": "x" });
    const options = { allow_list: ["in"] };
    expect((await run(directory, "read_file", { path: "in/a" }, options)).text).toBe("inside");
    for (const path of ["out/a", "in/../out/a", "in-front", "/etc/hostname", "."]) {
      refused(await run(directory, "read_file", { path }, options), "outside allow_list");
    }
  });

  test("cannot be left through a symbolic link", async () => {
    const directory = put(temporaryDirectory(), { "in/a": "inside", "out/a": "outside" });
    const options = { allow_list: ["in"] };
    symlinkSync("../out", join(directory, "in/link"));
    symlinkSync(join(directory, "out/new"), join(directory, "in/dangling"));
    refused(
      await run(directory, "write_file", { path: "in/link/a", content: "changed" }, options),
      "outside allow_list",
    );
    refused(await run(directory, "write_file", { path: "in/link/b/c", content: "new" }, options), "outside allow_list");
    refused(await run(directory, "write_file", { path: "in/dangling", content: "new" }, options), "outside allow_list");
    expect(readFileSync(join(directory, "out/a"), "utf8")).toBe("outside");
    expect(existsSync(join(directory, "out/new"))).toBe(false);
    expect((await run(directory, "list_directory", { path: "in" }, options)).text).toBe("FILE a");
  });

  test("may itself be reached through a link", async () => {
    const directory = put(temporaryDirectory(), { "real/a": "inside" });
    symlinkSync("real", join(directory, "alias"));
    const options = { allow_list: ["alias"] };
    expect((await run(directory, "read_file", { path: "alias/a" }, options)).text).toBe("inside");
    expect((await run(directory, "read_file", { path: "real/a" }, options)).text).toBe("inside");
  });

  test("that is empty allows nothing", async () => {
    const directory = put(temporaryDirectory(), { a: "x" });
    refused(await run(directory, "read_file", { path: "a" }, { allow_list: [] }), "outside allow_list");
  });

  test("understands the working directory and home", async () => {
    const directory = put(temporaryDirectory(), { "work/a": "work", "home/b": "home", "home/c/d": "deeper" });
    const env = { HOME: join(directory, "home") };
    const work = join(directory, "work");
    const toolset = await makeToolset("filesystem", work, { allow_list: [".", "~/c"] }, { env });
    const read = (path: string) => call(toolset, "read_file", { path }, toolContext(work, { env }));
    expect((await read("a")).text).toBe("work");
    expect((await read("~/c/d")).text).toBe("deeper");
    refused(await read("~/b"), "outside allow_list");
  });
});

describe("deny_list", () => {
  test("overrides allow_list, also through a link", async () => {
    const directory = put(temporaryDirectory(), { "in/a": "fine", "in/private/b": "secret" });
    symlinkSync("private", join(directory, "in/link"));
    const options = { allow_list: ["."], deny_list: ["in/private"] };
    expect((await run(directory, "read_file", { path: "in/a" }, options)).text).toBe("fine");
    for (const path of ["in/private/b", "in/link/b", "in/private"]) {
      refused(await run(directory, "read_file", { path }, options), "deny_list");
    }
    expect((await run(directory, "list_directory", { path: "in" }, options)).text).toBe("FILE a");
  });

  test("covers paths that do not exist yet", async () => {
    const directory = temporaryDirectory();
    refused(
      await run(directory, "write_file", { path: "later/x", content: "" }, { deny_list: ["later"] }),
      "deny_list",
    );
  });

  test("covers the targets of its own links", async () => {
    const directory = put(temporaryDirectory(), { "real/a": "secret" });
    symlinkSync("real", join(directory, "alias"));
    for (const path of ["alias/a", "real/a"]) {
      refused(await run(directory, "read_file", { path }, { deny_list: ["alias"] }), "deny_list");
    }
  });
});

describe("an invalid entry keeps the toolset from starting", () => {
  test.each(["allow_list", "deny_list"])("%s", async (key) => {
    const directory = temporaryDirectory();
    symlinkSync("circle", join(directory, "circle"));
    expect(await settled(makeToolset("filesystem", directory, { [key]: [""] }))).toThrow(
      `${key}: "": the path is blank`,
    );
    expect(await settled(makeToolset("filesystem", directory, { [key]: ["circle/x"] }))).toThrow(ConfigError);
    expect(await settled(makeToolset("filesystem", directory, { [key]: ["C:\\x"] }))).toThrow(ConfigError);
  });
});

test("nothing is protected without rules", async () => {
  const directory = put(temporaryDirectory(), { a: "x" });
  chmodSync(join(directory, "a"), 0o600);
  expect((await run(directory, "read_file", { path: "a" })).text).toBe("x");
  expect((await run(directory, "write_file", { path: ".agentsignore", content: "" })).isError).toBeUndefined();
});
