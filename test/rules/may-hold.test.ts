import { describe, expect, test } from "bun:test";
import { eventFacts } from "../../src/facts/event-facts.ts";
import { placeOf } from "../../src/facts/place.ts";
import { quietLine } from "../../src/facts/quiet-line.ts";
import { compileRules, type PlacedRule } from "../../src/rules/compile.ts";
import { judgeRules } from "../../src/rules/judge.ts";
import { mayHold } from "../../src/rules/may-hold.ts";
import { readRules } from "../../src/rules/read/read-rules.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const SHELL = { tools: ["shell", "Bash"], class: "runs-commands" };
const MCP = { tools: ["github__create", "mcp:github:create"], class: "other" };

function ruleWhen(when: unknown) {
  const { rules, problems } = readRules([{ deny: "no", when }], ["rules"], {
    sets: { paths: {}, hosts: {} },
    agents: undefined,
  });
  expect(problems).toEqual([]);
  const [rule] = rules;
  if (!rule) throw new Error("the rule cannot be read");
  return rule;
}

describe("a rule that cannot hold for a tool is told by its names and class", () => {
  test.each<[when: unknown, shell: boolean, mcp: boolean]>([
    [{ class: "runs-commands" }, true, false],
    [{ class: ["other", "network"] }, false, true],
    [{ class: { not_in: ["other"] } }, true, true],
    [{ not: { class: "other" } }, true, false],
    [{ not: { not: { class: "other" } } }, false, true],
    [{ tool: "bash" }, true, false],
    [{ tool: ["Read", "BASH"] }, true, false],
    [{ tool: { only: ["x"] } }, true, true],
    [{ tool: "mcp:github:*" }, false, true],
    [{ not: { tool: "mcp:*" } }, true, false],
    [{ all: [{ class: "network" }, { effect: "sends" }] }, false, false],
    [{ any: [{ class: "network" }, { effect: "sends" }] }, true, true],
    [{ any: [{ class: "network" }, { tool: "shell" }] }, true, false],
    [{ not: { any: [{ class: "other" }, { effect: "sends" }] } }, true, false],
    [{ not: { all: [{ class: "other" }, { effect: "sends" }] } }, true, true],
    [{ effect: "sends" }, true, true],
    [{ program: "git", class: "other" }, false, true],
  ])("%j", (when, shell, mcp) => {
    const rule = ruleWhen(when);
    expect([mayHold(rule, SHELL), mayHold(rule, MCP)]).toEqual([shell, mcp]);
  });

  test("one without conditions may hold for every tool", () => {
    expect(mayHold({ when: undefined }, SHELL)).toBe(true);
  });
});

