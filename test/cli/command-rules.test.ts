import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

/** Runs an agent that calls a tool several times. Returns true if one of the calls created the file `made`. */
async function runs(permissions: object, calls: [tool: string, cmd: string][], ...args: string[]): Promise<boolean> {
  const steps = calls.map(([name, cmd]): Step => ({ text: "try", calls: [{ name, arguments: { cmd } }] }));
  const agent = JSON.parse(
    agentFor(serve(...steps, { text: "done." }), { toolsets: [{ type: "shell" }, { type: "background_jobs" }] }),
  ) as object;
  const cwd = tempDir({ "agent.yaml": JSON.stringify({ ...agent, permissions }) });
  const ran = await hooksh(["run", "agent.yaml", ...args, "go"], { cwd });
  expect(ran.code).toBe(0);
  return existsSync(join(cwd, "made"));
}

const ALLOW = { allow: ["shell:cmd=git status*", "shell:cmd=touch *"] };

test.each([
  "git status; touch made",
  "touch made && git status",
  "git status $(touch made)",
  "git status | touch made\n",
])("an allow rule for each command runs %j", async (cmd) => expect(await runs(ALLOW, [["shell", cmd]])).toBe(true));

test.each([
  "git status; touch made",
  "git status && touch made",
  "git status $(touch made)",
  "git status\ntouch made",
  "git status > made",
  "git status & touch made",
])("a rule for git status does not run %j", async (cmd) =>
  expect(await runs({ allow: ["shell:cmd=git status*"] }, [["shell", cmd]])).toBe(false),
);

test.each([
  " touch made",
  '"touch" made',
  "true; touch made",
  "touch  made",
  "env touch made",
  "sh -c 'touch made'",
  "$'touch' made",
  "echo made | xargs touch",
])("a deny rule blocks %j, even with --yolo", async (cmd) =>
  expect(await runs({ deny: ["shell:cmd=touch *"] }, [["shell", cmd]], "--yolo")).toBe(false),
);

test("both apply to a background job", async () => {
  const job = "run_background_job";
  const wait: [string, string] = ["shell", "while [ ! -e made ]; do sleep 0.05; done"];
  expect(await runs({ allow: [`${job}:cmd=true *`] }, [[job, "true x; touch made"]])).toBe(false);
  expect(await runs({ deny: [`${job}:cmd=touch *`] }, [[job, "true;touch made"]], "--yolo")).toBe(false);
  expect(
    await runs({ allow: [`${job}:cmd=true *`, `${job}:cmd=touch *`, "shell"] }, [[job, "true x; touch made"], wait]),
  ).toBe(true);
});
