import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { serve } from "../helpers/served.ts";
import { tempDir } from "../helpers/temp-dir.ts";

interface HttpHook {
  type: string;
  url: string;
  headers: Record<string, string>;
  allowedEnvVars: string[];
}

/** The hook in the settings that `install --serve` writes. */
async function installedHook(cwd: string, port: string): Promise<HttpHook> {
  const args = ["install", "claude", `--serve=${port}`, "--file", "hooks.yaml", "--yes"];
  const { code, stderr } = await hooksh(args, { cwd });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const settings = readFileSync(join(cwd, ".home/.claude/settings.json"), "utf8");
  return JSON.parse(settings).hooks.PreToolUse[0].hooks[0] as HttpHook;
}

/**
 * Calls an HTTP hook as Claude Code 2.1.330 does. Returns what becomes of the tool call: every failure of the hook lets
 * it run.
 */
async function callAsClaude(hook: HttpHook, payload: object, env: Readonly<Record<string, string>>): Promise<string> {
  const expand = (text: string) =>
    text.replace(/\$(\w+)/g, (_, name: string) => (hook.allowedEnvVars.includes(name) ? (env[name] ?? "") : ""));
  const headers = Object.entries(hook.headers).map(([name, value]): [string, string] => [name, expand(value)]);
  const response = await fetch(hook.url, {
    method: "POST",
    redirect: "manual",
    headers: [["content-type", "application/json"], ...headers],
    body: JSON.stringify(payload),
  });
  const text = await response.text();
  if (response.status !== 200 || !text.startsWith("{")) return "runs";
  const { hookSpecificOutput: answer } = JSON.parse(text);
  if (answer?.hookEventName !== "PreToolUse" || answer.permissionDecision !== "deny") return "runs";
  return `denied: ${answer.permissionDecisionReason}`;
}

test("Claude Code with the settings that install --serve writes is guarded, also if it lacks the token", async () => {
  const script = "grep -q '\"rm ' && { echo no rm >&2; exit 2; }; exit 0";
  const hooks = { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: script }] }] };
  const cwd = tempDir({ "hooks.yaml": JSON.stringify(hooks) });
  await using server = await serve(cwd, ["--hooks-file", "hooks.yaml"]);
  const hook = await installedHook(cwd, new URL(server.url).port);
  expect(hook.type).toBe("http");
  const call = (command: string, env: Readonly<Record<string, string>>, used = hook) =>
    callAsClaude(
      used,
      {
        session_id: "s1",
        transcript_path: "/t",
        cwd,
        permission_mode: "default",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command },
        tool_use_id: "t1",
      },
      env,
    );
  const env = { HOOKSH_SERVE_TOKEN: server.token };
  expect(await call("ls", env)).toBe("runs");
  expect(await call("rm -rf build", env)).toBe("denied: no rm");
  expect(await call("ls", {})).toMatch(/^denied: hooksh: the request has no token/);
  expect(await call("ls", env, { ...hook, allowedEnvVars: [] })).toMatch(/^denied: hooksh: the request has no token/);
});
