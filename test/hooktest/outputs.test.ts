import { describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { exampleFolder, HEAD } from "./example-files.ts";

const FILE = "g.hooktest.yaml";

const RED = `${HEAD}  - name: pushes are fine, 100% <sure> & "so"
    input: { cmd: git push -f }
    expect: { decision: none, message: "line one, two: three" }
  - name: reading
    input: { cmd: ls }
    expect: { decision: none }
  - { name: later, skip: no time, expect: { decision: none } }
`;

describe("what a failure shows", () => {
  test("what differs, and each hook with its outcome, output and place, or why it did not run", async () => {
    const cwd = exampleFolder({ [FILE]: RED });
    const { stdout, code } = await hooksh(["test"], { cwd });
    expect(code).toBe(1);
    const shown = stdout.replace(/[\d.]+ m?s\b/g, "N ms");
    expect(shown).toBe(`${FILE}
  FAIL pushes are fine, 100% <sure> & "so"  N ms
       decision: expected none
                      got deny
       message: expected line one, two: three
                     got no force push: make a new branch
       hooks on pre_tool_use:
         ./guard.sh (agent.yaml:11, command) blocked, deny, exit 2, N ms
           stderr | no force push: make a new branch
         redact_secrets (redact_secrets, builtin) silent, N ms
         judge (agent.yaml:13, model) did not run: its matcher "fetch" does not match shell
  ok   reading  N ms
  skip later (no time)

1 passed, 1 failed, 1 skipped in N ms
`);
  });

  test("that an event has no hook, without those of other events", async () => {
    const step = "{ event: turn_end, expect: { decision: none } }, { event: session_start, expect: { context: x } }";
    const cwd = exampleFolder({ [FILE]: `${HEAD}  - { name: begins, session: [${step}] }\n` });
    const { stdout } = await hooksh(["test"], { cwd });
    expect(stdout).toContain("       no hooks on step 2, session_start\n");
    expect(stdout).not.toContain("guard.sh");
  });

  test("long values differ as a diff", async () => {
    const text = (last: string) => JSON.stringify(["one", "two", "three", last].join("\n"));
    const cwd = exampleFolder({
      [FILE]: `hooks: { tool_response_transform: { hooks: { type: builtin, command: redact_secrets } } }
tests:
  - { event: tool_response_transform, tool: shell, tool_response: ${text("four")}, expect: { tool_response: ${text("4")} } }
`,
    });
    const { stdout } = await hooksh(["test"], { cwd });
    expect(stdout).toContain("tool_response: expected (-), got (+)");
    expect(stdout).toMatch(/\| {2}three\n +\| -4\n +\| \+four\n/);
  });

  test("what a hook prints cannot reach the terminal as an escape, or a workflow as a command", async () => {
    const cwd = exampleFolder({
      [FILE]: `hooks: { pre_tool_use: { hooks: { type: command, command: "printf '::error::x\\\\n\\\\033[31m' >&2" } } }
tests: [{ event: pre_tool_use, tool: shell, expect: { decision: deny } }]
`,
    });
    const { stdout } = await hooksh(["test"], { cwd });
    expect(stdout).toContain("stderr | ::error::x\n");
    expect(stdout).toContain("stderr | \\x1b[31m");
  });
});

describe("--json", () => {
  test("prints an object for each test, with its place, failures and hooks, then the totals", async () => {
    const cwd = exampleFolder({ [FILE]: RED, "bad.hooktest.yaml": "hooks: agent.yaml\ntests: 1\n" });
    const ran = await hooksh(["test", "--json"], { cwd });
    expect(ran.code).toBe(1);
    const [error, red, green, skipped, summary] = ran.lines();
    expect(error).toEqual({
      type: "error",
      file: "bad.hooktest.yaml",
      line: 2,
      column: 8,
      message: "tests: expected a list but got 1",
    });
    expect(red).toMatchObject({ type: "test", file: FILE, line: 5, column: 5, status: "failed" });
    expect(red?.["failures"]).toEqual([
      { key: "decision", expected: "none", actual: "deny" },
      { key: "message", expected: "line one, two: three", actual: "no force push: make a new branch" },
    ]);
    expect(red?.["steps"]).toMatchObject([
      {
        event: "pre_tool_use",
        decision: "deny",
        by: ["./guard.sh"],
        hooks: [
          { name: "./guard.sh", source: "agent.yaml:11", ran: true, outcome: "blocked", exit_code: 2, decided: true },
          { name: "redact_secrets", ran: true },
          { name: "judge", ran: false, why: 'its matcher "fetch" does not match shell' },
        ],
      },
    ]);
    expect(green).toMatchObject({ name: "reading", status: "passed", failures: [] });
    expect(skipped).toMatchObject({ name: "later", status: "skipped", reason: "no time", steps: [] });
    expect(summary).toMatchObject({ type: "summary", passed: 1, failed: 1, skipped: 1, broken: 1 });
  });
});

const PYTHON = Bun.which("python3");

/** Parses XML with the parser of Python: elements as [name, attributes, children, text]. */
function parseXml(path: string): unknown {
  const script = `import json, sys, xml.etree.ElementTree as t
f = lambda e: [e.tag, e.attrib, [f(c) for c in e], e.text or ""]
print(json.dumps(f(t.parse(sys.argv[1]).getroot())))`;
  const done = Bun.spawnSync([PYTHON ?? "", "-c", script, path]);
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
  return JSON.parse(done.stdout.toString());
}

describe.skipIf(!PYTHON)("--junit", () => {
  test("writes XML that build servers read, beside the usual output", async () => {
    const odd = `${RED}  - { name: "odd \\u0001 \\ud83d\\ude00 ]]>", expect: { decision: deny } }\n`;
    const cwd = exampleFolder({ [FILE]: odd, "bad.hooktest.yaml": "hooks: agent.yaml\ntests: 1\n" });
    const ran = await hooksh(["test", "--junit", "out/report.xml"], { cwd });
    expect(ran.stdout).toContain("FAIL pushes");
    const [root, attributes, suites] = parseXml(join(cwd, "out/report.xml")) as [
      string,
      object,
      [string, object, [string, Record<string, string>, [string, object, unknown, string][]][]][],
    ];
    expect(root).toBe("testsuites");
    expect(attributes).toMatchObject({ tests: "5", failures: "2", errors: "1" });
    expect(suites.map(([tag, own]) => [tag, own])).toMatchObject([
      ["testsuite", { name: "bad.hooktest.yaml", tests: "1", errors: "1", failures: "0", skipped: "0" }],
      ["testsuite", { name: FILE, tests: "4", errors: "0", failures: "2", skipped: "1" }],
    ]);
    const cases = suites[1]?.[2] ?? [];
    expect(cases.map(([, { name }]) => name)).toEqual([
      'pushes are fine, 100% <sure> & "so"',
      "reading",
      "later",
      "odd \uFFFD \u{1F600} ]]>",
    ]);
    const failure = cases[0]?.[2][0];
    expect(failure?.[0]).toBe("failure");
    expect(failure?.[3]).toContain(`${FILE}:5:5`);
    expect(failure?.[3]).toContain("stderr | no force push: make a new branch");
    expect(cases[2]?.[2][0]?.slice(0, 2)).toEqual(["skipped", { message: "no time" }]);
    for (const [tag, { classname, time }] of cases) {
      expect([tag, classname]).toEqual(["testcase", FILE]);
      expect(time).toMatch(/^\d+\.\d{3}$/);
    }
  });
});

describe("annotations for GitHub", () => {
  const env = (cwd: string) => ({ GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: join(cwd, "..") });

  test("each failure has one, with its place from the root of the repository and its values escaped", async () => {
    const cwd = exampleFolder({ [FILE]: RED, "bad.hooktest.yaml": "hooks: agent.yaml\ntests: 1\n" });
    const folder = cwd.split("/").at(-1);
    const ran = await hooksh(["test"], { cwd, env: env(cwd) });
    const lines = ran.stdout.split("\n").filter((line) => line.startsWith("::"));
    const title = 'pushes are fine%2C 100%25 <sure> & "so"';
    expect(lines).toEqual([
      `::error file=${folder}/bad.hooktest.yaml,line=2,col=8,title=hooksh test::tests: expected a list but got 1`,
      `::error file=${folder}/${FILE},line=7,col=15,title=${title}::decision: expected none%0A               got deny`,
      `::error file=${folder}/${FILE},line=7,col=31,title=${title}::message: expected line one, two: three%0A              got no force push: make a new branch`,
    ]);
  });

  test("no control character of a test reaches the log", async () => {
    const name = JSON.stringify("red\u001b[2J\u0001\n::error::more");
    const cwd = exampleFolder({ [FILE]: `${HEAD}  - { name: ${name}, expect: { decision: deny } }\n` });
    const { stdout } = await hooksh(["test"], { cwd, env: env(cwd) });
    expect(stdout).toContain("title=red\\x1b[2J\\x01%0A%3A%3Aerror%3A%3Amore::");
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  });

  test("beside --json they go to standard error", async () => {
    const cwd = exampleFolder({ [FILE]: RED });
    const ran = await hooksh(["test", "--json"], { cwd, env: env(cwd) });
    expect(ran.lines()).toHaveLength(4);
    expect(ran.stderr.split("\n").filter((line) => line.startsWith("::error "))).toHaveLength(2);
  });

  test("there are none elsewhere", async () => {
    const cwd = exampleFolder({ [FILE]: RED });
    expect((await hooksh(["test"], { cwd })).stdout).not.toContain("::error");
  });
});

describe("which tests run", () => {
  const three = `${HEAD}  - { name: one, expect: { decision: none } }
  - { name: two, input: { cmd: git push -f }, expect: { decision: none } }
  - { name: three, expect: { decision: none } }
`;

  test("--run takes a regular expression", async () => {
    const cwd = exampleFolder({ [FILE]: three });
    expect((await hooksh(["test", "--run", "^t.*e$"], { cwd })).stdout).toMatch(
      /g.hooktest.yaml\n {2}ok {3}three .*\n\n1 passed/,
    );
    expect((await hooksh(["test", "--run", "("], { cwd })).code).toBe(64);
    const none = await hooksh(["test", "--run", "four"], { cwd });
    expect([none.code, none.stderr]).toEqual([3, 'no test matches --run "four"\n']);
  });

  test("--junit with a file that cannot be written fails after the tests ran", async () => {
    const cwd = exampleFolder({ [FILE]: three });
    const { stdout, stderr, code } = await hooksh(["test", "--run", "one", "--junit", "agent.yaml/x.xml"], { cwd });
    expect(stdout).toContain("1 passed");
    expect(stderr).toMatch(/^\S+agent\.yaml\/x\.xml: cannot be written: /);
    expect(code).toBe(1);
  });

  test("--fail-fast stops at the first failure", async () => {
    const cwd = exampleFolder({ [FILE]: three, "later.hooktest.yaml": three });
    const { stdout, code } = await hooksh(["test", "--fail-fast"], { cwd });
    expect(stdout).toContain("1 passed, 1 failed in");
    expect(stdout).not.toContain("later.hooktest.yaml");
    expect(code).toBe(1);
  });

  test("--jobs runs them together and keeps their order", async () => {
    const cwd = exampleFolder({
      [FILE]: `hooks: { pre_tool_use: { hooks: { type: command, command: ./meet.sh } } }
defaults: { event: pre_tool_use, tool: shell }
tests:
  - { name: waits, input: { cmd: waits }, expect: { decision: none } }
  - { name: comes, input: { cmd: comes }, expect: { decision: none } }
`,
      // The first waits until the second has started.
      "meet.sh!x": `#!/bin/sh
case $(cat) in *waits*) while [ ! -e came ]; do sleep 0.05; done ;; *) : > came ;; esac
`,
    });
    const { stdout, code } = await hooksh(["test", "--jobs", "2"], { cwd });
    expect(stdout).toMatch(/ok {3}waits[\s\S]*ok {3}comes/);
    expect(code).toBe(0);
    expect((await hooksh(["test", "--jobs", "0"], { cwd })).code).toBe(64);
  });

  test("only runs the tests that are marked, says so, and fails under CI", async () => {
    const cwd = exampleFolder({ [FILE]: three.replace("name: three", "name: three, only: true") });
    const ran = await hooksh(["test"], { cwd });
    expect(ran.stderr).toBe("warning: only: 1 of 3 tests run, because only they are marked so\n");
    expect(ran.stdout).toContain("1 passed in");
    const ci = await hooksh(["test"], { cwd, env: { CI: "true" } });
    expect(ci.stderr).toStartWith("g.hooktest.yaml:7:20: only is for your own machine");
    expect(ci.stdout).toContain("2 passed, 1 failed, 1 file not valid");
    expect(ci.code).toBe(1);
  });

  test("directories are searched at every depth, links and their loops once, node_modules never", async () => {
    const cwd = exampleFolder({ "a/b/x.hooktest.yaml": three.replace("./agent", "../../agent") });
    for (const folder of ["node_modules/p", ".git/p"]) await Bun.write(join(cwd, folder, "y.hooktest.yaml"), "broken");
    symlinkSync(cwd, join(cwd, "a", "loop"));
    const { stdout } = await hooksh(["test", "--run", "none of them", "."], { cwd });
    expect(stdout).toBe("");
    const { lines } = await hooksh(["test", "--json", "--run", "one", "a", "a/b/x.hooktest.yaml"], { cwd });
    expect(lines().map(({ file }) => file)).toEqual(["a/b/x.hooktest.yaml", undefined]);
  });

  test("none is exit code 3, and a path that is not there is wrong usage", async () => {
    const cwd = exampleFolder();
    const none = await hooksh(["test", "recordings"], { cwd });
    expect([none.code, none.stderr]).toEqual([
      3,
      "no test was found: write a *.hooktest.yaml, or examples beside a hook or a rule\n",
    ]);
    const missing = await hooksh(["test", "nowhere"], { cwd });
    expect([missing.code, missing.stderr]).toEqual([
      64,
      "nowhere: no such file or directory\nRun `hooksh test --help` for help\n",
    ]);
  });
});

describe("--watch", () => {
  test("runs again when the guard, the hooks or the tests change, and ends on an interrupt", async () => {
    const cwd = exampleFolder({ [FILE]: three() });
    const { cleanEnv, binary } = await import("../helpers/binary.ts");
    const child = Bun.spawn([binary(), "test", "--watch", "--json"], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    const results = summaries(child.stdout);
    expect((await results.next()).value).toMatchObject({ passed: 1, failed: 0 });
    writeFileSync(join(cwd, "guard.sh"), "#!/bin/sh\nexit 2\n");
    expect((await results.next()).value).toMatchObject({ passed: 0, failed: 1 });
    writeFileSync(
      join(cwd, "agent.yaml"),
      readFileSync(join(cwd, "agent.yaml"), "utf8").replaceAll("./guard.sh", "exit 0"),
    );
    expect((await results.next()).value).toMatchObject({ passed: 1, failed: 0 });
    writeFileSync(join(cwd, "new.hooktest.yaml"), three());
    expect((await results.next()).value).toMatchObject({ passed: 2, failed: 0 });
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
  });

  function three(): string {
    return `${HEAD}  - { name: one, expect: { decision: none } }\n`;
  }

  async function* summaries(stream: ReadableStream<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
    let text = "";
    for await (const chunk of stream) {
      text += new TextDecoder().decode(chunk);
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const value = JSON.parse(line) as Record<string, unknown>;
        if (value["type"] === "summary") yield value;
      }
    }
  }
});
