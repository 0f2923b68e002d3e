import { describe, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const RULES = `rules:
  - name: history
    deny: Others may have pulled this history
    when: { effect: git-history }
    examples: { deny: [git push -f], pass: [git push] }
  - { name: seen, warn: A push, mode: observe, when: { program: git, verb: push } }
`;

async function run(args: readonly string[], files: Record<string, string>) {
  return hooksh(args, { cwd: tempDir(files) });
}

/** Runs `hooksh test` for one rule with these examples. */
function examples(rule: string, given: string) {
  return run(["test", "hooks.yaml"], { "hooks.yaml": `rules:\n  - ${rule}\n    examples: ${given}\n` });
}

describe("examples beside rules", () => {
  test("count as tests", async () => {
    const ran = await run(["test", "hooks.yaml"], { "hooks.yaml": RULES });
    expect(ran.stdout.replace(/ {2}\d+ ms/g, "").replace(/[\d.]+ s/, "N s")).toBe(`hooks.yaml
  ok   example: deny git push -f
  ok   example: pass git push

2 passed in N s
`);
    expect(ran.code).toBe(0);
  });

  test("that are wrong are red, with the place, and why the rule hits", async () => {
    const files = { "hooks.yaml": RULES.replace("pass: [git push]", 'pass: ["git push origin +main"]') };
    const line = 'hooks.yaml:5:45: rules[0].examples.pass[0]: "git push origin +main" hits: effect git-history\n';
    const tested = await run(["test", "hooks.yaml"], files);
    expect(tested.stdout).toContain(`       ${line}`);
    expect(tested.code).toBe(1);
    const checked = await run(["validate", "hooks.yaml"], files);
    expect(checked.stderr).toEndWith(line);
    expect(checked.code).toBe(1);
  });

  // Each is right for its rule, and wrong for the opposite.
  test.each([
    ["a rule asks alone, as it is enforced", "{ allow: x, when: { program: npm } }", "allow", "npm test", true],
    ["an allow covers every step or none", "{ allow: x, when: { program: npm } }", "allow", "npm test && rm x", false],
    ["an expression is evaluated", `{ deny: x, if: 'tool == "read_file"' }`, "deny", "ls", false],
    [
      "facts of the event",
      "{ ask: x, when: { branch: main, program: git } }",
      "ask",
      "{ tool: shell, input: { cmd: git pull }, branch: main }",
      true,
    ],
    [
      "other facts of the event",
      "{ ask: x, when: { branch: main, program: git } }",
      "ask",
      "{ tool: shell, input: { cmd: git pull }, branch: dev }",
      false,
    ],
    [
      "a work tree with changes",
      "{ deny: x, when: { program: git, dirty: true } }",
      "deny",
      "{ tool: shell, input: { cmd: git pull }, dirty: true }",
      true,
    ],
    ["a rule for other agents", "{ deny: x, agents: [root], when: { program: git } }", "deny", "git pull", true],
    ["a rule that observes", "{ deny: x, mode: observe, when: { program: git } }", "deny", "git pull", true],
    [
      "what the user writes",
      "{ warn: x, on: user_prompt_submit, when: { text: '*secret*' } }",
      "warn",
      "a secret",
      true,
    ],
    [
      "what the user writes, as a fact",
      "{ warn: x, on: user_prompt_submit, when: { text: '*secret*' } }",
      "warn",
      "{ text: a secret }",
      true,
    ],
    [
      "a result",
      "{ warn: x, on: post_tool_use, when: { program: npm, ok: false } }",
      "warn",
      "{ tool: shell, input: { cmd: npm test }, ok: false }",
      true,
    ],
    [
      "the first call of a session",
      "{ deny: x, when: { program: git }, unless_after: { program: npm } }",
      "deny",
      "git push",
      true,
    ],
  ])("%s", async (_name, rule, verdict, item, hits) => {
    const written = rule
      .replace(/^\{ (.*) \}$/, "$1")
      .split(/, (?=(?:when|if|on|mode|agents|unless_after):)/)
      .join("\n    ");
    const [right, wrong] = hits ? [verdict, "pass"] : ["pass", verdict];
    const quoted = item.startsWith("{") ? item : JSON.stringify(item);
    expect((await examples(written, `{ ${right}: [${quoted}] }`)).stdout).toContain("1 passed");
    expect((await examples(written, `{ ${wrong}: [${quoted}] }`)).stdout).toContain("0 passed, 1 failed");
  });

  test("that need an earlier call say why they fail", async () => {
    const ran = await examples("deny: x\n    when: { program: git }\n    more_than: { n: 2 }", "{ deny: [git push] }");
    expect(ran.stdout).toContain('"git push" does not hit as the first call of its session');
  });

  test("are fuzzed as tests are", async () => {
    const ran = await run(["test", "--json", "--fuzz", "30", "--seed", "1", "hooks.yaml"], { "hooks.yaml": RULES });
    expect(ran.lines().find(({ type }) => type === "fuzz")).toMatchObject({ texts: 1 });
  });
});

describe("test files", () => {
  const file = (expected: string) => ({
    "hooks.yaml": RULES,
    "a.hooktest.yaml": `hooks: hooks.yaml
tests: [{ name: t, event: pre_tool_use, tool: shell, input: { cmd: git push -f }, expect: ${expected} }]
`,
  });

  test.each(["history", "[history, seen]"])("expect ran: %s", async (names) => {
    expect((await run(["test"], file(`{ decision: deny, ran: ${names} }`))).stdout).toContain("3 passed");
  });

  test("a rule that does not hit is a difference", async () => {
    const files = file("{ ran: other }");
    files["hooks.yaml"] += "  - { name: other, deny: no, when: { program: rm } }\n";
    const ran = await run(["test"], files);
    expect(ran.stdout).toMatch(/ran: expected other\n +got history, seen\n/);
    expect(ran.stdout).toContain("history (hooks.yaml:2): deny, certain: effect git-history");
    expect(ran.code).toBe(1);
  });

  test("an unknown name is an error with the nearest one", async () => {
    const ran = await run(["test"], file("{ ran: histry }"));
    expect(ran.stderr).toContain('"histry"');
    expect(ran.code).toBe(1);
  });
});

test("coverage names the rules that no test hit, and those that never let a call pass", async () => {
  const ran = await run(["test", "--json", "--coverage=60"], {
    "hooks.yaml": `${RULES}  - { name: idle, deny: no, when: { program: rm } }\n`,
    "a.hooktest.yaml": `hooks: hooks.yaml
tests: [{ event: pre_tool_use, tool: shell, input: { cmd: git push }, expect: { decision: none } }]
`,
  });
  const report = ran.lines().find(({ type }) => type === "coverage");
  expect(report).toMatchObject({
    percent: 66,
    covered: 4,
    total: 6,
    rules: [
      { name: "history", source: "hooks.yaml:2", on: ["pre_tool_use"], hits: 1, passes: 2, missing: [] },
      { name: "seen", hits: 1, passes: 0, covered: ["hits"], missing: ["lets pass"] },
      { name: "idle", hits: 0, passes: 1, covered: ["lets pass"], missing: ["hits"] },
    ],
  });
  expect(ran.code).toBe(0);
});

test("attacks show which rules refuse or ask, without any hook", async () => {
  const ran = await run(["test", "--json", "--attacks=force-push", "hooks.yaml"], {
    "hooks.yaml": `${RULES}  - { name: asks, ask: Sure?, when: { program: hg } }\n`,
  });
  const attacks = ran.lines().filter(({ type }) => type === "attack");
  const outcomes = attacks.map(({ outcome, by }) => `${outcome} ${String(by)}`);
  expect(outcomes).toContain("denied history");
  expect(new Set(outcomes)).not.toContain("failed ");
  expect(ran.lines().at(-1)).toMatchObject({ type: "attacks", failed: 0 });
});

test("a file with rules alone has nothing that --init could run", async () => {
  const ran = await run(["test", "--init", "hooks.yaml"], { "hooks.yaml": RULES });
  expect(ran.stderr).toContain("hooks.yaml: configures rules and no hook: write examples beside the rules");
  expect(ran.code).toBe(1);
});

test("a hook behind a rule that denies says that it did not run because of the rule", async () => {
  const ran = await run(["test", "a.hooktest.yaml"], {
    "hooks.yaml":
      "rules:\n  - { deny: no, when: { program: rm } }\npre_tool_use:\n  - { matcher: shell, hooks: [{ type: command, command: 'true' }] }\n",
    "a.hooktest.yaml":
      "hooks: hooks.yaml\ntests:\n  - { name: t, event: pre_tool_use, tool: shell, input: { cmd: rm x }, expect: { decision: ask } }\n",
  });
  expect(ran.stdout).toContain("did not run: a rule denied\n");
});