describe("a rule that cannot hold for a quiet line is told without reading the line", () => {
  const place = placeOf({
    cwd: tempDir({ ".env": "A=1", "src/a.ts": "", ".git/HEAD": "ref: refs/heads/main\n" }),
    env: { HOME: tempDir({ ".ssh/id_rsa": "" }), PATH: "/usr/bin:/bin", SHELL: "/bin/sh" },
  });

  function judged(line: string, rule: Pick<PlacedRule, "when">) {
    const payload = { tool_name: "shell", tool_input: { cmd: line }, cwd: place.cwd };
    const facts = eventFacts("pre_tool_use", payload, { toolNames: [], host: undefined, place });
    const call = { tools: facts.call?.tools ?? [], class: "runs-commands", quiet: quietLine(line) };
    const holds = mayHold(rule, call);
    return { holds, facts };
  }

  test.each<[line: string, when: unknown, expected: boolean]>([
    ["npm test", { program: "git" }, false],
    ["npm test", { program: "npm", verb: "install" }, false],
    ["npm test", { not: { program: "npm" } }, false],
    ["npm test && git status", { not: { program: "npm" } }, true],
    ["npm test", { effect: "publish" }, false],
    ["npm test", { effect: ["publish", "reveals"] }, false],
    ["cat .env", { effect: ["publish", "reveals"] }, true],
    ["cat .env", { effect: "publish" }, false],
    ["cat .env", { effect: { not_in: ["publish"] } }, true],
    ["npm test", { effect: { not_in: ["publish"] } }, false],
    ["npm test", { not: { effect: "publish" } }, true],
    ["npm test", { writes: { not_in: ["project"] } }, false],
    ["npm test", { writes: { only: ["project"] } }, true],
    ["npm test", { target: false }, true],
    ["npm test", { target: true }, false],
    ["npm test", { reads: "credentials" }, false],
    ["cat .env", { reads: "credentials" }, true],
    ["npm test", { command: "npm test*" }, true],
    ["npm test", { command: "npm" }, false],
    ["npm test", { command: "n*" }, true],
    ["make test", { command: ["make clean*", "rm -rf *"] }, false],
    ["git status", { verb: "push" }, false],
    ["git status", { verb: "sta*" }, true],
    ["npm run deploy", { verb: "run deploy" }, true],
    ["make push", { verb: "push" }, true],
    ["npm test", { command: ["rm -rf *", "make clean*"] }, false],
    ["npm test", { not: { command: "rm*" } }, true],
    ["npm test", { opaque: true }, true],
    ["npm test", { safety: "unknown" }, true],
    ["npm test", { flags: "--force" }, true],
    ["npm test", { env: "CI" }, false],
    ["ls", { class: "runs-commands" }, true],
    ["rm -rf x", { effect: "publish" }, true],
  ])("%s, %j", (line, when, expected) => {
    expect(judged(line, ruleWhen(when)).holds).toBe(expected);
  });

  const LINES = (
    "npm test|npm run publish|git status|git diff .env|cat .env|cat src/a.ts|head -5 .git/config|ls -la .git|cd src && npm test 2>&1" +
    "|make push|go test ./...|sort -u .env|true|echo prod|git log --oneline -5 main|cat .env | sort -u|docker ps|git branch -a"
  ).split("|");
  const VALUES = {
    program: ["git", "npm", "n*", "cat", "rm"],
    verb: ["status", "push", "run publish", "test"],
    command: ["npm *", "git status", "cat .env", "rm *", "*"],
    effect: ["reveals", "sends", "publish", "persistence"],
    reads: ["credentials", "src/**", "*.ts", "guards"],
    writes: ["project", "ci"],
    paths: ["project", ".git"],
    hosts: ["github.com"],
    sends: ["loopback"],
    ref: ["main"],
    target: ["prod"],
    env: ["CI"],
    flags: ["--oneline", "-5"],
    args: [".env", "prod"],
    class: ["runs-commands", "network"],
    tool: ["shell", "mcp:*"],
  };

  test.each(Object.entries(VALUES))("%s: none is told that holds", async (fact, values) => {
    const tests = values.flatMap((value) => [
      value,
      { not_in: [value] },
      { only: [value] },
      { in: [value], not_in: ["x"] },
    ]);
    const matching = ["tool", "class"].includes(fact) ? [] : [{ matches: values.at(0) }, true, false];
    for (const one of [...tests, ...matching]) {
      for (const when of [{ [fact]: one }, { not: { [fact]: one } }, { [fact]: one, program: "git" }]) {
        for (const verdict of ["deny", "allow"]) {
          const { rules } = readRules([{ [verdict]: "x", when }], ["rules"], { sets: { paths: {}, hosts: {} } });
          const [rule] = rules.map((rule) => ({ ...rule, source: async () => "" }));
          if (!rule) continue; // such a rule is refused
          for (const line of LINES) {
            const { holds, facts } = judged(line, rule);
            const { hits } = await judgeRules(compileRules([rule]), facts, { place });
            expect({ line, when, verdict, holds: holds || hits.length > 0 }).toEqual({ line, when, verdict, holds });
          }
        }
      }
    }
  });
});
