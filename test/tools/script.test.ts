import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../src/lib/env.ts";
import { settled } from "../helpers/settled.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "./fixtures.ts";

async function make(shell: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return makeToolset("script", temporaryDirectory(), { shell, ...more });
}

async function run(entry: Record<string, unknown>, input: Record<string, unknown>, env: Record<string, string> = {}) {
  const toolset = await make({ t: entry }, { env: { LEVEL: "toolset", ONLY: "toolset" } });
  return call(toolset, "t", input, toolContext(temporaryDirectory(), { env: { ...processEnv(), ...env } }));
}

describe("the tool of a script", () => {
  test("is described by its entry", async () => {
    const { tools } = await make({
      greet: {
        cmd: "echo $who $times",
        description: "Greets.",
        args: { who: { description: "Whom." }, times: { type: "integer" } },
      },
      plain: { cmd: "date", required: [] },
    });
    expect(tools).toMatchObject([
      {
        name: "greet",
        description: "Greets.",
        readOnly: false,
        parameters: {
          type: "object",
          properties: { who: { type: "string", description: "Whom." }, times: { type: "integer" } },
          required: ["who", "times"],
        },
      },
      { name: "plain", description: "Execute shell command: date", parameters: { properties: {}, required: [] } },
    ]);
    expect(tools.some((tool) => tool.describable)).toBe(false);
  });

  test("passes declared arguments as variables, whatever they contain", async () => {
    const entry = {
      cmd: 'echo "$who|$list|$n|$gone"; env | grep -c ^SNEAKY=',
      args: { who: {}, list: { type: "array" }, n: { type: "integer" }, gone: {} },
      required: ["who"],
    };
    const input = { who: "$(id); `id`", list: [1, "a"], n: 3, gone: null, SNEAKY: "x" };
    const result = await run(entry, input, { gone: "inherited" });
    expect(result.text).toContain('$(id); `id`|[1,"a"]|3|\n0');
  });

  test("uses its own variables before the toolset's, and those before the process environment", async () => {
    const entry = { cmd: "echo $LEVEL $ONLY", env: { LEVEL: "tool" } };
    expect(await run(entry, {}, { LEVEL: "process", ONLY: "process" })).toEqual({ text: "tool toolset" });
  });

  test("is an error with the output if the command fails", async () => {
    expect(await run({ cmd: "echo why; exit 1" }, {})).toEqual({
      text: "Error executing command: exit status 1\nOutput: why",
      isError: true,
    });
  });

  test("is an error when a required argument is missing", async () => {
    expect(await run({ cmd: "echo $a", args: { a: {} } }, {})).toEqual({
      text: "Invalid arguments: a missing",
      isError: true,
    });
  });

  test("runs in its working directory", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "sub"));
    const toolset = await make({ here: { cmd: "pwd -P", working_dir: "sub" } });
    expect((await call(toolset, "here", {}, toolContext(directory))).text).toBe(join(directory, "sub"));
    expect(await call(toolset, "here", {}, toolContext("/"))).toMatchObject({ isError: true });
  });
});

describe("a script is refused", () => {
  test.each([
    [{ cmd: "echo $undeclared" }, "shell.t.cmd: $undeclared is neither declared under args nor set in env"],
    [{ cmd: "echo ${undeclared:-x}" }, "shell.t.cmd: $undeclared is neither declared under args nor set in env"],
    [{ cmd: "echo $a", args: { a: {} }, env: { a: "" } }, "shell.t.args.a: is set in env, too"],
    [{ cmd: "echo $ONLY", args: { ONLY: {} } }, "shell.t.args.ONLY: is set in env, too"],
    [{ cmd: "echo", required: ["a"] }, 'shell.t.required.0: "a" is not declared under args'],
    [{ cmd: "echo ${env.HOME}" }, "shell.t.cmd: ${env.NAME} is not expanded here"],
  ])("%p", async (entry, problem) => {
    expect(await settled(make({ t: entry }, { env: { ONLY: "1" } }))).toThrow(problem);
  });

  test.each(["two words", "a.b", "x".repeat(65)])("for its name %p, which models refuse", async (name) => {
    expect(await settled(make({ [name]: { cmd: "true" } }))).toThrow("cannot be the name of a tool");
  });

  test("but not for syntax that only the shell understands", async () => {
    const toolset = await make({ t: { cmd: "echo \\$x $1 $$ $? $(date) ${ONLY}" } }, { env: { ONLY: "1" } });
    expect(toolset.tools).toHaveLength(1);
  });
});
