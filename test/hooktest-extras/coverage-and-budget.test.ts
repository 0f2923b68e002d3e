import { describe, expect, test } from "bun:test";
import { alternativesOf } from "../../src/testing/coverage/alternatives.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { jsonLines, NAIVE_GUARD } from "./guard-files.ts";

const FULL = `hooks: ./hooks.yaml
defaults: {event: pre_tool_use, tool: shell}
tests:
  - {name: refused, input: {cmd: git push --force}, expect: {decision: deny}}
  - {name: passes, input: {cmd: ls}, expect: {decision: none}}
  - {name: background, tool: run_background_job, input: {cmd: ls}, expect: {decision: none}}
  - {name: others, tool: read_file, input: {path: a}, expect: {not_ran: guard}}
  - {name: dead, input: {cmd: ls}, fault: {hook: guard, kinds: [missing]}, expect: {decision: deny}}
`;

async function coverageOf(files: Readonly<Record<string, string>>, flag = "--coverage") {
  const { stdout, code } = await hooksh(["test", "--json", flag], { cwd: tempDir(files) });
  const report = jsonLines(stdout).find(({ type }) => type === "coverage");
  return { report, hook: (report?.["hooks"] as Record<string, unknown>[])[0], code };
}

describe("hooksh test --coverage", () => {
  test("names what no test showed, with the place of the hook", async () => {
    const { report, hook, code } = await coverageOf(NAIVE_GUARD);
    expect(hook).toEqual({
      name: "guard",
      source: expect.stringMatching(/hooks\.yaml:4$/),
      event: "pre_tool_use",
      matcher: "shell|run_background_job",
      runs: 2,
      stubbed: 0,
      answers: { deny: 1, none: 1 },
      covered: ["ran", "refuses", "lets pass", "matches shell"],
      missing: ["fails", "matches run_background_job", "does not match"],
    });
    expect(report).toMatchObject({ percent: 57, covered: 4, total: 7 });
    expect(code).toBe(0);
  });

  test("is 100 % if every answer, alternative and miss was seen", async () => {
    const { report, hook, code } = await coverageOf({ ...NAIVE_GUARD, "guard.hooktest.yaml": FULL }, "--coverage=100");
    expect(hook?.["missing"]).toEqual([]);
    expect(report).toMatchObject({ percent: 100, minimum: 100 });
    expect(code).toBe(0);
  });

  test("exits 1 below the minimum", async () => {
    expect((await coverageOf(NAIVE_GUARD, "--coverage=57")).code).toBe(0);
    expect((await coverageOf(NAIVE_GUARD, "--coverage=58")).code).toBe(1);
  });

  test("a stub is no run of the hook", async () => {
    const stubbed = `hooks: ./hooks.yaml\nstubs: {guard: deny}\ntests: [{event: pre_tool_use, tool: shell, input: {cmd: ls}, expect: {decision: deny}}]\n`;
    const { hook } = await coverageOf({ ...NAIVE_GUARD, "guard.hooktest.yaml": stubbed });
    expect(hook).toMatchObject({ runs: 0, stubbed: 1, covered: ["matches shell"] });
  });

  test.each([
    ["a|b", ["a", "b"]],
    ["edit_(a|b)|c", ["edit_(a|b)", "c"]],
    [String.raw`a\|b|[|]|c`, [String.raw`a\|b`, "[|]", "c"]],
    [".*", [".*"]],
  ])("the alternatives of %s", (matcher, alternatives) => {
    expect(alternativesOf(matcher)).toEqual(alternatives);
  });
});

describe("hooksh test --budget", () => {
  test("exits 1 if a hook takes longer than it may, and names it", async () => {
    const cwd = tempDir({ ...NAIVE_GUARD, "guard.sh!x": "#!/bin/sh\nsleep 0.8\n", "guard.hooktest.yaml": SLOW });
    const slow = await hooksh(["test", "--budget=100ms"], { cwd });
    expect(slow.stdout).toMatch(/budget: exceeded by 1 of 1 hooks\n {2}\S*hooks\.yaml:4 guard: p50 .* limit 100 ms/);
    expect(slow.code).toBe(1);
    const share = await hooksh(["test", "--budget=1%"], { cwd });
    expect(share.stdout).toContain("limit 600 ms");
    expect(share.code).toBe(1);
    expect((await hooksh(["test", "--budget"], { cwd })).code).toBe(0);
  });
});

const SLOW =
  "hooks: ./hooks.yaml\ntests: [{event: pre_tool_use, tool: shell, input: {cmd: ls}, expect: {decision: none}}]\n";
