import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const NOTHING_JUDGES = "hooksh: no hook is configured, so nothing judges this agent; hooksh status lists the hooks\n";

/** A home with a configuration, and hooks files; `call` dispatches a call of a tool as an agent does. */
function machine(config: string, ...policies: readonly string[]) {
  const cwd = tempDir({
    "config/config.yaml": config,
    ...Object.fromEntries(policies.map((text, i) => [`p${i}.yaml`, text])),
  });
  mkdirSync(join(cwd, "data"));
  const dirs = ["--config-dir", join(cwd, "config"), "--data-dir", join(cwd, "data")];
  const files = policies.flatMap((_text, i) => ["--hooks-file", `p${i}.yaml`]);
  const dispatch = (dialect: string, fields: object) =>
    hooksh(["dispatch", "--dialect", dialect, ...dirs, ...files], {
      cwd,
      input: JSON.stringify({ session_id: "s1", cwd, tool_input: { x: 1 }, ...fields }),
    });
  const call = async (dialect: string, tool_name: string) => {
    const { stdout, stderr } = await dispatch(dialect, { hook_event_name: "PreToolUse", tool_name });
    return stdout === ""
      ? stderr.replace(NOTHING_JUDGES, "")
      : (JSON.parse(stdout).hookSpecificOutput.permissionDecision as string);
  };
  const run = (...args: string[]) => hooksh([...args, ...dirs], { cwd, env: { HOME: cwd } });
  return { cwd, dispatch, call, run };
}

const GUARD = "pre_tool_use: [{ matcher: shell, hooks: [{ type: command, command: exit 0 }] }]\n";
const NEW = "ToolOfNextMonth";

describe("a tool of another agent that hooksh does not know", () => {
  test.each([
    ["", [], ""],
    ["", ["pre_tool_use: []\n"], ""],
    ["", ["unknown_tools: allow\n"], ""],
    ["", ["unknown_tools: ask\n"], "ask"],
    ["", ["unknown_tools: deny\n"], "deny"],
    ["settings: { unknown_tools: ask }\n", [], "ask"],
    ["settings: { unknown_tools: ask }\n", ["unknown_tools: allow\n"], "ask"],
    ["settings: { unknown_tools: ask }\n", ["unknown_tools: deny\n"], "deny"],
    ["settings: { unknown_tools: deny }\n", ["unknown_tools: ask\n"], "deny"],
    ["", ["unknown_tools: ask\n", "unknown_tools: deny\n"], "deny"],
  ] as [string, string[], string][])("config %j and files %j: %j", async (config, policies, decision) => {
    const { call } = machine(config, ...policies);
    expect(await call("claude", NEW)).toBe(decision);
    expect(await call("claude", "Bash")).toBe("");
    expect(await call("claude", "TodoWrite")).toBe("");
    expect(await call("claude", "mcp__mem__add_note")).toBe("");
  });

  test("an ask is a denial where the agent cannot ask", async () => {
    expect(await machine("", "unknown_tools: ask\n").call("codex", NEW)).toBe("deny");
  });

  test("a hook's denial wins over ask, and ask over a hook's allow", async () => {
    const answer = (decision: string) => `unknown_tools: ask
pre_tool_use:
  - hooks:
      - { type: command, command: 'echo ''{"hook_specific_output":{"permission_decision":"${decision}"}}''' }
`;
    expect(await machine("", answer("deny")).call("claude", NEW)).toBe("deny");
    expect(await machine("", answer("allow")).call("claude", NEW)).toBe("ask");
  });

  test("the tool of a configured MCP server is known, any other name of such a form is not", async () => {
    const { dispatch, cwd } = machine("", "unknown_tools: deny\n");
    writeFileSync(join(cwd, "opencode.json"), '{"mcp": {"mem": {}}}');
    const answer = (tool_name: string) => dispatch("opencode", { hook_event_name: "tool.execute.before", tool_name });
    expect((await answer("mem_add_note")).stdout).toBe("{}");
    expect((await answer("other_add_note")).stdout).toContain('"decision":"block"');
  });

  test("status and doctor name it with its count, and the audit log marks its calls", async () => {
    const { call, run, cwd } = machine("", GUARD);
    await run("install", "claude", "--user", "--file", "p0.yaml", "--yes");
    for (let i = 0; i < 3; i++) await call("claude", NEW);
    await call("claude", "Bash");
    const told = /tools seen that no name of hooksh covers: ToolOfNextMonth 3/;
    for (const command of ["status claude", "status", "doctor"])
      expect(await run(...command.split(" "))).toMatchObject({ stdout: expect.stringMatching(told) });
    const audit = readdirSync(join(cwd, "data"), { recursive: true })
      .map(String)
      .filter((name) => /audit.*jsonl$/.test(name));
    const lines = audit.flatMap((name) =>
      readFileSync(join(cwd, "data", name), "utf8")
        .trim()
        .split("\n"),
    );
    const marked = lines.map((line) => JSON.parse(line)).filter((entry) => entry.unknown_tool === true);
    expect(marked.map(({ tool }) => tool)).toEqual([NEW, NEW, NEW]);
  });
});

test("a value that it does not take is an error with its place, and nothing runs", async () => {
  const fields = { hook_event_name: "PreToolUse", tool_name: "Bash" };
  const wrong = await machine("", "unknown_tools: maybe\n").dispatch("claude", fields);
  expect(wrong.stdout).toMatch(/"deny".*p0\.yaml:1:16: hooks\.unknown_tools: expected allow, ask or deny but got/);
  const settings = await machine("settings: { unknown_tools: 3 }\n").dispatch("claude", fields);
  expect(settings.stdout).toMatch(/"deny".*settings\.unknown_tools: expected allow, ask or deny but got 3/);
});
