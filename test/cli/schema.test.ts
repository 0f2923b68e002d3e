import { describe, expect, test } from "bun:test";
import { EVENT_NAMES } from "../../src/protocol/events.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

describe("hooksh schema", () => {
  test.each([
    [[], "hooksh hooks"],
    [["hooks"], "hooksh hooks"],
    [["agent"], "hooksh agent file"],
    [["config"], "hooksh config.yaml"],
    [["hook-input"], "hooksh hook input"],
    [["hook-output"], "hooksh hook output"],
  ])("%j prints a schema with every event", async (args, title) => {
    const ran = await hooksh(["schema", ...args], { cwd: tempDir() });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema", title });
    expect(EVENT_NAMES.filter((event) => !ran.stdout.includes(`"${event}"`))).toEqual([]);
  });

  test("hooktest prints the schema of test files, which has every key of a test", async () => {
    const ran = await hooksh(["schema", "hooktest"], { cwd: tempDir() });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const { properties, required, additionalProperties } = JSON.parse(ran.stdout);
    expect(required).toEqual(["hooks", "tests"]);
    expect(additionalProperties).toBe(false);
    const { properties: test, additionalProperties: others } = properties.tests.items;
    expect(Object.keys(test)).toEqual(expect.arrayContaining(["name", "each", "session", "fault", "from", "prompt"]));
    expect(Object.keys(test.expect.properties)).toEqual(expect.arrayContaining(["decision", "by", "ran", "within"]));
    expect(others).toBe(false);
  });

  test.each([
    [["hook-inputs"], "did you mean hook-input?"],
    [["nothing"], "choose agent, hooks, config, hook-input, hook-output, hooktest, events, audit"],
    [["a", "b"], "schema takes one name"],
  ])("%j is a usage error", async (args, message) => {
    const ran = await hooksh(["schema", ...args], { cwd: tempDir() });
    expect(ran).toMatchObject({ code: 64, stdout: "" });
    expect(ran.stderr).toContain(message);
  });
});
