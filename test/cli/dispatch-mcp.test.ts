import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const TOOL = { name: "add_note", input: { text: "x" } };

/** A call of an MCP tool as each agent sends it, under the name that it makes from server and tool. */
const HOSTS: Readonly<
  Record<string, { visible: (server: string) => string; payload: (name: string, cwd: string) => object }>
> = {
  claude: { visible: (server) => `mcp__${server}__add_note`, payload: snake("PreToolUse") },
  codex: { visible: (server) => `mcp__${server}__add_note`, payload: snake("PreToolUse") },
  qwen: { visible: (server) => `mcp__${server}__add_note`, payload: snake("PreToolUse") },
  kimi: { visible: (server) => `mcp__${server}__add_note`, payload: snake("PreToolUse") },
  droid: { visible: (server) => `${server}___add_note`, payload: snake("PreToolUse") },
  opencode: { visible: (server) => `${server}_add_note`, payload: snake("tool.execute.before") },
  vibe: { visible: (server) => `${server}_add_note`, payload: snake("pre_tool") },
  crush: {
    visible: (server) => `mcp_${server}_add_note`,
    payload: (tool_name, cwd) => ({ event: "PreToolUse", session_id: "s1", cwd, tool_name, tool_input: TOOL.input }),
  },
  copilot: {
    visible: (server) => `${server}-add_note`,
    payload: (toolName, cwd) => ({ sessionId: "s1", cwd, toolName, toolArgs: JSON.stringify(TOOL.input) }),
  },
};

function snake(event: string) {
  return (tool_name: string, cwd: string) => ({
    hook_event_name: event,
    session_id: "s1",
    cwd,
    tool_name,
    tool_input: TOOL.input,
    tool_use_id: "t1",
  });
}

/** Whether a guard with a matcher is asked about a call of `add_note` of a server. `files`: those of the home directory. */
async function isAsked(host: string, matcher: string, server: string, files: Record<string, string> = {}) {
  const cwd = tempDir({
    "hooks.yaml": JSON.stringify({
      pre_tool_use: [{ matcher, hooks: [{ type: "command", command: "echo asked >&2; exit 2" }] }],
    }),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`home/${path}`, text])),
  });
  mkdirSync(join(cwd, "home"), { recursive: true });
  const { visible = () => "", payload = () => ({}) } = HOSTS[host] ?? {};
  const event = host === "copilot" ? ["--event", "preToolUse"] : [];
  const { stdout, stderr } = await hooksh(["dispatch", "--hooks-file", "hooks.yaml", "--dialect", host, ...event], {
    cwd,
    env: { HOME: join(cwd, "home") },
    input: JSON.stringify(payload(visible(server), cwd)),
  });
  return `${stdout}${stderr}`.includes("asked");
}

describe("a guard of an MCP server is asked on every agent, with or without the agent's configuration", () => {
  for (const host of Object.keys(HOSTS)) {
    test(host, async () => {
      expect(await isAsked(host, "mcp:.*", "mem")).toBe(true);
      expect(await isAsked(host, "mcp:mem:.*", "mem")).toBe(true);
      expect(await isAsked(host, "mcp:mem:add_note", "mem")).toBe(true);
      expect(await isAsked(host, "mcp:my_mem:.*", "my_mem")).toBe(true);
      expect(await isAsked(host, "mcp:other:.*", "mem")).toBe(false);
    });
  }
});

describe("the agent's own configuration tells the server", () => {
  const sees = async (host: string, server: string, files: Record<string, string>) => {
    const cwd = tempDir({
      "hooks.yaml": JSON.stringify({
        pre_tool_use: [{ matcher: "*", hooks: [{ type: "command", command: "cat >&2; exit 2" }] }],
      }),
      ...files,
    });
    const { visible = () => "", payload = () => ({}) } = HOSTS[host] ?? {};
    mkdirSync(join(cwd, "work/deep"), { recursive: true });
    const { stdout } = await hooksh(
      [
        "dispatch",
        "--hooks-file",
        "hooks.yaml",
        "--dialect",
        host,
        ...(host === "copilot" ? ["--event", "preToolUse"] : []),
      ],
      {
        cwd,
        env: { HOME: join(cwd, "home") },
        input: JSON.stringify(payload(visible(server), join(cwd, "work/deep"))),
      },
    );
    return /tool_qualified_name\W+(mcp:[^"\\]*)/.exec(stdout)?.[1];
  };
  test.each([
    ["copilot", "home/.copilot/mcp-config.json", '{"mcpServers": {"my-mem": {}, "my": {}}}', "my-mem"],
    ["copilot", "work/.mcp.json", '{"mcpServers": {"my-mem": {}}}', "my-mem"],
    ["opencode", "home/.config/opencode/opencode.json", '{"mcp": {"my.mem": {"type": "local"}}}', "my_mem"],
    ["opencode", "work/opencode.jsonc", '// servers\n{"mcp": {"my_mem": {},}}', "my_mem"],
    ["vibe", "home/.vibe/config.toml", '[[mcp_servers]]\nname = "my_mem"\n', "my_mem"],
    ["codex", "home/.codex/config.toml", '[mcp_servers.my__mem]\ncommand = "x"\n', "my__mem"],
    ["crush", "home/.config/crush/crush.json", '{"mcp": {"my_mem": {}}}', "my_mem"],
  ])("%s: %s", async (host, path, text, server) => {
    const qualified = await sees(host, server, { [path]: text });
    expect(qualified?.replaceAll(/[^a-z:]/g, "_")).toBe(`mcp:${server.replaceAll(/[^a-z]/g, "_")}:add_note`);
  });

  test("a name that no server begins has no qualified name", async () => {
    expect(await sees("opencode", "my_mem", { "work/opencode.json": '{"mcp": {"other": {}}}' })).toBeUndefined();
    expect(await sees("opencode", "my_mem", { "work/opencode.json": "not JSON" })).toBeUndefined();
  });
});
