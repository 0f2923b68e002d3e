import { describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "./helpers/binary.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const examples = join(import.meta.dir, "../examples");

test("all tests of the examples pass", async () => {
  const ran = await hooksh(["test", examples, "--json"], { cwd: tempDir() });
  const failed = ran.lines().filter((line) => line["status"] === "failed");
  expect({ code: ran.code, failed, stderr: ran.stderr }).toEqual({ code: 0, failed: [], stderr: "" });
});

describe("guarded-cleanup", () => {
  const BLOCKED = [
    "rm -rf build",
    "rm  -rf build",
    "'rm' -rf build",
    "r\\m -rf build",
    "/bin/rm -rf build",
    "command rm -rf build",
    "rmdir build",
    "unlink build/a",
    "find . -delete",
    "find . -exec rm {} +",
    "ls; rm -rf build",
    "ls && rm -rf build",
    "ls | xargs rm",
    "ls\nrm -rf build",
    "ls $(rm -rf build)",
    "ls `rm -rf build`",
    "sh -c 'rm -rf build'",
    "eval rm -rf build",
    "x=rm; $x -rf build",
    "ls() { rm -rf build; }; ls",
    "> build/a",
    "ls > build/a",
    "truncate -s 0 build/a",
    "dd of=build/a",
    "cp /dev/null build/a",
    "mv build/a build/b",
    "mv build /tmp/",
    "mv -f a .trash/",
    "mv -n a -f .trash/",
    "mv -n -f a .trash/",
    "mv -n $x .trash/",
    "mv -n -t /tmp a .trash/",
    "perl -e 'unlink \"a\"'",
    "python3 -c 'import shutil; shutil.rmtree(\"build\")'",
    "git clean -xdf",
    "make clean",
    "PATH=. ls",
    "./ls",
    "ls 'open",
    "",
  ];
  const ALLOWED = [
    "ls",
    "ls -la build",
    "du -sh build | ls",
    "mkdir -p .trash && mv -n build .trash/",
    "mv -n 'my file' b-c .trash/",
    "ls 2>/dev/null",
  ];

  test("the guard allows the commands it knows, and no spelling of any other", async () => {
    const cwd = tempDir();
    cpSync(join(examples, "guarded-cleanup"), cwd, { recursive: true });
    const events = [...BLOCKED, ...ALLOWED].map((cmd) => ({
      hook_event_name: "pre_tool_use",
      tool_name: "shell",
      tool_input: { cmd },
    }));
    const ran = await hooksh(["dispatch", "agent.yaml", "--output", "result"], { cwd, input: JSON.stringify(events) });
    const verdicts = ran.lines().map(({ allowed }, at) => [events[at]?.tool_input.cmd, allowed]);
    expect(verdicts).toEqual([...BLOCKED.map((cmd) => [cmd, false]), ...ALLOWED.map((cmd) => [cmd, true])]);
  });
});
