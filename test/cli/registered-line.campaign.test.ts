import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type HostId, hostFiles } from "../../src/dialects/host-files.ts";
import { dialectOf } from "../../src/hosts/registration/named-host.ts";
import { dispatchCall, dispatchWords, registeredLine } from "../../src/hosts/registration/own-command.ts";
import { isRegistered } from "../../src/hosts/registration/registration.ts";
import { HOST_SAMPLES } from "../dialects/host-samples.ts";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** What a hook on every guarded event prints and how it ends. */
const ANSWERS: Readonly<Record<string, string>> = {
  "say nothing": "exit 0",
  deny: String.raw`printf 'never \\ \\n %%s\n\tno \303\251\n' >&2; exit 2`,
  ask: `echo '{"hook_specific_output":{"permission_decision":"ask","permission_decision_reason":"sure?"}}'`,
  warn: `echo '{"system_message":"look","hook_specific_output":{"additional_context":"note"}}'`,
};

const guarded = Object.entries(HOST_SAMPLES).flatMap(([host, { guarded }]) =>
  Object.entries(guarded)
    .filter(([event]) => isRegistered(event, hostFiles(host as HostId)) && host !== "opencode")
    .map(([event, payload]) => [host, event, payload] as const),
);

async function run(command: string[], cwd: string, input: string) {
  const child = Bun.spawn(command, {
    cwd,
    env: cleanEnv(cwd),
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [exitCode, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { exitCode, stdout, stderr };
}

test.each(guarded)(
  "the line for %s on %s answers as hooksh itself does",
  async (host, event, payload) => {
    const cwd = tempDir({ ".home/.keep": "" });
    const seen = new Set<string>();
    for (const [answer, script] of Object.entries(ANSWERS)) {
      const hooksFile = join(cwd, `${answer}.json`);
      const hook = { type: "command", command: script };
      const hooks = {
        pre_tool_use: [{ hooks: [hook] }],
        permission_request: [{ hooks: [hook] }],
        user_prompt_submit: [hook],
      };
      await Bun.write(hooksFile, JSON.stringify(hooks));
      const base = { program: [binary()], dialect: host, event, hooksFile };
      const call = dispatchCall(await dialectOf(host as HostId), hostFiles(host as HostId), base);
      const input = JSON.stringify(payload);
      const plain = await run(dispatchWords({ ...call, switches: [] }), cwd, input);
      expect(await run(["sh", "-c", registeredLine(call, "linux")], cwd, input)).toEqual(plain);
      seen.add(JSON.stringify(plain));
    }
    expect(seen.size).toBeGreaterThan(1);
  },
  30_000,
);

const EVENT = HOST_SAMPLES["claude"]?.guarded["PreToolUse"];
const PROVEN = ["dispatch", "--dialect", "claude", "--event", "PreToolUse", "--proof"];

test("broken hooks are a denial with proof", async () => {
  const cwd = tempDir({ "hooks.yaml": "pre_tool_use: [" });
  const { stdout, code } = await hooksh([...PROVEN, "--hooks-file", "hooks.yaml"], {
    cwd,
    input: JSON.stringify(EVENT),
  });
  const [answer = "", errors = "", proof, end] = stdout.split("\n");
  expect(JSON.parse(answer).hookSpecificOutput.permissionDecision).toBe("deny");
  expect(errors).toStartWith("hooksh: ");
  expect([proof, end, code]).toEqual(["hooksh:0", "", 0]);
});

test("a wrong flag is a denial with proof", async () => {
  const { stdout, stderr } = await hooksh([...PROVEN, "--no-such"], { cwd: tempDir(), input: JSON.stringify(EVENT) });
  expect(stdout).toContain('"permissionDecision":"deny"');
  expect(stdout).toEndWith("\nhooksh:0\n");
  expect(stderr).toBe("");
});

test("--proof without another agent is refused", async () => {
  const input = '{"hook_event_name":"pre_tool_use","tool_name":"shell"}';
  const { stdout, code } = await hooksh(["dispatch", "--proof"], { cwd: tempDir(), input });
  expect([stdout.split("\n")[0], stdout.split("\n")[2], code]).toEqual(["", "hooksh:2", 2]);
  expect(stdout).toContain("--proof is for an answer to another agent");
});

test.skipIf(!existsSync("/dev/full"))("an answer that cannot be written is no answer", async () => {
  const command = `${binary()} ${PROVEN.join(" ")} >/dev/full`;
  expect((await run(["sh", "-c", command], tempDir(), JSON.stringify(EVENT))).exitCode).toBe(2);
});
