import { describe, expect, test } from "bun:test";
import { processEnv } from "../../../src/lib/env.ts";
import { runProcess } from "../../../src/lib/process/process.ts";
import { dispatch } from "../../helpers/binary.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { call, makeToolset, toolContext } from "../../tools/fixtures.ts";

const LIMIT = 1_000_000;

function run(text: string, input?: string) {
  return runProcess({
    command: ["/bin/sh", "-c", text],
    cwd: "/",
    env: processEnv(),
    input,
    deadlineMs: 250_000,
    stdoutLimit: LIMIT,
    stderrLimit: LIMIT,
  });
}

/** Every name by which a program on Unix opens its own streams. */
const names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].filter(
  (name) => process.platform === "linux" || !name.startsWith("/proc"),
);

describe.skipIf(process.platform === "win32")("the streams of a child", () => {
  test.each(names)("standard output opens as %s, and later output follows", async (name) => {
    const { end, stdout, stderr } = await run(`echo one > ${name}; echo two | tee ${name}; echo three`);
    expect({ end, stdout, stderr }).toEqual({
      end: { kind: "exited", code: 0 },
      stdout: "one\ntwo\ntwo\nthree\n",
      stderr: "",
    });
  });

  test("a command can open its standard error and standard input by name", async () => {
    const { stdout, stderr } = await run(
      "cat /dev/stdin; echo no > /dev/stderr; echo never | tee /dev/stderr > /dev/null",
      "event\n",
    );
    expect({ stdout, stderr }).toEqual({ stdout: "event\n", stderr: "no\nnever\n" });
  });

  test("output larger than the pipe's buffer arrives whole", async () => {
    const { stdout } = await run("head -c 700000 /dev/zero | tr '\\0' x > /dev/stdout");
    expect(stdout).toBe("x".repeat(700_000));
  });
});

test.skipIf(process.platform === "win32")("a guard blocks by writing its answer to /dev/stdout", async () => {
  const command = `echo '{"decision":"block","reason":"not here"}' > /dev/stdout`;
  const hooks = { pre_tool_use: [{ hooks: [{ type: "command", command }] }] };
  const { code, stdout } = await dispatch(
    hooks,
    { hook_event_name: "pre_tool_use", tool_name: "shell" },
    { cwd: tempDir() },
  );
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ allowed: false, message: "not here" });
});

test.skipIf(process.platform === "win32").each([
  ["shell" as const, "shell", {}, { cmd: "echo seen > /dev/stderr" }],
  ["script" as const, "say", { shell: { say: { cmd: "echo seen > /dev/stderr", description: "says it" } } }, {}],
])("the %s toolset's commands open their streams by name", async (type, tool, options, input) => {
  const directory = tempDir();
  const { text } = await call(await makeToolset(type, directory, options), tool, input, toolContext(directory));
  expect(text).toBe("seen");
});
