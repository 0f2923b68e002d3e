import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const command = (line: string) => ({ type: "command", command: line });
const POLICY = JSON.stringify({
  pre_tool_use: [{ hooks: [command("echo no >&2; exit 2")] }],
  session_start: [command("true")],
});

/** A project, and a port at which nothing listens. */
function project() {
  const cwd = tempDir({ "hooks.yaml": POLICY });
  const closed = Bun.serve({ port: 0, fetch: () => new Response() });
  const { port = 0 } = closed;
  closed.stop(true);
  const run = (...args: string[]) => hooksh(args, { cwd });
  const install = (...more: string[]) => run("install", "claude", "--yes", "--file", "hooks.yaml", ...more);
  const file = join(cwd, ".home/.claude/settings.json");
  const hooks = () => JSON.parse(readFileSync(file, "utf8")).hooks;
  return { cwd, port, run, install, file, hooks };
}

describe("install --serve", () => {
  test("registers the server for every event that Claude Code posts, and a command for the others", async () => {
    const { cwd, port, run, install, file, hooks } = project();
    const { code, stdout, stderr } = await install(`--serve=${port}`);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`hooksh serve --port ${port} --guards-stay --hooks-file ${join(cwd, "hooks.yaml")}\n`);
    expect(stdout).toContain(`HOOKSH_SERVE_TOKEN=$(cat ${join(cwd, ".home/.hooksh/serve.token")}) claude\n`);
    expect(hooks().PreToolUse).toEqual([
      {
        hooks: [
          {
            type: "http",
            url: `http://127.0.0.1:${port}/claude/PreToolUse?deadline=57s`,
            headers: { Authorization: "Bearer $HOOKSH_SERVE_TOKEN" },
            allowedEnvVars: ["HOOKSH_SERVE_TOKEN"],
            timeout: 60,
            onFailure: "block",
          },
        ],
      },
    ]);
    for (const event of ["SessionStart", "ConfigChange"])
      expect(hooks()[event][0].hooks[0].command).toContain(` dispatch --dialect claude --event ${event} `);

    expect((await run("diff", "claude")).stdout).toBe("claude: no difference\n");
    const down = await run("status", "claude");
    expect([down.code, down.stdout]).toEqual([
      1,
      expect.stringContaining(
        `problem: ${file}: nothing answers at http://127.0.0.1:${port}: start hooksh serve with --port ${port}\n`,
      ),
    ]);
    expect(down.stdout).toContain(
      `    runs: http://127.0.0.1:${port} and ${binary()} with ${join(cwd, "hooks.yaml")}\n`,
    );
    expect((await install("--serve", "--dry-run")).stdout).toContain("http://127.0.0.1:4747/claude/PreToolUse");
    expect((await install(`--serve=http://127.0.0.1:${port}`)).stdout).toContain("nothing to change\n");
    // Removed, changed, and taken out again.
    writeFileSync(file, readFileSync(file, "utf8").replace('"Bearer $HOOKSH_SERVE_TOKEN"', '"$HOOKSH_SERVE_TOKEN"'));
    expect((await run("status", "claude")).stdout).toContain("PreToolUse: registered on ");
    expect((await run("uninstall", "claude", "--yes")).code).toBe(0);
    expect(readFileSync(file, "utf8")).not.toMatch(/hooksh|http/i);
  });

  test("is answered by the server that it names", async () => {
    const { cwd, port, run, install, hooks } = project();
    await install(`--serve=${port}`);
    const server = Bun.spawn([binary(), "serve", "--port", String(port), "--hooks-file", "hooks.yaml"], {
      cwd,
      env: cleanEnv(cwd),
      stdout: "pipe",
    });
    try {
      const { value } = await server.stdout.getReader().read();
      expect(new TextDecoder().decode(value)).toStartWith(`listening on http://127.0.0.1:${port}, `);
      expect(await run("status", "claude")).toMatchObject({ code: 0 });
      const { url, headers } = hooks().PreToolUse[0].hooks[0];
      const token = readFileSync(join(cwd, ".home/.hooksh/serve.token"), "utf8").trim();
      const body = JSON.stringify({
        session_id: "s",
        transcript_path: "/t",
        cwd,
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "ls" },
      });
      const ask = async (authorization: string) => {
        const sent = { "Content-Type": "application/json", Authorization: authorization };
        return (await fetch(url, { method: "POST", body, headers: sent })).text();
      };
      expect(await ask(headers.Authorization.replace("$HOOKSH_SERVE_TOKEN", token))).toContain('"no"');
      expect(await ask(headers.Authorization.replace("$HOOKSH_SERVE_TOKEN", ""))).toContain('"deny"');
    } finally {
      server.kill();
      await server.exited;
    }
  });

  test.each([
    [
      ["install", "claude", "--serve=0.0.0.0:80"],
      "--serve takes the port of hooksh serve, such as 127.0.0.1:4747, not",
    ],
    [["install", "claude", "--serve=99999"], "--serve takes the port of hooksh serve"],
    [["install", "codex", "--serve"], "codex cannot post events to hooksh serve: leave out --serve"],
    [["install", "claude", "--serve", "--deadline", "9"], "--deadline and --serve cannot be used together"],
  ])("is refused: %j", async (args, message) => {
    const { run } = project();
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([64, expect.stringContaining(message)]);
  });
});
