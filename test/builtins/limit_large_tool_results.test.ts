import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../builtins/limit_large_tool_results.ts";
import { directoryName } from "../../builtins/tool-results/result-store.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import { callBuiltin, sh, temporaryDirectory } from "../helpers/call-builtin.ts";

const call = async (directory: string, more: Partial<BuiltinInput>) => {
  const input = {
    hook_event_name: "tool_response_transform",
    session_id: "s",
    tool_name: "shell",
    tool_category: "shell",
    ...more,
  } as const;
  const { output, logged } = await callBuiltin(run, input, [], { env: { TMPDIR: directory } });
  return { replaced: output?.hook_specific_output?.updated_tool_response, logged, output };
};

/** The path in a replacement, and the excerpt behind the second blank line. */
function parts(replaced = ""): { path: string; excerpt: string } {
  const [first = "", , ...rest] = replaced.split("\n\n");
  return { path: first.slice(first.lastIndexOf(": ") + 2), excerpt: rest.join("\n\n") };
}

const LINES = Array.from({ length: 3000 }, (_, at) => `line ${at + 1}`);

test("keeps the end, and stores the whole text in a separate file", async () => {
  await using directory = await temporaryDirectory();
  const text = `head${"x".repeat(61_432)}tail`;
  const { replaced = "" } = await call(directory.path, { tool_response: text });
  const { path } = parts(replaced);
  expect(replaced).toBe(
    `Tool call result was too large (61440 bytes; limit 51200 bytes). ` +
      `The full result is available in a file: ${path}\n\n` +
      `Showing the last 2000 lines (up to 51200 bytes):\n\n${"x".repeat(51_196)}tail`,
  );
  expect(path).toStartWith(join(directory.path, "hooksh-tool-results/s/tool-result-"));
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, "../..")).mode & 0o777).toBe(0o700);
});

describe("the limit", () => {
  test.each([
    ["51200 bytes", "x".repeat(51_200), false],
    ["51201 bytes", "x".repeat(51_201), true],
    ["51201 bytes in two-byte characters", `${"é".repeat(25_600)}x`, true],
    ["2000 lines", "a\n".repeat(2000), false],
    ["2001 lines, the last without newline", `${"a\n".repeat(2000)}b`, true],
    ["2000 lines, the last without newline", `${"a\n".repeat(1999)}b`, false],
    ["nothing", "", false],
  ])("at %s", async (_name, text, large) => {
    await using directory = await temporaryDirectory();
    expect((await call(directory.path, { tool_response: text })).output !== undefined).toBe(large);
  });
});

test("shows exactly 2000 lines, whether the last ends with a newline or not", async () => {
  await using directory = await temporaryDirectory();
  for (const end of ["", "\n"]) {
    const { excerpt } = parts((await call(directory.path, { tool_response: LINES.join("\n") + end })).replaced);
    expect(excerpt).toBe(LINES.slice(1000).join("\n") + end);
  }
});

test("keeps empty lines at both ends", async () => {
  await using directory = await temporaryDirectory();
  const { replaced = "" } = await call(directory.path, { tool_response: "\n".repeat(3000) });
  expect(replaced).toEndWith(`bytes):\n\n${"\n".repeat(2000)}`);
});

test("cuts between characters", async () => {
  await using directory = await temporaryDirectory();
  const read = { tool_name: "read_file", tool_category: "filesystem" };
  for (const [more, expected] of [
    [{}, `${"🙂".repeat(12_799)}xyz`],
    [read, "🙂".repeat(12_800)],
  ] as const) {
    const text = `${"🙂".repeat(20_000)}xyz`;
    expect(parts((await call(directory.path, { tool_response: text, ...more })).replaced).excerpt).toBe(expected);
  }
});

describe("of a file that was read", () => {
  const read = (directory: string, text: string, tool_input: Record<string, unknown> = {}) =>
    call(directory, { tool_name: "read_file", tool_category: "filesystem", tool_response: text, tool_input });

  test("the beginning is kept, with the line to go on from", async () => {
    await using directory = await temporaryDirectory();
    for (const [input, next] of [
      [{}, 2001],
      [{ line: 11 }, 2011],
      [{ line: "x" }, 2001],
    ] as const) {
      const { replaced = "" } = await read(directory.path, LINES.join("\n"), input);
      expect(replaced).toContain(
        "\n\nShowing the first 2000 lines (up to 51200 bytes). To continue reading, call read_file again " +
          "with the same path " +
          `plus "line": ${next} (1-based start line) and a "limit" (maximum number of lines):\n\nline 1\n`,
      );
      expect(parts(replaced).excerpt).toBe(`${LINES.slice(0, 2000).join("\n")}\n`);
    }
  });

  test("a line cut by the byte limit is the line to continue from", async () => {
    await using directory = await temporaryDirectory();
    const { replaced } = await read(directory.path, `short\n${"x".repeat(60_000)}`);
    expect(replaced).toContain('"line": 2 (');
  });

  test("a first line that is too long is reported as such", async () => {
    await using directory = await temporaryDirectory();
    const { replaced } = await read(directory.path, "x".repeat(60_000), { line: 7 });
    expect(replaced).toContain("bytes of line 7, which alone is longer");
    expect(parts(replaced).excerpt).toBe("x".repeat(51_200));
  });

  test("the end is kept when the tool is another one's", async () => {
    await using directory = await temporaryDirectory();
    const { replaced } = await call(directory.path, {
      tool_name: "read_file",
      tool_category: "mcp",
      tool_response: "x".repeat(60_000),
    });
    expect(replaced).toContain("Showing the last");
  });
});

