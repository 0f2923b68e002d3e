import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** An agent file with one toolset, whose entry starts in the fourth line. */
const agentWith = (toolset: string, rest = "") => `agents:
  root:
    model: openai/gpt-4o
    toolsets:
      - ${toolset.replaceAll("\n", "\n        ")}
${rest}`;

/** The output of `validate` and `validate --strict` for a toolset in its own directory. */
async function validate(
  toolset: string,
  { rest = "", env = {}, cwd = tempDir({}) }: { rest?: string; env?: Record<string, string>; cwd?: string } = {},
) {
  writeFileSync(join(cwd, "agent.yaml"), agentWith(toolset, rest));
  const [plain, strict] = await Promise.all(
    [
      ["validate", "agent.yaml"],
      ["validate", "--strict", "agent.yaml"],
    ].map((args) => hooksh(args, { cwd, env })),
  );
  return { code: plain?.code, strict: strict?.code, stderr: plain?.stderr ?? "", stdout: plain?.stdout };
}

/** A directory for the PATH, without a docker command. */
function programs(names: Record<string, number> = {}): string {
  const folder = tempDir({});
  for (const [name, mode] of Object.entries(names)) {
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), mode);
  }
  return folder;
}

describe("a toolset that cannot start anywhere is a problem with its position", () => {
  test.each([
    ["type: mcp\nremote: {url: nowhere}", '6:23: agents.root.toolsets[0].remote.url: "nowhere" is not a URL'],
    [
      "type: mcp\nremote: {url: 'unix:///run/mcp'}",
      '6:23: agents.root.toolsets[0].remote.url: "unix:///run/mcp": unix: URLs are not supported',
    ],
    ["type: openapi\nurl: ./openapi.yaml", '6:14: agents.root.toolsets[0].url: "./openapi.yaml" is not a URL'],
    [
      "type: openapi\nurl: file:///openapi.yaml",
      '6:14: agents.root.toolsets[0].url: "file:///openapi.yaml": file: URLs are not supported',
    ],
    [
      "type: api\napi_config: {name: a, endpoint: b, method: GET}",
      '6:41: agents.root.toolsets[0].api_config.endpoint: "b" is not a URL',
    ],
    [
      "type: api\napi_config: {name: a, endpoint: 'http://b', method: GTE}",
      "api_config.method: expected one of GET, HEAD",
    ],
    [
      "type: mcp\nref: docker:--privileged",
      '6:14: agents.root.toolsets[0].ref: "--privileged" is not a valid server name',
    ],
    [
      "type: script\nshell: {a: {cmd: 'echo $who'}}",
      "agents.root.toolsets[0].shell.a.cmd: $who is neither declared under args nor set in env",
    ],
    ["type: fetch\nallowed_domains: ['a b']", "6:27: agents.root.toolsets[0].allowed_domains[0]: not a domain"],
  ])("%s", async (toolset, problem) => {
    const { code, stderr } = await validate(toolset);
    expect(stderr).toContain(problem);
    expect(code).toBe(1);
  });
});

