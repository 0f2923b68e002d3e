/** A skill that an agent names and that nobody has: run, validate and doctor say the same. */
import { expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();
const PDF = "---\nname: pdf\ndescription: Reads PDF\n---\nRead it.\n";

test("run, validate and doctor warn about a skill that does not exist", async () => {
  const cwd = tempDir({
    "agent.yaml": agentFor(serve({ text: "done" }), { skills: ["pdf", "nosuch"] }),
    ".agents/skills/pdf/SKILL.md": PDF,
  });
  const [ran, validated, examined] = await Promise.all([
    hooksh(["run", "agent.yaml", "go"], { cwd }),
    hooksh(["validate", "agent.yaml"], { cwd }),
    hooksh(["doctor", "agent.yaml"], { cwd }),
  ]);
  const warning = 'agents.root.skills: there is no skill "nosuch"';
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
  expect(validated.stderr).toMatch(
    /^warning: agent\.yaml:\d+:\d+: agents\.root\.skills: there is no skill "nosuch"\n$/,
  );
  expect(validated).toMatchObject({ code: 0, stdout: "agent.yaml: ok, 1 warning\n" });
  expect(examined.stdout).toContain(warning);
  expect(examined.stdout).not.toContain('no skill "pdf"');
});

test("skills that also come from a URL are not checked without a request", async () => {
  const cwd = tempDir({ "agent.yaml": agentFor(serve(), { skills: ["http://127.0.0.1:9/skills", "nosuch"] }) });
  expect(await hooksh(["validate", "agent.yaml"], { cwd })).toMatchObject({ code: 0, stderr: "" });
});