test("leaves other categories, other responses and other events alone", async () => {
  await using directory = await temporaryDirectory();
  const tool_response = "x".repeat(60_000);
  for (const more of [
    { tool_category: "memory" },
    { tool_response: [tool_response] },
    { hook_event_name: "post_tool_use" },
  ] as const) {
    expect((await call(directory.path, { tool_response, ...more })).output).toBeUndefined();
  }
  expect(readdirSync(directory.path)).toEqual([]);
});

test("the end of a session deletes its files and no others", async () => {
  await using directory = await temporaryDirectory();
  const tool_response = "x".repeat(60_000);
  for (const session_id of ["one", "two", ""]) await call(directory.path, { tool_response, session_id });
  await call(directory.path, { hook_event_name: "session_end", session_id: "one" });
  expect(readdirSync(join(directory.path, "hooksh-tool-results")).sort()).toEqual(["two", "unknown"]);
  await call(directory.path, { hook_event_name: "session_end", session_id: "" });
  expect(readdirSync(join(directory.path, "hooksh-tool-results"))).toEqual(["two"]);
});

test("the end of a session that stored nothing is silent", async () => {
  await using directory = await temporaryDirectory();
  expect((await call(directory.path, { hook_event_name: "session_end" })).logged).toEqual([]);
});

test.each([
  ["..", "%2E%2E"],
  [".", "%2E"],
  ["a/../b", "a%2F..%2Fb"],
  ["", "unknown"],
  ["\uD800", "%EF%BF%BD"],
])("the session id %j gives the directory %s", (id, name) => expect(directoryName(id)).toBe(name));

test("a session id too long for a name still gives one", () => {
  expect(directoryName("x".repeat(5000))).toMatch(/^[0-9a-f]{64}$/);
});

describe("in a temporary directory that others can write to", () => {
  const large = { tool_response: "x".repeat(60_000) };

  test("a planted link is not followed", async () => {
    await using directory = await temporaryDirectory();
    sh(directory.path, "mkdir target; ln -s target hooksh-tool-results");
    const { replaced } = await call(directory.path, large);
    expect(parts(replaced).path).toStartWith(join(directory.path, "hooksh-tool-results-"));
    expect(readdirSync(join(directory.path, "target"))).toEqual([]);
  });

  test("a link planted for the session is not followed, and the response stays as it is", async () => {
    await using directory = await temporaryDirectory();
    sh(directory.path, "mkdir target; mkdir -m 700 hooksh-tool-results; ln -s ../target hooksh-tool-results/s");
    const { output, logged } = await call(directory.path, large);
    expect(output).toBeUndefined();
    expect(logged).toEqual([expect.stringMatching(/^warn .* is not a directory of this user$/)]);
    expect(readdirSync(join(directory.path, "target"))).toEqual([]);
  });

  test.if(process.getuid?.() === 0)("another user's directory is neither used nor emptied", async () => {
    await using directory = await temporaryDirectory();
    sh(
      directory.path,
      "mkdir -p hooksh-tool-results/s; chown 12345 hooksh-tool-results; touch hooksh-tool-results/s/theirs",
    );
    const { replaced } = await call(directory.path, large);
    expect(parts(replaced).path).toStartWith(join(directory.path, "hooksh-tool-results-0/s/"));
    await call(directory.path, { hook_event_name: "session_end" });
    expect(readdirSync(join(directory.path, "hooksh-tool-results/s"))).toEqual(["theirs"]);
    expect(readdirSync(join(directory.path, "hooksh-tool-results-0"))).toEqual([]);
  });

  test("a directory of this user that others can access is made private", async () => {
    await using directory = await temporaryDirectory();
    sh(directory.path, "mkdir hooksh-tool-results; chmod 777 hooksh-tool-results");
    await call(directory.path, large);
    expect(statSync(join(directory.path, "hooksh-tool-results")).mode & 0o777).toBe(0o700);
  });
});

test("a response that cannot be stored stays as it is", async () => {
  const { output, logged } = await call("/no/such/directory", { tool_response: "x".repeat(60_000) });
  expect(output).toBeUndefined();
  expect(logged).toHaveLength(1);
});
