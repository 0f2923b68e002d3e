import { describe, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { jsonLines } from "./guard-files.ts";

const HOOKS = `rules:
  - { name: history, deny: Others have pulled this, when: { effect: git-history } }
  - { name: pushes, ask: A push, when: { program: git, verb: push } }
  - { name: seen, warn: A file changes, when: { class: writes-files } }
  - { name: prompts, on: user_prompt_submit, deny: Not here, when: { text: { matches: secret } } }
  - { name: trial, mode: observe, deny: No network, when: { effect: fetches } }
`;

function runTests(tests: string) {
  const cwd = tempDir({
    "hooks.yaml": HOOKS,
    "a.hooktest.yaml": `hooks: hooks.yaml\ndefaults: { event: pre_tool_use, tool: shell }\ntests:\n${tests}`,
  });
  return hooksh(["test"], { cwd });
}

describe("expectations name rules", () => {
  test("by is the rule whose verdict wins, ran one that hit, not_ran one that did not", async () => {
    const ran = await runTests(`
  - { name: a denial, input: { cmd: git push -f }, expect: { decision: deny, by: history, ran: [history, pushes] } }
  - { name: an ask, input: { cmd: git push }, expect: { decision: ask, by: pushes, not_ran: [history] } }
  - { name: a warning, tool: write_file, input: { path: a, content: b }, expect: { decision: none, ran: [seen] } }
  - { name: a prompt, event: user_prompt_submit, prompt: a secret, expect: { decision: block, by: prompts } }
  - { name: on trial, input: { cmd: curl x.org }, expect: { decision: none, ran: [trial] } }
`);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("5 passed") });
  });

  test.each([
    "input: { cmd: git push -f }, expect: { by: pushes }",
    "input: { cmd: ls }, expect: { ran: [history] }",
    "input: { cmd: git push -f }, expect: { not_ran: [history] }",
    "input: { cmd: curl x.org }, expect: { decision: none, by: trial }",
  ])("%s fails", async (body) => {
    const ran = await runTests(`  - { name: a, ${body} }\n`);
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining("1 failed") });
  });

  test.each([
    ["by: histori", 'no hook or rule is called "histori", did you mean history?'],
    ["by: prompts", "prompts cannot hit on pre_tool_use: it is a rule on user_prompt_submit"],
    ["exit: { history: 2 }", 'no hook is called "history"'],
  ])("a name that cannot hold is an error: %s", async (body, problem) => {
    const ran = await runTests(`  - { name: a, input: { cmd: ls }, expect: { ${body} } }\n`);
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).toContain(problem);
  });
});

test("an attack that a rule denies or asks about is told with the name of the rule", async () => {
  const cwd = tempDir({ "hooks.yaml": HOOKS });
  const { stdout } = await hooksh(["test", "--attacks=force-push", "--json", "hooks.yaml"], { cwd });
  const lines = jsonLines(stdout);
  const find = (cmd: string) => lines.find((line) => (line["input"] as { cmd?: string } | undefined)?.cmd === cmd);
  expect(find("git push --force")).toMatchObject({ outcome: "denied", by: ["history"] });
  expect(lines.some(({ outcome }) => outcome === "failed")).toBe(false);
  expect(lines.filter(({ outcome }) => outcome === "asked").every(({ by }) => String(by) === "pushes")).toBe(true);
});
