import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

function put(files: Record<string, string | Buffer>): string {
  const directory = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
}

async function search(directory: string, input: Record<string, unknown>) {
  const toolset = await makeToolset("filesystem", directory);
  return call(toolset, "search_files_content", { path: ".", ...input }, toolContext(directory));
}

describe("a hit", () => {
  test("is shown with file, line and column, one per line", async () => {
    const directory = put({ "b/c.txt": "one\n  two two\r\nthree\n", "a.txt": "two" });
    expect((await search(directory, { query: "two" })).text).toBe("a.txt:1:1: two\nb/c.txt:2:3:   two two");
    expect((await search(directory, { query: "two", path: "b/c.txt" })).text).toBe("b/c.txt:2:3:   two two");
  });

  test("is literal unless is_regex is true", async () => {
    const directory = put({ a: "a+b\naab\nAAB\n" });
    expect((await search(directory, { query: "a+b" })).text).toBe("a:1:1: a+b");
    expect((await search(directory, { query: "a+b", is_regex: true })).text).toBe("a:2:1: aab");
    expect((await search(directory, { query: "(?i)^a+b", is_regex: true })).text).toBe("a:2:1: aab\na:3:1: AAB");
    expect((await search(directory, { query: "a\\-?\\+b", is_regex: true })).text).toBe("a:1:1: a+b");
  });

  test("on a long line is cut around the match", async () => {
    const directory = put({ a: `${"x".repeat(500)}needle${"y".repeat(500)}` });
    const { text } = await search(directory, { query: "needle" });
    expect(text).toMatch(/^a:1:501: \.\.\.x{47}needley{47}\.\.\.$/);
  });

  test("at the end of a long line keeps the line's end", async () => {
    const directory = put({ a: `${"x".repeat(500)}needle` });
    expect((await search(directory, { query: "needle" })).text).toMatch(/^a:1:501: \.\.\.x{94}needle$/);
  });

  test("is reported as missing", async () => {
    expect(await search(put({ a: "x" }), { query: "y" })).toEqual({ text: "No results found" });
  });
});

describe("files that are not searched", () => {
  test("binary files, files over 10 MiB, links", async () => {
    const directory = put({
      binary: Buffer.from("needle\0"),
      large: `needle${" ".repeat(10 * 1024 * 1024)}`,
      late: `${" ".repeat(600)}\0needle`,
    });
    symlinkSync("late", join(directory, "link"));
    symlinkSync(".", join(directory, "circle"));
    const { text } = await search(directory, { query: "needle" });
    expect(text.split("\n")).toHaveLength(1);
    expect(text).toStartWith("late:1:602: ");
  });

  test("files that the call excludes", async () => {
    const directory = put({ "a.txt": "needle", "a.log": "needle", "dist/b.txt": "needle", "src/dist.txt": "needle" });
    const input = { query: "needle", excludePatterns: ["*.log", "dist/"] };
    expect((await search(directory, input)).text).toBe("a.txt:1:1: needle\nsrc/dist.txt:1:1: needle");
    expect((await search(directory, { ...input, path: "a.log" })).text).toBe("No results found");
  });
});

describe("a search", () => {
  test("is cut at 1 MiB of hits", async () => {
    const line = `needle ${"x".repeat(80)}\n`;
    const { text } = await search(put({ a: line.repeat(20_000) }), { query: "needle" });
    expect(text).toEndWith("\n... (more matches not shown)");
    expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024 + 100);
    expect(Buffer.byteLength(text)).toBeGreaterThan(1024 * 1024 - 100);
  });

  test("refuses an empty query, a bad expression and a missing place", async () => {
    const directory = put({});
    expect((await search(directory, { query: "" })).text).toBe("Error: query is empty");
    expect((await search(directory, { query: "(", is_regex: true })).text).toStartWith(
      "Error: query is not a regular expression",
    );
    expect((await search(directory, { query: "x", path: "gone" })).text).toBe(
      `Error: not found: ${join(directory, "gone")}`,
    );
  });

  test("ends when the run is cancelled", async () => {
    const directory = put({ a: "needle" });
    const context = toolContext(directory, { signal: AbortSignal.abort() });
    const toolset = await makeToolset("filesystem", directory);
    const result = await call(toolset, "search_files_content", { path: ".", query: "needle" }, context);
    expect(result).toEqual({ text: "Error: the search was cancelled", isError: true });
  });
});
