/** Without a writable home directory, a run says that its session may be lost, and changes that must last are refused. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { binary, hooksh } from "../helpers/binary.ts";
import { writeAgentDatabase } from "../helpers/docker-agent-database.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir, temporaryHome } from "../helpers/temp-dir.ts";

const serve = modelServers();

/** A directory whose home is a file, and a temporary directory of its own. */
function prepare(files: Readonly<Record<string, string>> = {}) {
  const temporary = tempDir();
  const cwd = tempDir({ home: "a file", ...files });
  const run = (...args: string[]) => hooksh(args, { cwd, env: { HOME: join(cwd, "home"), TMPDIR: temporary } });
  return { cwd, temporary, run };
}

test("a run goes on, with a warning", async () => {
  const { temporary, run } = prepare({ "agent.yaml": agentFor(serve({ text: "done" })) });
  const ran = await run("run", "agent.yaml", "go");
  expect(ran).toMatchObject({ code: 0, stdout: "done\n" });
  expect(ran.stderr).toBe(
    `warning: the home directory is missing or not writable: ${temporaryHome(temporary)}/data is in the temporary directory and may be` +
      " lost (set HOOKSH_DATA_DIR to choose another)\n",
  );
});

test("an import and an alias are refused, and write nothing", async () => {
  const { cwd, temporary, run } = prepare({ "agent.yaml": "agents: {root: {model: a/b}}" });
  mkdirSync(join(cwd, "old"));
  writeAgentDatabase(join(cwd, "old/session.db"), []);
  const imported = await run("import", "docker-agent", "--from", "old");
  expect(imported).toMatchObject({ code: 1, stdout: "" });
  expect(imported.stderr).toBe(
    `the home directory is missing or not writable, and changes in ${temporaryHome(temporary)}/config and ${temporaryHome(temporary)}/data` +
      " may be lost: set HOOKSH_CONFIG_DIR and HOOKSH_DATA_DIR\n",
  );
  expect(await run("alias", "add", "mine", "agent.yaml")).toMatchObject({ code: 1, stdout: "" });
  expect(readdirSync(join(temporaryHome(temporary), "config"))).toEqual([]);
  expect(readdirSync(join(temporaryHome(temporary), "data"))).toEqual([]);
});

test("an import that writes nothing, or to a named directory, is not", async () => {
  const { cwd, run } = prepare();
  for (const name of ["old", "config", "data"]) mkdirSync(join(cwd, name));
  writeAgentDatabase(join(cwd, "old/session.db"), []);
  const named = ["--config-dir", "config", "--data-dir", "data"];
  for (const flags of [["--dry-run"], named])
    expect((await run("import", "docker-agent", "--from", "old", ...flags)).stderr).toBe("");
});

test.if(process.getuid?.() === 0)("users without a home do not share a directory, so none locks another out", () => {
  const temporary = tempDir();
  chmodSync(temporary, 0o1777);
  const asUser = (uid: number) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TMPDIR: temporary };
    const { status, stdout, stderr } = spawnSync(binary(), ["dispatch", "--event", "stop"], {
      cwd: temporary,
      env,
      uid,
      input: "{}",
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const verdict = { status: 0, stdout: "{}\n" };
  expect([asUser(4321), asUser(54_321), asUser(4321)]).toMatchObject([verdict, verdict, verdict]);
  expect(readdirSync(temporary).toSorted()).toEqual(["hooksh-4321", "hooksh-54321"]);
});
