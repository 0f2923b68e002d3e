import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { serve } from "../helpers/served.ts";
import { tempDir } from "../helpers/temp-dir.ts";

type Json = Record<string, unknown>;

const today = () => new Date().toISOString().slice(0, 10);
const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

const base = {
  session_id: "s1",
  transcript_path: "/t",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" } as Json,
};

async function capture(cwd: string, host: string, payload: unknown, args: readonly string[] = [], env = {}) {
  return await hooksh(["capture", host, "--dir", "kept", ...args], {
    cwd,
    env,
    input: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
}

const files = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"))
    : [];

const read = (cwd: string, path: string) =>
  JSON.parse(readFileSync(join(cwd, "kept", path.replace("DATE", today())), "utf8")) as Json;

describe("hooksh capture", () => {
  test("keeps payloads by host, date, event and tool, for their owner's eyes", async () => {
    const cwd = tempDir();
    for (let count = 0; count < 2; count++) await capture(cwd, "claude", { ...base, cwd });
    await capture(cwd, "claude", { ...base, cwd, hook_event_name: "Stop", tool_name: undefined }, [
      "--host-version",
      "2.1.330",
    ]);
    const folder = `claude-unknown/${today()}`;
    expect(files(join(cwd, "kept")).sort()).toEqual([
      `claude-2.1.330/${today()}/Stop.json`,
      `${folder}/PreToolUse-Bash-2.json`,
      `${folder}/PreToolUse-Bash.json`,
    ]);
    expect(statSync(join(cwd, "kept", folder, "PreToolUse-Bash.json")).mode & 0o777).toBe(0o600);
    expect(statSync(join(cwd, "kept", folder)).mode & 0o777).toBe(0o700);
    expect(read(cwd, "claude-unknown/DATE/PreToolUse-Bash.json")).toEqual({ ...base, cwd: "$DIR" });
  });

  test("replaces secrets, paths, people and the machine, in keys too", async () => {
    const cwd = tempDir();
    const home = join(cwd, "home", "marigold");
    mkdirSync(home, { recursive: true });
    const project = join(home, "shop");
    const dashed = project.replaceAll(/[^A-Za-z0-9]/g, "-");
    const payload = {
      ...base,
      cwd: project,
      transcript_path: `${home}/.claude/projects/${dashed}/s1.jsonl`,
      tool_input: {
        command: `curl -H "Authorization: Bearer ${SECRET}" https://x`,
        env: { DB_PASSWORD: "s3cr3t-horse-9931" },
        api_key: "zq81-9fk2-77ab-plk3",
        files: { [`${project}/a.ts`]: "mail ada.lovelace@example.org", [`${home}/b`]: `file://${project}/c` },
        note: "marigold wrote git@github.com:x/y, not marigolds",
        other: `${home}2/x`,
      },
      user_email: "ada",
      userId: "u-77",
      known: "value-of-a-variable-83",
    };
    await capture(cwd, "claude", payload, [], { HOME: home, HOOKSH_TEST_TOKEN: "value-of-a-variable-83" });
    const kept = read(cwd, "claude-unknown/DATE/PreToolUse-Bash.json");
    expect(kept).toMatchObject({
      cwd: "$DIR",
      transcript_path: "$HOME/.claude/projects/$DIR/s1.jsonl",
      user_email: "[REDACTED]",
      userId: "[REDACTED]",
    });
    const input = kept["tool_input"] as Json;
    expect(input["files"]).toEqual({ "$DIR/a.ts": "mail [EMAIL]", "$HOME/b": "file://$DIR/c" });
    expect(input["note"]).toBe("$USER wrote git@github.com:x/y, not marigolds");
    expect(input["other"]).toContain("2/x");
    const text = JSON.stringify(kept);
    for (const secret of [SECRET, "s3cr3t-horse-9931", "zq81-9fk2-77ab-plk3", "value-of-a-variable-83", "lovelace"])
      expect(text).not.toContain(secret);
    if (userInfo().username !== "root") expect(text).not.toContain(`/${userInfo().username}/`);
  });

  test.each([
    ["claude", base, ""],
    [
      "gemini",
      { ...base, hook_event_name: "BeforeTool", tool_name: "run_shell_command", timestamp: "2026-01-01T00:00:00Z" },
      "{}",
    ],
    [
      "cline",
      {
        clineVersion: "3",
        hookName: "PreToolUse",
        taskId: "t",
        preToolUse: { toolName: "execute_command", parameters: {} },
      },
      '{"cancel":false}',
    ],
    ["codex", { ...base, turn_id: "t", model: "m" }, ""],
  ])("answers %s that it has no opinion", async (host, payload, stdout) => {
    const cwd = tempDir();
    expect(await capture(cwd, host, payload)).toMatchObject({ code: 0, stdout, stderr: "" });
    expect(files(join(cwd, "kept"))).toHaveLength(1);
  });

  test.each([
    ["a payload that is cut off", "claude", '{"hook_event_name":"PreToolUse"', []],
    ["an unknown event", "claude", JSON.stringify({ ...base, hook_event_name: "Nothing" }), []],
    ["an unknown host", "cluade", "{}", []],
    ["an unknown flag", "claude", "{}", ["--nothing"]],
    ["a folder that cannot be made", "claude", JSON.stringify(base), ["--dir", "file/x"]],
    ["an empty input", "claude", "", []],
  ])("never blocks: %s", async (_name, host, payload, args) => {
    const cwd = tempDir({ file: "" });
    expect(await capture(cwd, host, payload, args)).toMatchObject({ code: 0, stdout: "" });
  });

  test("a host that reads another's configuration is kept and answered under its own name", async () => {
    const cwd = tempDir();
    const cursor = {
      conversation_id: "c",
      cursor_version: "3.9.16",
      hook_event_name: "preToolUse",
      tool_name: "Shell",
      tool_input: {},
    };
    expect(await capture(cwd, "claude", cursor)).toMatchObject({ code: 0, stdout: "" });
    expect(files(join(cwd, "kept"))).toEqual([`cursor-3.9.16/${today()}/preToolUse-Shell.json`]);
  });

  test("a name from a payload cannot leave the folder", async () => {
    const cwd = tempDir();
    await capture(cwd, "claude", { ...base, tool_name: "../../../x/y" }, ["--host-version", "../.."]);
    const [path = ""] = files(join(cwd, "kept"));
    expect(path).toBe(`claude-_../${today()}/PreToolUse-_.._.._x_y.json`);
  });

  test("keeps no more than twenty of a kind in a day, and no payload larger than 1 MiB", async () => {
    const cwd = tempDir();
    const folder = join(cwd, "kept", "claude-unknown", today());
    mkdirSync(folder, { recursive: true });
    for (let number = 1; number <= 20; number++)
      writeFileSync(join(folder, `PreToolUse-Bash${number === 1 ? "" : `-${number}`}.json`), "{}");
    const log = ["--debug", "--log-file", "log"];
    await capture(cwd, "claude", base, log);
    await capture(cwd, "claude", { ...base, tool_name: "Read", tool_input: { x: "y".repeat(1100 * 1024) } }, log);
    expect(files(folder)).toHaveLength(20);
    expect(readFileSync(join(cwd, "log"), "utf8")).toMatch(
      /20 files of PreToolUse-Bash already[\s\S]*larger than 1 MiB/,
    );
  });
});

describe("a guarded host", () => {
  const HOOKS = JSON.stringify({
    pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }],
  });

  test.each([
    ["dispatch --capture", ["--capture", "kept"], {}],
    ["HOOKSH_CAPTURE", [], { HOOKSH_CAPTURE: "kept" }],
  ])("is captured with %s, and its answer stays", async (_name, args, env) => {
    const cwd = tempDir({ "hooks.yaml": HOOKS });
    const run = async (more: readonly string[], extra: Readonly<Record<string, string>>) =>
      await hooksh(["dispatch", "--dialect", "claude", "--hooks-file", "hooks.yaml", ...more], {
        cwd,
        env: extra,
        input: JSON.stringify(base),
      });
    const { stdout, stderr, code } = await run([], {});
    expect(stdout).toContain("deny");
    expect(await run(args, env)).toMatchObject({ stdout, stderr, code });
    expect(files(join(cwd, "kept"))).toEqual([`claude-unknown/${today()}/PreToolUse-Bash.json`]);
    writeFileSync(join(cwd, "file"), "");
    expect(await run(["--capture", "file"], {})).toMatchObject({ stdout, stderr, code });
  });

  test("is captured by a server", async () => {
    const cwd = tempDir({ "hooks.yaml": HOOKS });
    await using server = await serve(cwd, ["--hooks-file", "hooks.yaml", "--capture", "kept"]);
    await server.post("/claude", base);
    await server.post("/claude", base, { headers: { authorization: null } });
    while (files(join(cwd, "kept")).length === 0) await Bun.sleep(20);
    await server.stop();
    expect(files(join(cwd, "kept"))).toEqual([`claude-unknown/${today()}/PreToolUse-Bash.json`]);
  });
});
