import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { resolveDirectories } from "../../src/lib/env.ts";
import { ConfigError } from "../../src/lib/errors.ts";
import { readTestFile } from "../../src/testing/read-test-file.ts";
import { hooksh } from "../helpers/binary.ts";
import { exampleFolder, HEAD } from "./example-files.ts";

/** Returns the problems of a test file, without the name of the file. */
async function problemsOf(text: string): Promise<string[]> {
  const cwd = exampleFolder({ "g.hooktest.yaml": text, "broken.yaml": "pre_tool_use: [1]\n" });
  const directories = { ...resolveDirectories(), config: join(cwd, "config") };
  try {
    await readTestFile(join(cwd, "g.hooktest.yaml"), directories);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => problem.replaceAll(`${cwd}/`, "").replace(/^g\.hooktest\.yaml:/, ""));
  }
}

const test1 = (line: string) => `${HEAD}  - ${line}\n`;

describe("a test file with a mistake names the place and the way out", () => {
  test.each<[string, string, string]>([
    [
      "an unknown key",
      test1("{ name: a, inptu: {}, expect: { decision: none } }"),
      '5:16: tests[0].inptu: unknown key; did you mean "input"?',
    ],
    [
      "an unknown key of expect",
      test1("{ expect: { decison: deny } }"),
      '5:17: tests[0].expect.decison: unknown key; did you mean "decision"?',
    ],
    [
      "the name of a field of the event",
      test1("{ tool_input: { cmd: ls }, expect: { decision: none } }"),
      '5:7: tests[0].tool_input: unknown key; it is called "input" here',
    ],
    [
      "the name of a rewritten field of the event",
      test1("{ expect: { stop_response: x } }"),
      '5:17: tests[0].expect.stop_response: unknown key; it is called "response" here',
    ],
    [
      "items that the test does not use",
      test1("{ name: $each, each: [a, b], expect: { decision: none } }"),
      '5:20: tests[0].each: the test does not use the items: write "$each" where one belongs',
    ],
    ["an unknown key of the file", `hook: a\n${test1("{}")}`, '1:1: hook: unknown key; did you mean "hooks"?'],
    ["no hooks", "tests: [{ expect: { decision: none } }]", "1:1: hooks: is required"],
    ["no tests", "hooks: agent.yaml\ntests: []", "2:8: tests: expected at least one test but got []"],
    [
      "hooks that are not there",
      "hooks: no.yaml\ntests: [{ expect: { decision: none } }]",
      "1:8: hooks: no.yaml: no such file",
    ],
    [
      "no event",
      "hooks: agent.yaml\ntests: [{ expect: { decision: none } }]",
      "2:9: tests[0]: no event: set event here or under defaults",
    ],
    [
      "an unknown event",
      test1("{ event: pre_tool_ues, expect: { decision: none } }"),
      '5:14: tests[0].event: unknown hook event "pre_tool_ues", did you mean pre_tool_use?',
    ],
    [
      "an unknown tool",
      test1("{ tool: shel, expect: { decision: none } }"),
      '5:13: tests[0].tool: unknown tool "shel", did you mean shell?',
    ],
    [
      "the tool of another agent",
      test1("{ tool: Bash, expect: { decision: none } }"),
      '5:13: tests[0].tool: unknown tool "Bash", did you mean shell?',
    ],
    [
      "an unknown decision",
      test1("{ expect: { decision: dney } }"),
      '5:27: tests[0].expect.decision: unknown decision "dney", did you mean deny?',
    ],
    [
      "an unknown hook",
      test1("{ expect: { by: gaurd.sh } }"),
      '5:21: tests[0].expect.by: no hook is called "gaurd.sh", did you mean guard.sh?',
    ],
    [
      "an unknown hook of not_ran",
      test1("{ expect: { not_ran: [x_y_z] } }"),
      '5:26: tests[0].expect.not_ran: no hook is called "x_y_z"; there are ./guard.sh, guard.sh, judge, redact_secrets',
    ],
    [
      "an unknown hook of outcome",
      test1("{ expect: { outcome: { jugde: said } } }"),
      '5:26: tests[0].expect.outcome: no hook is called "jugde", did you mean judge?',
    ],
    [
      "an unknown hook of a fault",
      test1("{ fault: { hook: gard.sh }, expect: { decision: none } }"),
      '5:22: tests[0].fault.hook: no hook is called "gard.sh", did you mean guard.sh?',
    ],
    [
      "an unknown hook of a stub",
      test1("{ stubs: { jugde: deny }, expect: { decision: none } }"),
      '5:16: tests[0].stubs.jugde: no hook is called "jugde", did you mean judge?',
    ],
    [
      "an unknown kind of fault",
      test1("{ fault: { hook: guard.sh, kinds: [dead] }, expect: { decision: none } }"),
      '5:40: tests[0].fault.kinds[0]: expected one of "missing", "crash", "hang", "garbage", "killed" but got "dead"',
    ],
    [
      "a hook that cannot run",
      test1("{ expect: { ran: judge } }"),
      '5:22: tests[0].expect.ran: judge cannot run for pre_tool_use of shell: its matcher "fetch" does not match shell',
    ],
    [
      "a fault of a hook that cannot run",
      test1("{ fault: { hook: judge }, expect: { decision: none } }"),
      '5:22: tests[0].fault.hook: judge cannot run for pre_tool_use of shell: its matcher "fetch" does not match shell',
    ],
    [
      "a decision that cannot be",
      test1("{ expect: { decision: block } }"),
      "5:27: tests[0].expect.decision: pre_tool_use can never end with block: expected none, allow, ask, deny",
    ],
    [
      "a refusal of an observed event",
      test1("{ event: stop, expect: { decision: block } }"),
      "5:40: tests[0].expect.decision: stop can never end with block: expected none",
    ],
    [
      "a field that the event lacks",
      test1("{ event: stop, tool_response: x, expect: { decision: none } }"),
      "5:20: tests[0].tool_response: stop has no tool_response; its fields are last_user_message, stop_response",
    ],
    [
      "an expectation that the event lacks",
      test1("{ expect: { tool_response: x } }"),
      "5:32: tests[0].expect.tool_response: can never hold: pre_tool_use has no tool_response",
    ],
    [
      "a context that the event lacks",
      test1("{ expect: { context: x } }"),
      "5:26: tests[0].expect.context: can never hold: pre_tool_use takes no context",
    ],
    [
      "a pattern that is invalid",
      test1("{ expect: { message: /(a/ } }"),
      "5:26: tests[0].expect.message: /(a/ is not a valid regular expression: missing closing ) at 0",
    ],
    [
      "a pattern with a class that does not end",
      test1("{ expect: { message: '/[/' } }"),
      "5:26: tests[0].expect.message: /[/ is not a valid regular expression: missing closing ]",
    ],
    [
      "a pattern that cannot match",
      test1("{ expect: { message: /a^b/ } }"),
      "5:26: tests[0].expect.message: /a^b/ cannot match any text",
    ],
    [
      "a pattern deep inside",
      test1('{ expect: { input: { a: ["/$b/"] } } }'),
      "5:24: tests[0].expect.input: /$b/ cannot match any text",
    ],
    [
      "a duration",
      test1("{ expect: { within: fast } }"),
      "5:25: tests[0].expect.within: expected a duration such as 2s or 500ms",
    ],
    [
      "an exit code",
      test1("{ expect: { exit: 300 } }"),
      "5:23: tests[0].expect.exit: expected an exit code from 0 to 255",
    ],
    [
      "a field of another type",
      test1("{ input: [1], expect: { decision: none } }"),
      "5:14: tests[0].input: tool_input: expected an object but received Array",
    ],
    [
      "$each without each",
      test1('{ input: { cmd: "$each" }, expect: { decision: none } }'),
      "5:14: tests[0].input: $each has no meaning here: the test has no each",
    ],
    [
      "a key that $each lacks",
      test1('{ each: [{ a: 1 }], input: { cmd: "$each.b" }, expect: { decision: none } }'),
      '5:32: tests[0].input: $each.b: {"a":1} has no such key',
    ],
    [
      "an empty each",
      test1("{ each: [], expect: { decision: none } }"),
      "5:13: tests[0].each: expected at least one item but got []",
    ],
    [
      "each of too many items",
      test1(`{ each: [${"x,".repeat(10_001)}], input: { cmd: $each }, expect: { decision: none } }`),
      `5:13: tests[0].each: expected at most 10,000 items but got [${'"x",'.repeat(49)}"x"...`,
    ],
    [
      "no expectation",
      test1("{ name: a, input: { cmd: ls } }"),
      "5:5: tests[0]: the test expects nothing: add expect, such as {decision: deny}",
    ],
    [
      "an empty expectation",
      test1("{ name: a, expect: {} }"),
      "5:5: tests[0]: the test expects nothing: add expect, such as {decision: deny}",
    ],
    [
      "an answer of a stub",
      test1("{ stubs: { judge: { decision: yes } }, expect: { decision: none } }"),
      '5:23: tests[0].stubs.judge: unknown decision "yes": expected none, allow, ask, deny, block',
    ],
    [
      "a key of a stub",
      test1("{ stubs: { judge: { reson: x } }, expect: { decision: none } }"),
      '5:23: tests[0].stubs.judge: unknown key "reson"; did you mean "reason"?',
    ],
    [
      "a directory",
      test1("{ cwd: nowhere, expect: { decision: none } }"),
      "5:12: tests[0].cwd: no such directory: nowhere",
    ],
    [
      "a file outside",
      test1("{ files: { ../x: a }, expect: { decision: none } }"),
      "5:16: tests[0].files.../x: expected a relative path inside the working directory",
    ],
    [
      "verdicts without from",
      test1("{ verdicts: v.yaml, expect: { decision: none } }"),
      "5:7: tests[0].verdicts: needs from: it holds the verdicts of recorded events",
    ],
    [
      "a key beside from",
      test1("{ from: r.jsonl, input: {} }"),
      "5:22: tests[0].input: has no meaning beside from; known keys are name, from, verdicts, stubs, env, skip, only",
    ],
    [
      "an agent that is not there",
      `agent: rot\n${test1("{ expect: { decision: none } }")}`,
      '1:8: agent: agent.yaml has no agent "rot"; it has root',
    ],
    [
      "an agent of a hooks block",
      "hooks: { stop: { type: command, command: a } }\nagent: root\ntests: [{ expect: { decision: none } }]",
      "2:8: agent: hooks names no agent file",
    ],
    ["YAML", "hooks: [", "1:8: "],
  ])("%s", async (_name, text, problem) => {
    const problems = await problemsOf(text);
    expect(problems.join("\n")).toStartWith(problem);
  });

  test("the hooks file has its own places", async () => {
    expect((await problemsOf("hooks: broken.yaml\ntests: [{ expect: { decision: none } }]")).join()).toStartWith(
      "broken.yaml:1:",
    );
  });

  test("every problem is reported at once", async () => {
    const text = `${test1("{ tool: shel, expect: { decision: none } }")}  - { event: stopp, expect: { decision: none } }\n`;
    expect(await problemsOf(text)).toHaveLength(2);
  });

  test("a mistake makes the run fail, and other files run all the same", async () => {
    const cwd = exampleFolder({
      "a.hooktest.yaml": test1("{ tool: shel, expect: { decision: none } }"),
      "b.hooktest.yaml": test1("{ name: fine, expect: { decision: none } }"),
    });
    const ran = await hooksh(["test"], { cwd });
    expect(ran.stderr).toBe('a.hooktest.yaml:5:13: tests[0].tool: unknown tool "shel", did you mean shell?\n');
    expect(ran.stdout).toContain("ok   fine");
    expect(ran.stdout).toContain("1 passed, 1 file not valid in");
    expect(ran.code).toBe(1);
  });
});
