import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { hooksh } from "../helpers/binary.ts";
import { tempDir, temporaryHome } from "../helpers/temp-dir.ts";

interface Report {
  ok: boolean;
  version: { version: string; commit: string };
  directories: Record<
    "config" | "data" | "cache",
    { path: string; exists: boolean; writable: boolean; temporary: boolean }
  >;
  variables: { name: string; source: string; empty: boolean }[];
  programs: Record<"shell" | "git" | "docker", { command: string; found: boolean; detail: string }>;
  hooks: { user: number; agent?: number };
  issues: string[];
  warnings: string[];
  notes: string[];
  local_models: { provider: string; url: string; models: string[] }[];
}

/** A PATH with git but without docker, so that nothing uses the network. */
const PATH = tempDir();
symlinkSync(Bun.which("git") ?? "git", join(PATH, "git"));

/** Runs `hooksh doctor --json` and checks that the exit code agrees with the report. */
async function doctor(
  cwd: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Report> {
  const ran = await hooksh(["doctor", "--json", ...args], { cwd, env: { PATH, ...env } });
  expect(ran.stderr).toBe("");
  const report = JSON.parse(ran.stdout) as Report;
  expect({ code: ran.code, ok: report.ok }).toEqual(
    report.issues.length > 0 ? { code: 1, ok: false } : { code: 0, ok: true },
  );
  return report;
}

const secret = (text: string) => ["s", "k-", text, "0123456789"].join("");

describe("hooksh doctor", () => {
  test("finds no issue on a fresh machine, and creates no directory", async () => {
    const cwd = tempDir();
    const report = await doctor(cwd);
    expect(report).toMatchObject({
      ok: true,
      version: { version },
      variables: [],
      programs: {
        shell: { command: "/bin/sh", found: true },
        git: { found: true, detail: expect.stringContaining("git version") },
      },
      hooks: { user: 0 },
      issues: [],
      warnings: [],
    });
    expect(report.version.commit).toMatch(/^(unknown|[0-9a-f]{40}\+?)$/);
    expect(report.directories).toEqual({
      config: { path: join(cwd, ".home/.config/hooksh"), exists: false, writable: true, temporary: false },
      data: { path: join(cwd, ".home/.hooksh"), exists: false, writable: true, temporary: false },
      cache: { path: join(cwd, ".home/.cache/hooksh"), exists: false, writable: true, temporary: false },
    });
    expect(readdirSync(join(cwd, ".home"))).toEqual([]);
    const ran = await hooksh(["doctor"], { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain(`hooksh ${version} (commit `);
    expect(ran.stdout.trimEnd()).toEndWith("No issues found.");
  });

  test("says where each key is set, and never its value", async () => {
    const values = ["file", "process", "config"].map(secret);
    const cwd = tempDir({
      "keys.env": `OPENAI_API_KEY=${values[0]}\n`,
      "config/.env": `OPENAI_API_KEY=${secret("hidden")}\nMISTRAL_API_KEY=${values[2]}\n`,
    });
    const args = ["--config-dir", "config", "--env-from-file", "keys.env"];
    const env = {
      ANTHROPIC_API_KEY: values[1] ?? "",
      GROQ_API_KEY: "",
      HTTPS_PROXY: `http://me:${secret("proxy")}@proxy.invalid:1`,
    };
    const { variables } = await doctor(cwd, { args, env });
    expect(variables).toEqual([
      { name: "ANTHROPIC_API_KEY", source: "environment", empty: false },
      { name: "GROQ_API_KEY", source: "environment", empty: true },
      { name: "HTTPS_PROXY", source: "environment", empty: false },
      { name: "MISTRAL_API_KEY", source: "config .env", empty: false },
      { name: "OPENAI_API_KEY", source: "env file", empty: false },
    ]);
    for (const flags of [[], ["--json"]]) {
      const { stdout, stderr } = await hooksh(["doctor", ...flags, ...args], { cwd, env });
      expect(stdout).toContain("MISTRAL_API_KEY");
      expect(stdout + stderr).not.toContain("0123456789");
    }
  });

  test("lists every problem of the configuration with its place", async () => {
    const cwd = tempDir({
      "config/config.yaml": "settings:\n  hooks:\n    pre_tool_uze: []\n",
      "config/hooks.d/10-good.yaml": "stop:\n  - type: command\n    command: 'true'\n",
      "config/hooks.d/20-bad.yaml": "stop:\n  - type: command\n",
      "config/hooks.d/30-worse.yaml": "stop: [\n",
      "config/hooks.d/40-unread.txt": "stop: [\n",
    });
    const { issues } = await doctor(cwd, { args: ["--config-dir", "config"] });
    const place = (name: string) => issues.filter((issue) => issue.startsWith(join(cwd, "config", name)));
    expect(place("config.yaml:3:5")).toEqual([expect.stringContaining("settings.hooks.pre_tool_uze")]);
    expect(place("hooks.d/20-bad.yaml:2:5")).toEqual([expect.stringContaining("hooks.stop[0]")]);
    expect(place("hooks.d/30-worse.yaml")).not.toEqual([]);
    expect(issues.filter((issue) => issue.includes("10-good") || issue.includes("40-unread"))).toEqual([]);
    expect(new Set(issues).size).toBe(issues.length);
  });

  test("reports a syntax error in config.yaml once", async () => {
    const cwd = tempDir({ "config/config.yaml": "settings: [\n" });
    const { issues } = await doctor(cwd, { args: ["--config-dir", "config"] });
    expect(issues).toEqual([expect.stringContaining("config.yaml:")]);
  });

  test("names the keys in config.yaml that hooksh ignores", async () => {
    const cwd = tempDir({ "config/config.yaml": "board: {}\nsettings: {sound: true, snapshot: false}\n" });
    const { notes, issues } = await doctor(cwd, { args: ["--config-dir", "config"] });
    expect({ issues, notes }).toEqual({
      issues: [],
      notes: expect.arrayContaining(["config.yaml: hooksh ignores these keys of docker-agent: board, settings.sound"]),
    });
  });

  test("counts the hooks of the user", async () => {
    const cwd = tempDir({
      "config/config.yaml": "settings:\n  hooks:\n    stop:\n      - {type: command, command: 'true'}\n",
      "config/hooks.d/a.yaml": "stop:\n  - {type: builtin, command: add_date}\n  - {type: command, command: 'true'}\n",
    });
    expect((await doctor(cwd, { args: ["--config-dir", "config"] })).hooks).toEqual({ user: 3 });
  });
});

describe("hooksh doctor with an agent", () => {
  const file = (agent: object) =>
    JSON.stringify({ agents: { root: { description: "d", instruction: "i", model: "openai/gpt-4o", ...agent } } });

  test("names the keys that its models need, and none once they are set", async () => {
    const cwd = tempDir({ "agent.yaml": file({}) });
    expect((await doctor(cwd, { args: ["agent.yaml"] })).issues).toEqual([
      expect.stringMatching(
        /^not set: OPENAI_API_KEY: needed by openai\/gpt-4o; .*\n {2}get a key of OpenAI at https:/,
      ),
    ]);
    const { issues, hooks } = await doctor(cwd, { args: ["agent.yaml"], env: { OPENAI_API_KEY: secret("there") } });
    expect(issues).toEqual([]);
    expect(hooks.agent).toBeGreaterThan(0);
  });

  test("lists the problems of its file", async () => {
    const cwd = tempDir({ "agent.yaml": file({ hooks: { stop: [{ type: "command" }] } }) });
    const { issues } = await doctor(cwd, { args: ["agent.yaml"], env: { OPENAI_API_KEY: secret("there") } });
    expect(issues).toEqual([expect.stringContaining("hooks.stop[0]")]);
    expect((await doctor(cwd, { args: ["nothing.yaml"] })).issues).toEqual([expect.stringContaining("nothing.yaml")]);
  });

  test("warns that a shell gets around rules for files", async () => {
    const toolsets = [{ type: "filesystem", deny_list: ["."] }, { type: "shell" }];
    const env = { OPENAI_API_KEY: secret("there") };
    const warned = async (files: Record<string, string>) =>
      (await doctor(tempDir(files), { args: ["agent.yaml"], env })).warnings;
    const warning = expect.stringContaining(
      "agents.root: .agentsignore and deny_list restrict the file tools, not its shell toolset",
    );
    expect(await warned({ "agent.yaml": file({ toolsets }) })).toEqual([warning]);
    expect(await warned({ "agent.yaml": file({ toolsets: toolsets.slice(1) }), ".agentsignore": "x\n" })).toEqual([
      warning,
    ]);
    expect(await warned({ "agent.yaml": file({ toolsets: toolsets.slice(1) }) })).toEqual([]);
    expect(await warned({ "agent.yaml": file({ toolsets: toolsets.slice(0, 1) }) })).toEqual([]);
  });

  test("takes one agent", async () => {
    expect(await hooksh(["doctor", "a.yaml", "b.yaml"], { cwd: tempDir() })).toMatchObject({ code: 64, stdout: "" });
  });
});

describe("hooksh doctor reports", () => {
  test("variables that the embedded runtime acts on", async () => {
    const { warnings } = await doctor(tempDir(), { env: { BUN_OPTIONS: "--smol" } });
    expect(warnings).toEqual([expect.stringContaining("BUN_OPTIONS is set")]);
  });

  test("a models gateway, which is not supported", async () => {
    const { warnings } = await doctor(tempDir(), { env: { DOCKER_AGENT_MODELS_GATEWAY: "https://gateway.invalid" } });
    expect(warnings).toEqual(["DOCKER_AGENT_MODELS_GATEWAY is set, but a models gateway is not supported"]);
  });

  test("a shell that does not work", async () => {
    const { issues } = await doctor(tempDir(), { env: { SHELL: "/nowhere/sh" } });
    expect(issues).toEqual([expect.stringContaining("/nowhere/sh: not found: command hooks")]);
  });

  test("Docker Model Runner, if it is configured, without its credentials", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ data: [] }) });
    const { port } = server;
    const env = { MODEL_RUNNER_HOST: `http://me:${secret("host")}@127.0.0.1:${port}` };
    const url = `http://127.0.0.1:${port}/engines/v1/`;
    expect(await doctor(tempDir(), { env })).toMatchObject({
      model_runner: { url, answers: true },
    });
    await server.stop(true);
    const ran = await hooksh(["doctor"], { cwd: tempDir(), env: { PATH, ...env } });
    expect(ran.stdout).toContain(`Docker Model Runner does not answer at ${url}\n`);
    expect(ran.stdout).not.toContain("0123456789");
  });

  test("a missing git, which is not an issue", async () => {
    const { programs, warnings, issues } = await doctor(tempDir(), { env: { PATH: "/nowhere" } });
    expect(programs.git).toMatchObject({ found: false, detail: "not found" });
    expect({ warnings, issues }).toEqual({ warnings: [expect.stringContaining("git does not work")], issues: [] });
  });

  test("a directory that is a file", async () => {
    const cwd = tempDir({ hooksh: "" });
    const { issues } = await doctor(cwd, { env: { XDG_DATA_HOME: cwd } });
    expect(issues).toEqual([expect.stringContaining("/hooksh: not a directory")]);
  });

  test.each(["config", "data", "cache"])("a named %s directory that does not exist", async (kind) => {
    const byFlag = await doctor(tempDir(), { args: [`--${kind}-dir`, "typo"] });
    expect(byFlag.issues).toContain(`--${kind}-dir typo: no such directory`);
    const variable = `HOOKSH_${kind.toUpperCase()}_DIR`;
    expect((await doctor(tempDir(), { env: { [variable]: "/typo" } })).issues).toContain(
      `${variable} /typo: no such directory`,
    );
  });

  test("names close to one that hooksh reads", async () => {
    const cwd = tempDir({ "config/config.yml": "", "config/hook.d/a.yaml": "", "config/hooks.d/a.json": "{}" });
    const { issues } = await doctor(cwd, { args: ["--config-dir", "config"] });
    expect(issues).toEqual(
      expect.arrayContaining([
        expect.stringContaining("config.yml: not read"),
        expect.stringContaining("hook.d: not read"),
        expect.stringContaining("not read: a.json"),
      ]),
    );
    const { stdout } = await hooksh(["doctor", "--config-dir", "config"], { cwd, env: { PATH } });
    expect(stdout.trimEnd()).toEndWith("\n3 issues found.");
  });

  test("a directory that cannot be created", async () => {
    const cwd = tempDir({ file: "" });
    const { issues, directories } = await doctor(cwd, { env: { XDG_DATA_HOME: join(cwd, "file") } });
    expect(issues).toEqual([expect.stringContaining("file/hooksh: not writable: sessions and snapshots")]);
    expect(directories.data).toMatchObject({ exists: false, writable: false });
  });

  test("model servers on this machine that answer, and what hooksh run lacks without one", async () => {
    const nowhere = {
      OLLAMA_HOST: "127.0.0.1:1",
      LM_STUDIO_HOST: "127.0.0.1:1",
      MODEL_RUNNER_HOST: "http://127.0.0.1:1",
    };
    const without = await doctor(tempDir(), { env: nowhere });
    expect(without).toMatchObject({ ok: true, local_models: [] });
    expect(without.notes).toEqual([
      expect.stringContaining(
        "hooksh run without an agent cannot start: no provider has a key, and Docker Model Runner",
      ),
    ]);
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ data: "abcdefg".split("").map((id) => ({ id })) }),
    });
    const env = { ...nowhere, OLLAMA_HOST: `127.0.0.1:${server.port}`, OPENAI_API_KEY: secret("there") };
    const models = [..."abcdefg"];
    const url = `http://127.0.0.1:${server.port}/v1/`;
    expect(await doctor(tempDir(), { env })).toMatchObject({
      notes: [],
      local_models: [{ provider: "ollama", url, models }],
    });
    const { stdout } = await hooksh(["doctor"], { cwd: tempDir(), env: { PATH, ...env } });
    await server.stop(true);
    expect(stdout).toContain(`\nLocal models\n  ollama  ${url}  a, b, c, d, e and 2 more\n`);
  });

  test("the agent file of the directory, which hooksh run uses", async () => {
    const cwd = tempDir({ "agent.yaml": "agents: {root: {model: openai/gpt-4o, instruction: x}}" });
    const report = await doctor(cwd);
    expect(report.notes).toEqual(["checked agent.yaml, which hooksh run uses in this directory"]);
    expect(report.issues).toEqual([expect.stringContaining("not set: OPENAI_API_KEY")]);
  });

  test("a list of ignored files that does not restrict the shell", async () => {
    const { notes } = await doctor(tempDir({ ".agentsignore": "*.pem\n" }));
    expect(notes).toContainEqual(expect.stringContaining(".agentsignore restricts the file tools"));
  });
});

