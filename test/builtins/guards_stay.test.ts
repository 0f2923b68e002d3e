import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { HostFiles } from "../../src/dialects/host-file.ts";
import { HOST_FILES } from "../../src/dialects/host-files.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const ALLOWS = "pre_tool_use: [{ hooks: [{ type: command, command: sh guard.sh }] }]\n";

const place = () =>
  tempDir({
    "policy/hooks.yaml": ALLOWS,
    "guard.sh": "#!/bin/sh\n",
    ".home/.bashrc": "hooksh status\n",
    ".home/.zshrc": "ls\n",
  });

/** The verdicts of `dispatch --guards-stay` on calls of Claude Code's tools: `deny`, `ask` or `pass`, and the reason. */
async function judge(
  cwd: string,
  calls: readonly (readonly [tool: string, input: object])[],
  flags: readonly string[] = [],
) {
  const input = calls.map(([tool_name, tool_input]) =>
    JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "s",
      transcript_path: "/t",
      cwd,
      tool_name,
      tool_use_id: "t",
      tool_input,
    }),
  );
  const args = [
    "dispatch",
    "--dialect",
    "claude",
    "--output",
    "result",
    "--guards-stay",
    "--hooks-file",
    "policy/hooks.yaml",
  ];
  const { lines } = await hooksh([...args, ...flags], { cwd, input: input.join("\n") });
  return lines().map(({ allowed, decision, message }) => ({
    verdict: allowed ? String(decision ?? "pass") : "deny",
    reason: String(message ?? ""),
  }));
}

const verdicts = async (...given: Parameters<typeof judge>) => (await judge(...given)).map(({ verdict }) => verdict);

const writes = (paths: readonly string[]) => paths.map((file_path) => ["Write", { file_path, content: "" }] as const);

test("no tool writes a file from which an agent reads hooks or settings", async () => {
  const cwd = place();
  const hosts = Object.values<HostFiles>(HOST_FILES).flatMap(({ files }) => files.map(({ path }) => path));
  const paths = hosts
    .filter((path) => /^[~<]/.test(path))
    .map((path) => path.replace("<project>", cwd).replace(/\*(?=[^/]*$)/, "any"));
  const others = [
    ...[
      ".mcp.json",
      ".cursor/mcp.json",
      ".vscode/mcp.json",
      "opencode.json",
      ".vibe/x",
      ".grok/x",
      ".claude/hooks/x.sh",
    ],
    ...["~/.config/goose/config.yaml", "~/.config/crush/crush.json", "~/.config/hooksh/config.yaml", "~/.hooksh/x"],
    ...[".git/hooks/pre-push", ".husky/pre-commit", "lefthook.yml", "~/.bashrc", "policy/hooks.yaml", "guard.sh"],
  ];
  const all = [...new Set([...paths, ...others])];
  const found = await verdicts(cwd, writes(all));
  expect(all.filter((_path, at) => found[at] !== "deny")).toEqual([]);
  expect(all.length).toBeGreaterThan(50);
});

test("other files are written, and guarded ones are read", async () => {
  const cwd = place();
  const paths = [
    "src/a.ts",
    "README.md",
    ".gitignore",
    ".claude/commands/x.md",
    "src/settings.json",
    "~/.zshrc",
    "hooks.yaml",
  ];
  const reads = [
    ["Read", { file_path: "policy/hooks.yaml" }],
    ["Grep", { pattern: "x", path: ".claude" }],
    ["mcp__fs__read_file", { path: ".mcp.json" }],
    ["mcp__mem__add_note", { text: "see .claude/settings.json" }],
  ] as const;
  expect(await verdicts(cwd, [...writes(paths), ...reads])).toEqual([...paths, ...reads].map(() => "pass"));
});

test("a link to a guard's file, another spelling and a tool of an MCP server count", async () => {
  const cwd = place();
  symlinkSync("policy/hooks.yaml", join(cwd, "link"));
  symlinkSync("policy", join(cwd, "folder"));
  const calls = [
    ...writes(["link", "folder/hooks.yaml", "./src/../policy//hooks.yaml", ".CLAUDE/Settings.json"]),
    ["mcp__fs__write_file", { path: ".mcp.json", content: "" }],
    ["mcp__fs__move_file", { source: "policy", destination: "x" }],
    ["mcp__term__run", { command: "rm policy/hooks.yaml" }],
    ["Edit", { file_path: "guard.sh", old_string: "a", new_string: "b" }],
  ] as const;
  expect(await verdicts(cwd, calls)).toEqual(calls.map(() => "deny"));
});

test("a refusal says what was tried, on which file, why it is guarded and what to do", async () => {
  const cwd = place();
  const [found] = await judge(cwd, [["Bash", { command: "rm -rf policy" }]]);
  expect(found?.reason).toBe(
    `rm would change ${cwd}/policy/hooks.yaml, which is guarded because the hooks in force were read from it; if that is wanted, a person does it outside of the agent`,
  );
});

test("directories named by flags are guarded", async () => {
  const cwd = tempDir({ "policy/hooks.yaml": "{}", "c/x": "", "d/x": "" });
  const calls = writes(["c/config.yaml", "d/x"]);
  expect(await verdicts(cwd, calls, ["--config-dir", "c", "--data-dir", "d"])).toEqual(["deny", "deny"]);
  expect(await verdicts(cwd, calls)).toEqual(["pass", "pass"]);
});

test("in an agent file it guards that file and the scripts of its hooks", async () => {
  const cwd = tempDir({
    "agent.yaml":
      'agents: { root: { model: openai/x, instruction: x, hooks: { pre_tool_use: [{ hooks: [{ type: builtin, command: guards_stay }, { type: command, command: "${hook_dir}/guard.sh" }] }] } } }',
    "guard.sh": "#!/bin/sh\n",
  });
  const call = (cmd: string) =>
    hooksh(["dispatch", "agent.yaml", "--output", "text"], {
      cwd,
      input: JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd } }),
    });
  expect((await call("rm agent.y*")).stdout).toContain("rm would change");
  expect((await call("echo > guard.sh")).stdout).toContain(`> would change ${cwd}/guard.sh`);
});

test("a line of which not everything can be read is refused, and long input takes bounded time", async () => {
  const cwd = place();
  const many = "a ".repeat(20_000);
  const lines = [
    `rm ${many}`,
    `echo ${many} policy/hooks.yaml | xargs rm`,
    `python3 -c "import os; [os.remove(f) for f in [${"'a',".repeat(400)}'policy/hooks.yaml']]"`,
  ];
  expect(
    await verdicts(
      cwd,
      lines.map((command) => ["Bash", { command }] as const),
    ),
  ).toEqual(lines.map(() => "deny"));
  expect(await verdicts(cwd, writes([`${"x/".repeat(30_000)}a`]))).toEqual(["pass"]);
});
