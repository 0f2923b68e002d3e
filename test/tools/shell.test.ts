import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../src/lib/env.ts";
import { until } from "../helpers/until.ts";
import { untilEnded } from "../helpers/until-ended.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "./fixtures.ts";

async function run(
  input: Record<string, unknown>,
  options: Record<string, unknown> = {},
  directory = temporaryDirectory(),
) {
  return call(await makeToolset("shell", directory, options), "shell", input, toolContext(directory));
}

describe("the result of a command", () => {
  test("is its trimmed output, both streams in order", async () => {
    expect(await run({ cmd: "echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three; echo" })).toEqual({
      text: "one\ntwo\nthree",
    });
  });

  test("keeps the order of the streams however fast they are written, and they are one pipe", async () => {
    const lines = Array.from({ length: 500 }, (_, at) => at);
    const cmd = "i=0; while [ $i -lt 500 ]; do echo $i; i=$((i+1)); echo $i >&2; i=$((i+1)); done";
    const { text } = await run({ cmd });
    expect(text.split("\n").map(Number)).toEqual(lines);
    expect(await run({ cmd: '[ /dev/fd/1 -ef /dev/fd/2 ] && echo one > /dev/stderr; echo "$(cat)"' })).toEqual({
      text: "one",
    });
  });

  test("says that there is no output", async () => {
    expect(await run({ cmd: "true" })).toEqual({ text: "<no output>" });
  });

  test("names a non-zero exit status and is not an error", async () => {
    expect(await run({ cmd: "echo why; exit 3" })).toEqual({
      text: "Error executing command: exit status 3\nOutput: why",
    });
  });

  test("names the signal that ended the shell", async () => {
    expect((await run({ cmd: "kill -KILL $$" })).text).toBe("Error executing command: signal: killed\nOutput:");
  });

  test("is an error for a blank command", async () => {
    expect(await run({ cmd: " \n" })).toEqual({ text: "Error: cmd is blank", isError: true });
  });

  test("is an error for arguments of the wrong type", async () => {
    expect(await run({ cmd: 5 })).toEqual({ text: "Invalid arguments: cmd must be string, not 5", isError: true });
    expect(await run({})).toEqual({ text: "Invalid arguments: cmd is missing", isError: true });
  });

  test("is cut off when the output never ends", async () => {
    const { text } = await run({ cmd: "yes" });
    expect(text).toStartWith("Error executing command: output exceeded 16777216 bytes\nOutput: y\n");
    expect(text.length).toBeLessThan(17 * 1024 * 1024);
  });
});

describe("where a command runs", () => {
  test("in the session's directory, or one relative to it", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "sub"));
    expect((await run({ cmd: "pwd -P" }, {}, directory)).text).toBe(directory);
    expect((await run({ cmd: "pwd -P", cwd: "." }, {}, directory)).text).toBe(directory);
    expect((await run({ cmd: "pwd -P", cwd: "" }, {}, directory)).text).toBe(directory);
    expect((await run({ cmd: "pwd -P", cwd: "sub" }, {}, directory)).text).toBe(join(directory, "sub"));
  });

  test("an error names a directory that does not exist", async () => {
    const directory = temporaryDirectory();
    const result = await run({ cmd: "pwd", cwd: "gone" }, {}, directory);
    expect(result.isError).toBe(true);
    expect(result.text).toContain(join(directory, "gone"));
  });

  test("the toolset's variables override the process environment", async () => {
    const directory = temporaryDirectory();
    const toolset = await makeToolset("shell", directory, { env: { WHO: "toolset" } });
    const context = toolContext(directory, { env: { ...processEnv(), WHO: "process", OTHER: "kept" } });
    expect((await call(toolset, "shell", { cmd: "echo $WHO $OTHER" }, context)).text).toBe("toolset kept");
  });
});

describe("the end of a command", () => {
  test("comes at its time limit, for every process that it started", async () => {
    const directory = temporaryDirectory();
    const result = await run({ cmd: "sleep 300 & echo $! > pid; echo started; wait", timeout: 10 }, {}, directory);
    expect(result).toEqual({ text: "Command timed out after 10s\nOutput: started" });
    await untilEnded(Number(readFileSync(join(directory, "pid"), "utf8")));
  });

  test("does not wait for a program left in the background", async () => {
    const directory = temporaryDirectory();
    expect((await run({ cmd: "sleep 600 & echo $! > pid; echo hi" }, {}, directory)).text).toStartWith("hi");
    process.kill(Number(readFileSync(join(directory, "pid"), "utf8"))); // throws if the program has ended
  });

  test("a program left in the background keeps running", async () => {
    const directory = temporaryDirectory();
    await run({ cmd: "(sleep 1; echo done > later) & echo hi" }, {}, directory);
    const later = Bun.file(join(directory, "later"));
    await until(() => later.exists());
    expect(await later.exists()).toBe(true);
  });

  test("comes when the run is cancelled", async () => {
    const directory = temporaryDirectory();
    const controller = new AbortController();
    const onOutput = () => controller.abort();
    const toolset = await makeToolset("shell", directory);
    const context = toolContext(directory, { signal: controller.signal, onOutput });
    expect(await call(toolset, "shell", { cmd: "echo up; sleep 100" }, context)).toEqual({
      text: "Command cancelled",
      isError: true,
    });
  });
});

test("output is shown while the command runs", async () => {
  const directory = temporaryDirectory();
  const seen: string[] = [];
  const toolset = await makeToolset("shell", directory);
  await call(
    toolset,
    "shell",
    { cmd: "echo a; echo b >&2" },
    toolContext(directory, { onOutput: (text) => seen.push(text) }),
  );
  expect(seen.join("")).toContain("a\n");
  expect(seen.join("")).toContain("b\n");
});

test("the description names the interpreter and the operating system", async () => {
  const toolset = await makeToolset("shell", temporaryDirectory(), {}, { env: { SHELL: "/bin/zsh" } });
  expect(toolset.tools[0]?.description).toContain(`zsh on ${process.platform}`);
});
