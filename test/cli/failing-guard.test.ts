import { expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const EVENT = JSON.stringify({
  hook_event_name: "pre_tool_use",
  session_id: "s",
  tool_name: "shell",
  tool_input: { cmd: "ls" },
});
const TOKEN = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

const folder = (command: string) =>
  tempDir({
    "hooks.yaml": JSON.stringify({ pre_tool_use: [{ hooks: [{ type: "command", name: "guard", command }] }] }),
  });
const judge = (cwd: string, ...args: string[]) =>
  hooksh(["dispatch", "--hooks-file", "hooks.yaml", ...args], { cwd, input: EVENT });

test("a guard that fails says why: the last line of its standard error, without secrets and control characters", async () => {
  const cwd = folder(`printf 'Traceback:\\n at x\\nImportError: no \\033[1m${TOKEN}\\n\\n' >&2; exit 1`);
  const reason = "exited with status 1: ImportError: no \\x1b[1m[REDACTED]";
  const denied = `pre_tool_use hook failed to execute: hook "guard": ${reason}`;
  const verdict = await judge(cwd);
  expect(verdict).toMatchObject({ code: 2, stderr: `${denied}\n` });
  expect(verdict.lines()).toEqual([{ decision: "block", reason: denied }]);
  const detailed = await judge(cwd, "--output", "result", "--details");
  const [{ hooks }] = detailed.lines() as [{ hooks: { message: string }[] }];
  expect(hooks[0]?.message).toEndWith("\nImportError: no \u001b[1m[REDACTED]");
  const text = await judge(cwd, "--output", "text", "--details");
  expect(text.stdout).toStartWith(`pre_tool_use: denied: hook "guard" failed: ${reason}\n`);
  expect(text.stdout).toMatch(
    /\n {2}guard \(hooks\.yaml:1\): failed, [\d.]+ ms: exited with status 1: ImportError: no /,
  );
  const audit = await hooksh(["audit", "list", "--json"], { cwd });
  expect(audit.stdout).toContain(JSON.stringify(denied).slice(1, -1));
  expect([JSON.stringify(hooks), text.stdout, audit.stdout].join("")).not.toContain(TOKEN);
});

test("${hook_dir} in single quotes is named as the reason", async () => {
  expect((await judge(folder("'${hook_dir}/guard.sh'"))).stderr).toEndWith(
    "${hook_dir} is not expanded inside single quotes: use double quotes\n",
  );
});

test("a guard that ends with 0 although its shell did not find a command is a warning", async () => {
  const warning =
    'warning: pre_tool_use hook "guard": its shell did not find a command, and it ended with 0 all the same';
  const said = async (command: string) => (await judge(folder(command))).stderr;
  expect(await said("if nosuchtest 1 == 1; then exit 2; fi")).toStartWith(warning);
  expect(await said("echo 'policy.json: 3: not found' >&2")).toBe("");
});

test("the line is cut, and a guard that prints nothing has none", async () => {
  const long = await judge(folder("printf '%0400d' 7 >&2; exit 1"), "--output", "text");
  expect(long.stdout).toContain(`: exited with status 1: ${"0".repeat(300)}...\n`);
  const silent = await judge(folder("exit 1"), "--output", "text");
  expect(silent.stdout).toContain('denied: hook "guard" failed: exited with status 1\n');
});

test("exit code 2 with the reason on standard output gets a hint", async () => {
  const hint =
    'warning: pre_tool_use hook "guard": exit code 2 blocks, and its standard output is not read as the reason: write the reason to standard error';
  expect((await judge(folder("echo not that; exit 2"))).stderr).toContain(hint);
  for (const command of ["exit 2", "echo why >&2; echo more; exit 2", `echo '{"reason":"why"}'; exit 2`])
    expect((await judge(folder(command))).stderr).not.toContain("standard output");
  expect((await judge(folder("exit 2"))).stderr).toBe(
    "pre_tool_use was blocked by guard, which gave no reason: print it on standard error\n",
  );
});
