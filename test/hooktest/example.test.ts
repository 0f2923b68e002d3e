import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { EXAMPLE, exampleFolder, HEAD } from "./example-files.ts";

const FILE = "guard.hooktest.yaml";

test("every test of the example passes with a real guard", async () => {
  const cwd = exampleFolder({ [FILE]: EXAMPLE });
  const updated = await hooksh(["test", "--update"], { cwd });
  expect(updated.stderr).toBe("");
  expect(updated.stdout.replace(/ {2}[\d.]+ m?s$/gm, "").replace(/in [\d.]+ s/, "in N s")).toBe(`${FILE}
  ok   a force push is refused, however it is spelled [git push --force]
  ok   a force push is refused, however it is spelled [git push -f origin main]
  ok   a force push is refused, however it is spelled [git  push origin +main]
  ok   reading needs no guard
  ok   no push after red tests
  ok   a dead guard blocks [missing]
  ok   a dead guard blocks [crash]
  ok   a dead guard blocks [hang]
  ok   a dead guard blocks [garbage]
  ok   a dead guard blocks [killed]
  ok   secrets are taken out
  ok   recordings/*.jsonl: s1.jsonl pre_tool_use shell: git status
  ok   recordings/*.jsonl: s1.jsonl pre_tool_use shell: git push --force

13 passed in N s
`);
  expect(updated.code).toBe(0);
  expect(readFileSync(join(cwd, "verdicts.snap.yaml"), "utf8")).toContain("decision: deny");
  expect((await hooksh(["test"], { cwd })).code).toBe(0);
});

// Each test of the example with the guard it needs taken away, or the opposite expectation.
const RED: [string, string, string][] = [
  [
    "decision",
    `each: ["git push"]\n    input: { cmd: "$each" }\n    expect: { decision: deny }`,
    "decision: expected deny",
  ],
  ["by", `input: { cmd: git push -f }\n    expect: { by: redact_secrets }`, "by: expected redact_secrets"],
  ["message", `input: { cmd: git push -f }\n    expect: { message: /old branch/ }`, "message: expected /old branch/"],
  ["within", `input: { cmd: git push -f }\n    expect: { within: 1us }`, "within: expected at most 1us, took"],
  ["not_ran", `input: { cmd: ls }\n    expect: { not_ran: guard.sh }`, "not_ran: expected guard.sh"],
  ["session", `session:\n      - { input: { cmd: git push }, expect: { decision: deny } }`, "decision: expected deny"],
  [
    "session of another test",
    `session:
      - { event: post_tool_use, input: { cmd: npm test }, tool_response: "1 failing", tool_error: true }
      - { input: { cmd: git push }, expect: { decision: none } }`,
    "step 2: decision: expected none",
  ],
  [
    "fault",
    `fault: { hook: guard.sh, kinds: [crash] }\n    input: { cmd: ls }\n    expect: { decision: none }`,
    "decision: expected none",
  ],
  [
    "tool_response",
    `event: tool_response_transform\n    tool_response: fine\n    expect: { tool_response: /\\[REDACTED\\]/ }`,
    "tool_response: expected /\\[REDACTED\\]/",
  ],
  ["stub", `tool: fetch\n    input: { urls: [] }\n    expect: { decision: none }`, "decision: expected none"],
];

test.each(RED)("an expectation that does not hold is red: %s", async (_name, body, printed) => {
  const cwd = exampleFolder({ [FILE]: `${HEAD}  - name: red\n    ${body}\n` });
  const ran = await hooksh(["test"], { cwd });
  expect(ran.stdout).toContain("FAIL red");
  expect(ran.stdout).toContain(printed);
  expect(ran.code).toBe(1);
});

test("a verdict that changes is red, with both verdicts", async () => {
  const cwd = exampleFolder({ [FILE]: `${HEAD}  - { from: recordings/*.jsonl, verdicts: v.yaml }\n` });
  await hooksh(["test", "--update"], { cwd });
  await Bun.write(join(cwd, "guard.sh"), "#!/bin/sh\nexit 0\n");
  const ran = await hooksh(["test"], { cwd });
  expect(ran.code).toBe(1);
  expect(ran.stdout).toMatch(/ok .*git status/);
  expect(ran.stdout).toMatch(/FAIL .*git push --force/);
  expect(ran.stdout).toMatch(/verdict: expected \{"decision":"deny".*\n *got \{"decision":"none"\}/);
});
