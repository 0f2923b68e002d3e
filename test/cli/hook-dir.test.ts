import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Executor, parseHooks } from "hooksh";
import { dispatch, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const EVENT = { hook_event_name: "turn_start" };

/** Dispatches turn_start with the hooks of a file in a folder whose name a shell would split. */
async function contextOf(hook: object, folder = "ho oks $(touch pwned)", files: Record<string, string> = {}) {
  const cwd = tempDir({
    [`${folder}/hooks.yaml`]: JSON.stringify({ turn_start: [hook] }),
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text])),
  });
  const ran = await hooksh(["dispatch", "--hooks-file", join(folder, "hooks.yaml"), "--output", "result"], {
    cwd,
    input: JSON.stringify(EVENT),
    env: { HOOKSH_HOOK_DIR: "/from/outside", hook_dir: "/from/outside" },
  });
  expect(await Bun.file(join(cwd, "pwned")).exists()).toBe(false);
  return { folder: join(cwd, folder), cwd, verdict: ran.lines()[0] };
}

describe("the folder of the file that declares a hook", () => {
  test("is ${hook_dir} in a command and HOOKSH_HOOK_DIR in its environment", async () => {
    const { folder, verdict } = await contextOf({ type: "command", command: 'echo "${hook_dir}|$HOOKSH_HOOK_DIR"' });
    expect(verdict).toEqual({ event: "turn_start", allowed: true, additional_context: `${folder}|${folder}` });
  });

  test("finds a script next to the file, while a relative command is resolved in the working directory", async () => {
    const script = { "context.sh": "echo from beside the file" };
    const found = await contextOf({ type: "command", command: 'sh "${hook_dir}/context.sh"' }, undefined, script);
    expect(found.verdict).toMatchObject({ additional_context: "from beside the file" });
    const missed = await contextOf({ type: "command", command: "sh ./context.sh" }, undefined, script);
    expect(missed.verdict).not.toHaveProperty("additional_context");
  });

  test("is ${hook_dir} in working_dir and args", async () => {
    const { folder, verdict } = await contextOf({
      type: "command",
      command: 'echo "$PWD|$1|$2"',
      working_dir: "${hook_dir}",
      args: ["${ hook_dir }/a", "b c"],
    });
    expect(verdict).toMatchObject({ additional_context: `${folder}|${folder}/a|b c` });
  });

  test("is ${hook_dir} in the path of a hook in TypeScript", async () => {
    const own = { "own.ts": "export default () => ({ hook_specific_output: { additional_context: 'own' } });" };
    const { verdict } = await contextOf({ type: "builtin", command: "${hook_dir}/own.ts" }, "own", own);
    expect(verdict).toMatchObject({ additional_context: "own" });
  });

  test("distinguishes two files that declare the same hook", async () => {
    const text = JSON.stringify({ turn_start: [{ type: "command", command: 'cat "${hook_dir}/name"' }] });
    const cwd = tempDir({ "a/hooks.yaml": text, "a/name": "a", "b/hooks.yaml": text, "b/name": "b" });
    const args = ["dispatch", "--hooks-file", "a/hooks.yaml", "--hooks-file", "b/hooks.yaml", "--output", "result"];
    const ran = await hooksh(args, { cwd, input: JSON.stringify(EVENT) });
    expect(ran.lines()).toMatchObject([{ additional_context: "a\nb" }]);
  });

  test("is unknown if no file declares the hook: the hook fails", async () => {
    const cwd = tempDir();
    const ran = await hooksh(["dispatch", "--hook-pre-tool-use", "${hook_dir}/guard", "--output", "result"], {
      cwd,
      input: '{"hook_event_name":"pre_tool_use","tool_name":"shell"}',
    });
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.lines()[0]).toMatchObject({
      allowed: false,
      message: expect.stringContaining("${hook_dir} has no value"),
    });
    const flag = await hooksh(["dispatch", "--hook", 'turn_start=echo "[$HOOKSH_HOOK_DIR]"', "--output", "result"], {
      cwd,
      input: JSON.stringify(EVENT),
      env: { HOOKSH_HOOK_DIR: "/from/outside" },
    });
    expect(flag.lines()).toMatchObject([{ additional_context: "[]" }]);
  });

  test("is chosen by the program that brings the hooks", async () => {
    const hooks = await parseHooks("turn_start: [{ type: command, command: 'echo ${hook_dir}' }]", {
      directory: "/srv/hooks",
    });
    expect(
      await new Executor(hooks, { env: { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh" } }).dispatch(
        "turn_start",
        {},
      ),
    ).toEqual({ allowed: true, additional_context: "/srv/hooks" });
  });
});

test('args of a command hook are its "$@", as they are written', async () => {
  const cwd = tempDir();
  const args = ["a b", "$HOME", "`id`", "", "-n"];
  const hook = { type: "command", command: 'printf "<%s>" "$@"', args };
  const ran = await dispatch({ turn_start: [hook] }, EVENT, { cwd });
  expect(ran.lines()).toMatchObject([{ additional_context: "<a b><$HOME><`id`><><-n>" }]);
  const bash = await dispatch({ turn_start: [hook] }, EVENT, { cwd, env: { SHELL: "/bin/bash" } });
  expect(bash.lines()).toEqual(ran.lines());
});
