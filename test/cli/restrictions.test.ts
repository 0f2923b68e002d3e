import { expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const AGENT = { model: "openai/gpt-4o", description: "d", instruction: "i" };
const FLAG = "--ignore-unsupported-restrictions";

/** A directory with an agent file, and a user configuration whose alias for it has a sandbox. */
function directory(file: object, agent: object = {}) {
  return tempDir({
    "agent.yaml": JSON.stringify({ agents: { root: { ...AGENT, ...agent } }, ...file }),
    "config/config.yaml": "aliases: {boxed: {path: agent.yaml, sandbox: true}}\n",
  });
}

const env = { OPENAI_API_KEY: "unused" };
const input = '{"hook_event_name":"stop"}';

const RESTRICTIONS: [string, object, object?][] = [
  ["runtime.sandbox", { runtime: { sandbox: true } }],
  ["runtime.network_allowlist", { runtime: { network_allowlist: ["example.com"] } }],
];

test.each(RESTRICTIONS)("%s stops run and dispatch, and with the flag only warns", async (path, file, agent = {}) => {
  const cwd = directory(file, agent);
  for (const args of [
    ["run", "agent.yaml", "--dry-run"],
    ["dispatch", "agent.yaml", "--output", "result"],
  ]) {
    const refused = await hooksh(args, { cwd, env, input });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`: ${path}: not supported yet: this restriction is not enforced; `);
    expect(refused.stderr).toContain(`\nto run without it, pass ${FLAG}\n`);
    const ran = await hooksh([...args, FLAG], { cwd, env, input });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^warning: agent\.yaml:1:\d+: /);
    expect(ran.stderr).toContain(`: ${path}: not supported yet`);
  }
});

test("an alias with a sandbox is refused too", async () => {
  const cwd = directory({});
  const args = ["--config-dir", "config", "run", "boxed", "--dry-run"];
  const refused = await hooksh(args, { cwd, env });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain(
    "config.yaml:1:37: aliases.boxed.sandbox: not supported yet: this restriction is not enforced",
  );
  expect(await hooksh([...args, FLAG], { cwd, env })).toMatchObject({ code: 0 });
});

test("doctor counts them as issues, validate as warnings and under --strict as errors", async () => {
  const cwd = directory({ runtime: { sandbox: true } });
  const message = expect.stringContaining("runtime.sandbox: not supported yet: this restriction is not enforced");
  const doctor = await hooksh(["doctor", "agent.yaml", "--json"], { cwd, env });
  expect(JSON.parse(doctor.stdout)).toMatchObject({ ok: false, issues: [message] });
  expect(await hooksh(["validate", "agent.yaml"], { cwd, env })).toMatchObject({
    code: 0,
    stdout: "agent.yaml: ok, 1 warning\n",
    stderr: message,
  });
  expect(await hooksh(["validate", "--strict", "agent.yaml"], { cwd, env })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: message,
  });
});