describe("a toolset that cannot start on this machine is a warning with its position, and an error under --strict", () => {
  const circle = () => {
    const cwd = tempDir({});
    symlinkSync("circle", join(cwd, "circle"));
    return cwd;
  };
  const unreadable = () => {
    const cwd = tempDir({});
    mkdirSync(join(cwd, ".agentsignore"));
    return cwd;
  };
  const withFile = (name: string, text: string, mode: number) => {
    const cwd = tempDir({ [name]: text });
    chmodSync(join(cwd, name), mode);
    return cwd;
  };
  test.each<[string, string, Parameters<typeof validate>[1]]>([
    [
      "type: mcp\ncommand: no-such-server",
      '6:18: agents.root.toolsets[0].command: cannot start: the command "no-such-server" was not found in PATH',
      {},
    ],
    [
      "type: mcp\ncommand: ./server",
      '6:18: agents.root.toolsets[0].command: cannot start: the command "./server": no such file: ',
      {},
    ],
    [
      "type: mcp\ncommand: ./server",
      '"./server": not executable, chmod +x ',
      { cwd: withFile("server", "#!/bin/sh\n", 0o644) },
    ],
    [
      "type: mcp\ncommand: ./server",
      '"./server": its first line names /no/such, which does not exist',
      { cwd: withFile("server", "#!/no/such\n", 0o755) },
    ],
    ["type: mcp\ncommand: plain", '"plain": not executable, chmod +x ', { env: { PATH: programs({ plain: 0o644 }) } }],
    [
      "type: mcp\ncommand: sh\nworking_dir: ./gone",
      '7:22: agents.root.toolsets[0].working_dir: cannot start: working directory "',
      {},
    ],
    [
      "type: mcp\nref: docker:github",
      "6:14: agents.root.toolsets[0].ref: cannot start: docker:github needs the docker command",
      { env: { PATH: programs() } },
    ],
    [
      "type: mcp\nref: docker:github",
      "docker:github needs the MCP plugin of the docker command",
      { env: { PATH: programs({ docker: 0o755 }), DOCKER_CONFIG: "/no/such" } },
    ],
    [
      "type: mcp\nremote: {url: 'http://127.0.0.1:9/mcp'}",
      "6:23: agents.root.toolsets[0].remote.url: cannot start: 127.0.0.1 is an internal address: allow_private_ips: true",
      {},
    ],
    [
      "type: openapi\nurl: http://localhost/openapi.json",
      "6:14: agents.root.toolsets[0].url: cannot start: localhost is an internal address",
      {},
    ],
    [
      "type: filesystem\nallow_list: ['.', circle]",
      '6:27: agents.root.toolsets[0].allow_list[1]: cannot start: "circle": ',
      { cwd: circle() },
    ],
    ["type: filesystem\ndeny_list: ['C:\\x']", "6:21: agents.root.toolsets[0].deny_list[0]: cannot start: ", {}],
    ["type: filesystem", "5:9: agents.root.toolsets[0]: cannot start: ", { cwd: unreadable() }],
    [
      "type: script\nshell: {a: {cmd: ls, working_dir: gone}}",
      '6:43: agents.root.toolsets[0].shell.a.working_dir: cannot start: working directory "',
      {},
    ],
    [
      "type: memory\npath: memories",
      "6:15: agents.root.toolsets[0].path: cannot start: ",
      { cwd: tempDir({ "memories/notes.txt": "" }) },
    ],
    [
      "type: memory\npath: file/memory.db",
      "agents.root.toolsets[0].path: cannot start: ",
      { cwd: tempDir({ file: "" }) },
    ],
    [
      "type: shell\ntools: [shell, bash]",
      '6:24: agents.root.toolsets[0].tools[1]: "bash" is not a tool of this toolset',
      {},
    ],
    [
      "type: script\nshell: {a: {cmd: ls}}\ntools: [b]",
      '7:17: agents.root.toolsets[0].tools[0]: "b" is not a tool of this toolset',
      {},
    ],
    [
      "type: background_agents\ntools: [shell]",
      'agents.root.toolsets[0].tools[0]: "shell" is not a tool of this toolset',
      {},
    ],
    ["type: git", 'agents.root.toolsets[0].type: "git" is not supported yet', {}],
    [
      "type: lsp\ncommand: gopls\nlifecycle: {profile: strict}",
      "agents.root.toolsets[0].type: cannot start: is not supported yet, but its lifecycle says that the agent requires it",
      {},
    ],
    [
      "type: mcp\nref: files",
      '9:14: agents.root.toolsets[0].command: cannot start: the command "no-such-server"',
      { rest: "mcps:\n  files:\n    command: no-such-server\n" },
    ],
    [
      "type: think",
      '9:14: mcps.files.command: cannot start: the command "no-such-server"',
      { rest: "\nmcps:\n  files:\n    command: no-such-server\n" },
    ],
    [
      "type: think",
      '8:40: toolsets.group.command: cannot start: the command "no-such-server"',
      { rest: "\n\ntoolsets: {group: {type: mcp, command: no-such-server}}\n" },
    ],
  ])("%s: %s", async (toolset, warning, options) => {
    const { code, strict, stderr, stdout } = await validate(toolset, options);
    expect(stderr).toContain(warning);
    expect({ code, strict, stdout }).toEqual({
      code: 0,
      strict: 1,
      stdout: expect.stringMatching(/^agent.yaml: ok, \d warnings?\n$/),
    });
  });

  test("but a toolset that could start is not", async () => {
    const env = {
      PATH: `${programs({ own: 0o755 })}:/usr/bin:/bin`,
      HOME: tempDir({ ".docker/cli-plugins/docker-mcp": "" }),
    };
    for (const toolset of [
      "type: mcp\ncommand: own\nargs: [x]\nenv: {KEY: '${env.NOT_SET}'}",
      `type: mcp\ncommand: server\nenv: {PATH: ${programs({ server: 0o755 })}}`,
      "type: mcp\nremote: {url: 'https://example.com/mcp'}",
      "type: mcp\nremote: {url: '${env.SERVER}'}",
      "type: mcp\nremote: {url: 'https://${env.SERVER}/mcp'}",
      "type: mcp\nremote: {url: 'http://localhost:1/mcp'}\nallow_private_ips: true",
      "type: filesystem\nallow_list: ['.', '~/x', not-there]",
      "type: filesystem\ntools: [read_file, write_file]",
      "type: script\nshell: {a: {cmd: ls, working_dir: ..}}\ntools: [a]",
      "type: memory\npath: not/there/memory.db",
      "type: memory",
    ]) {
      const { strict, stderr } = await validate(toolset, { env });
      expect({ toolset, strict, stderr }).toEqual({ toolset, strict: 0, stderr: "" });
    }
  });
});

test("doctor reports it as an issue, with the variables that an entry needs", async () => {
  const cwd = tempDir({
    "agent.yaml": agentWith("type: mcp\ncommand: no-such-server\nenv: {KEY: '${env.NOT_SET_ANYWHERE}'}"),
  });
  const { code, stdout } = await hooksh(["doctor", "--json", "agent.yaml"], { cwd, env: { OPENAI_API_KEY: "k" } });
  const { issues } = JSON.parse(stdout) as { issues: string[] };
  expect(issues).toContainEqual(
    expect.stringContaining("agent.yaml:7:14: agents.root.toolsets[0].env: cannot start: not set: NOT_SET_ANYWHERE"),
  );
  expect(issues).toContainEqual(
    expect.stringContaining(
      'agent.yaml:6:18: agents.root.toolsets[0].command: cannot start: the command "no-such-server"',
    ),
  );
  expect(code).toBe(1);
});

test("a run says why a toolset did not start, and continues", async () => {
  const server = fakeOpenAI([{ text: "Done." }]);
  const toolsets = [{ type: "mcp", remote: { url: "${env.HOOKSH_TEST_URL}" } }];
  const cwd = tempDir({ "agent.json": agentFor(server, { toolsets }) });
  const { code, stderr } = await hooksh(["run", "agent.json", "hi"], { cwd, env: { HOOKSH_TEST_URL: "ftp://x" } });
  server.stop();
  expect(stderr).toBe(
    "warning: agents.root.toolsets[0] (mcp) did not start, its tools are missing: remote.url: ftp:// is not supported: http or https\n",
  );
  expect(code).toBe(0);
});
