import { expect, test } from "bun:test";
import { run as guardsStay } from "../../../builtins/guards_stay.ts";
import { mayRefuse, READERS, READING_TOOLS } from "../../../src/guard/quick/harmless-call.ts";
import { promptOf } from "../../../src/shell/prompts.ts";
import { callBuiltin } from "../../helpers/call-builtin.ts";
import { diceFrom, pick } from "../../helpers/dice.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const dir = tempDir({ ".claude/settings.json": "{}", "hooks.yaml": "{}", ".git/HEAD": "ref: refs/heads/main\n" });

/** Words that name guards, hooksh and its verbs, and options that write, run or read elsewhere. */
const WORDS = [
  ...[
    `${dir}/hooks.yaml`,
    `${dir}/.claude/settings.json`,
    ".claude/settings.json",
    ".git/hooks/pre-commit",
    "hooks.yaml",
  ],
  ...[
    "hooksh",
    "/usr/bin/hooksh",
    "install",
    "uninstall",
    "trust",
    "status",
    "--forget",
    "core.hookspath",
    "kill",
    "sh",
  ],
  ...[
    "-o",
    "-R",
    "-i",
    "-f",
    "-exec",
    "-delete",
    "--output",
    "-w",
    "--files0-from",
    "-",
    "--",
    "+x",
    "a,b",
    "1:2",
    "%s",
    "@",
  ],
];

async function objections(tool: string, input: Record<string, unknown>): Promise<unknown> {
  const event = { hook_event_name: "pre_tool_use", cwd: dir, tool_name: tool, tool_input: input } as const;
  return (await callBuiltin(guardsStay, event, [`${dir}/hooks.yaml`])).output;
}

test("what is cleared has nothing to say about it: lines of random words", async () => {
  const dice = diceFrom(1);
  for (const program of READERS) {
    for (let round = 0; round < 20; round++) {
      const words = Array.from({ length: dice(5) }, () => pick(dice, WORDS));
      const cmd = [program, ...words].join(pick(dice, [" ", "  "]));
      expect(mayRefuse("shell", { cmd })).toBe(false);
      expect([cmd, await objections("shell", { cmd }), promptOf(cmd)]).toEqual([cmd, undefined, undefined]);
    }
  }
});

test("tools that read are cleared, whatever their input says", async () => {
  for (const tool of READING_TOOLS) {
    const input = { path: `${dir}/hooks.yaml`, cmd: "rm hooks.yaml" };
    expect(mayRefuse(tool, input)).toBe(false);
    expect(await objections(tool, input)).toBeUndefined();
  }
});

test.each([
  "rm a",
  "ls; rm a",
  "ls\nrm a",
  "ls > a",
  "ls $(rm a)",
  "ls `rm a`",
  "ls | sh",
  "ls & rm a",
  "ls ~/.claude",
  "ls *",
  "ls {a,b}",
  "ls 'a'",
  "ls \\a",
  "LS=1 ls",
  "/bin/ls",
  "./ls",
  " ls",
  "ls ",
  "ls\ta",
  "cat <a",
  "echo a#b",
  "git status",
  "python3",
  "",
])("not cleared: %j", (cmd) => {
  expect(mayRefuse("shell", { cmd })).toBe(true);
});

test("not cleared: other tools, other input", () => {
  expect(mayRefuse("write_file", { path: "a" })).toBe(true);
  expect(mayRefuse("mcp__files__read", {})).toBe(true);
  expect(mayRefuse("shell", {})).toBe(true);
  expect(mayRefuse("shell", { cmd: ["ls"] })).toBe(true);
  expect(mayRefuse("shell", { cmd: "ls", command: "rm a" })).toBe(true);
  expect(mayRefuse("shell", { cmd: "ls", tty: true })).toBe(true);
});