describe("without a writable home directory", () => {
  const places = (temporary: string) => ({
    config: { path: join(temporaryHome(temporary), "config"), exists: true, writable: true, temporary: true },
    data: { path: join(temporaryHome(temporary), "data"), exists: true, writable: true, temporary: true },
    cache: { path: join(temporaryHome(temporary), "cache"), exists: true, writable: true, temporary: true },
  });

  test("hooksh uses a temporary directory that only this user can write, and says so", async () => {
    const cwd = tempDir({ home: "a file" });
    const temporary = tempDir();
    const { directories, warnings } = await doctor(cwd, { env: { HOME: join(cwd, "home"), TMPDIR: temporary } });
    expect(directories).toEqual(places(temporary));
    expect(warnings).toHaveLength(3);
    expect(warnings[1]).toContain(`${temporaryHome(temporary)}/data is in the temporary directory and may be lost`);
    expect(statSync(join(temporaryHome(temporary), "config")).mode & 0o777).toBe(0o700);
  });

  test.each([".", "config"])("does not use a directory there that others can write: %s", async (open) => {
    const cwd = tempDir({ home: "a file" });
    const temporary = tempDir();
    mkdirSync(join(temporaryHome(temporary), "config"), { recursive: true, mode: 0o700 });
    chmodSync(join(temporaryHome(temporary), open), 0o777);
    const ran = await hooksh(["doctor"], { cwd, env: { HOME: join(cwd, "home"), TMPDIR: temporary } });
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain(
      `${join(temporaryHome(temporary), open)}, which hooksh uses instead, is not a directory that only this user can write`,
    );
  });

  test.if(process.getuid?.() === 0)("what another user has put there is not used", async () => {
    const cwd = tempDir({ home: "a file" });
    const temporary = tempDir();
    const home = temporaryHome(temporary);
    mkdirSync(join(home, "config/hooks.d"), { recursive: true });
    writeFileSync(join(home, "config/hooks.d/x.yaml"), "stop:\n  - {type: command, command: touch run}\n");
    chownSync(home, 12345, 12345);
    const env = { HOME: join(cwd, "home"), TMPDIR: temporary };
    const ran = await hooksh(["dispatch", "--event", "stop"], { cwd, env, input: "{}" });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(join(cwd, "run"))).toBe(false);
  });

  test("reads configuration in a read-only home directory", async () => {
    const cwd = tempDir({ "home/.config/hooksh/hooks.d/x.yaml": "stop:\n  - {type: command, command: 'true'}\n" });
    chmodSync(join(cwd, "home"), 0o555);
    const { hooks, directories } = await doctor(cwd, { env: { HOME: join(cwd, "home") } });
    chmodSync(join(cwd, "home"), 0o755);
    expect({ hooks, exists: directories.config.exists }).toEqual({ hooks: { user: 1 }, exists: true });
  });

  test("still prints the version", async () => {
    const env = { HOME: "", TMPDIR: "/nowhere" };
    expect(await hooksh(["version"], { cwd: tempDir(), env })).toMatchObject({
      code: 0,
      stdout: `hooksh ${version}\n`,
    });
    expect(await hooksh(["--version"], { cwd: tempDir(), env })).toMatchObject({
      code: 0,
      stdout: `hooksh ${version}\n`,
    });
  });
});
