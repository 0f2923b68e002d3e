/** `hooksh run` without an agent uses the file that it finds in the directory, once the user trusts it. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

const serve = modelServers();

const starting = (command: string) => ({ session_start: [{ type: "command", command }] });

describe("an agent file that hooksh finds", () => {
  test("runs nothing and is sent nothing without a terminal, and the refusal lists what it would do", async () => {
    const cwd = tempDir({
      "agent.yaml": agentFor({ url: "http://127.0.0.1:9/v1" }, { hooks: starting("touch MADE") }),
    });
    const ran = await hooksh(["run"], { cwd, input: "go" });
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr.split("\n")).toEqual([
      "using agent.yaml",
      `${cwd}/agent.yaml is not trusted yet. hooksh found it in this directory; it would do this on this machine:`,
      '  agents.root.hooks.session_start[0]: runs "touch MADE"',
      "  agents.root.toolsets[0]: tools shell",
      "  agents.root.redact_secrets: leaves secrets in what the model sees",
      '  providers.fake: sends the conversation to "http://127.0.0.1:9/v1"',
      "Trust it for this run with --trust-folder, or by its name: hooksh run agent.yaml",
      "",
    ]);
    expect(existsSync(join(cwd, "MADE"))).toBe(false);
  });

  test("runs with --trust-folder, which is not remembered, and by its name", async () => {
    const cwd = tempDir({ "agent.yaml": agentFor(serve({ text: "one" }, { text: "two" })) });
    expect(await hooksh(["run", "--trust-folder"], { cwd, input: "go" })).toMatchObject({ code: 0, stdout: "one\n" });
    expect((await hooksh(["run"], { cwd, input: "go" })).code).toBe(1);
    expect(await hooksh(["run", "agent.yaml", "go"], { cwd })).toMatchObject({ code: 0, stdout: "two\n" });
  });

  test("is meant if the first word is a message, and needs the same trust", async () => {
    const cwd = tempDir({ "agent.yaml": agentFor(serve({ text: "one" })) });
    expect(await hooksh(["run", "fix the bug"], { cwd })).toMatchObject({ code: 1, stdout: "" });
    const ran = await hooksh(["run", "fix the bug", "--trust-folder"], { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: "one\n" });
    const elsewhere = await hooksh(["run", "fix the bug"], { cwd: tempDir() });
    expect(elsewhere.stderr).toContain("a message follows the agent: hooksh run default MESSAGE");
  });

  test("--trust-folder beside an agent is refused, because it would do nothing", async () => {
    const cwd = tempDir({ "agent.yaml": agentFor({ url: "http://127.0.0.1:9/v1" }) });
    expect(await hooksh(["run", "--trust-folder", "agent.yaml", "go"], { cwd })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("--trust-folder is for a run that names no agent; this one names agent.yaml"),
    });
  });

  test("is asked about once at a terminal, and again when what it runs changes, but not for its texts", async () => {
    const server = serve({ text: "first" }, { text: "second" });
    const cwd = tempDir();
    const write = (command: string, instruction: string) =>
      writeFileSync(join(cwd, "agent.yaml"), agentFor(server, { hooks: starting(command), instruction }));
    const run = () => startAtTerminal(cwd, ["run", "--exec"]);

    write("touch MADE", "Be brief.");
    const refused = run();
    await refused.sees("Trust it from now on? [y/N] ");
    refused.press("n\r");
    expect(await refused.child.exited).toBe(1);
    expect(existsSync(join(cwd, "MADE"))).toBe(false);

    const agreed = run();
    await agreed.sees("Trust it from now on? [y/N] ");
    agreed.press("y\r");
    await agreed.child.exited;
    expect(existsSync(join(cwd, ".home/.hooksh/trust.json"))).toBe(true);

    write("touch MADE", "Be very brief.");
    expect(await hooksh(["run"], { cwd, input: "go" })).toMatchObject({ code: 0, stdout: "first\n" });
    write("touch OTHER", "Be very brief.");
    const changed = await hooksh(["run"], { cwd, input: "go" });
    expect(changed.code).toBe(1);
    expect(changed.stderr).toContain("agent.yaml has changed since it was trusted.\n");
    expect(changed.stderr).toContain('+ agents.root.hooks.session_start[0]: runs "touch OTHER"');
    write("touch MADE", "Be brief.");
    expect(await hooksh(["run"], { cwd, input: "go" })).toMatchObject({ code: 0, stdout: "second\n" });
  });

  test("is not trusted because a file in another folder does the same", async () => {
    const text = agentFor(serve({ text: "one" }));
    const cwd = tempDir({ "a/agent.yaml": text, "b/agent.yaml": text });
    const env = { HOME: join(cwd, "home") };
    const first = startAtTerminal(join(cwd, "a"), ["run", "--exec"], { env });
    await first.sees("Trust it from now on? [y/N] ");
    first.press("y\r");
    await first.child.exited;
    expect(await hooksh(["run"], { cwd: join(cwd, "a"), input: "go", env })).toMatchObject({ code: 0 });
    expect(await hooksh(["run"], { cwd: join(cwd, "b"), input: "go", env })).toMatchObject({ code: 1 });
  });

  test("needs no trust if its agents can only talk", async () => {
    const cwd = tempDir({ "agent.yaml": "agents: {root: {model: openai/x, instruction: Talk.}}\n" });
    expect((await hooksh(["run"], { cwd, input: "go" })).stderr).toContain("not set: OPENAI_API_KEY");
  });
});

test("init trusts the agent that it writes, and no other that is found before it", async () => {
  const cwd = tempDir();
  const env = { HOME: join(cwd, "home"), OPENAI_API_KEY: "k" };
  const trusted = () => {
    const file = join(cwd, "home/.hooksh/trust.json");
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as { agents: { reference: string }[] }).agents
      : [];
  };
  for (const [name, files] of [
    ["own", {}],
    ["other", { "hooksh.yaml": "agents: {root: {model: openai/x, toolsets: [{type: shell}]}}\n" }],
  ] as const) {
    mkdirSync(join(cwd, name));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, name, file), text);
    expect((await hooksh(["init"], { cwd: join(cwd, name), env })).code).toBe(0);
  }
  expect(trusted().map(({ reference }) => reference)).toEqual([join(cwd, "own/agent.yaml")]);
});

describe("--dry-run starts and fetches nothing", () => {
  test("of a found file, which needs no trust for it", async () => {
    let requests = 0;
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => {
        requests++;
        return new Response("{}");
      },
    });
    const url = `http://127.0.0.1:${server.port}`;
    const agent = {
      model: "own/x",
      instruction: "x",
      skills: [`${url}/skills`],
      sub_agents: [`${url}/helper.yaml`],
      hooks: starting("touch HOOK"),
      toolsets: [
        { type: "shell" },
        { type: "mcp", command: "./mcp.sh" },
        { type: "mcp", remote: { url: `${url}/mcp` }, allow_private_ips: true },
        { type: "openapi", url: `${url}/api.json`, allow_private_ips: true },
      ],
    };
    const cwd = tempDir({
      "agent.yaml": JSON.stringify({ providers: { own: { base_url: `${url}/v1` } }, agents: { root: agent } }),
      "mcp.sh!x": "#!/bin/sh\ntouch SERVER\n",
    });
    const ran = await hooksh(["run", "--dry-run"], { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/^using agent\.yaml\n/) });
    expect(ran.stdout.split("\n")).toEqual([
      "* root: own/x, 1 tool (shell)",
      "  not started or fetched: agents.root.toolsets[1] (mcp)",
      "  not started or fetched: agents.root.toolsets[2] (mcp)",
      "  not started or fetched: agents.root.toolsets[3] (openapi)",
      `  not started or fetched: skills from ${url}/skills`,
      `  not started or fetched: ${url}/helper.yaml`,
      "",
    ]);
    expect({ requests, hook: existsSync(join(cwd, "HOOK")), server: existsSync(join(cwd, "SERVER")) }).toEqual({
      requests: 0,
      hook: false,
      server: false,
    });
  });
});
