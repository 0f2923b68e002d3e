import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { hooksJsonSchema, userConfigJsonSchema } from "../../../src/config/json-schema/agent-json-schema.ts";
import { EFFECTS } from "../../../src/facts/facts.ts";
import { HOST_SETS, PATH_SETS } from "../../../src/facts/sets/set-names.ts";
import { parseYaml } from "../../../src/lib/platform.ts";
import { TOOL_CLASSES } from "../../../src/protocol/tool-class.ts";
import { readRules } from "../../../src/rules/read/read-rules.ts";
import { FACTS } from "../../../src/rules/rule.ts";

const ajv = new Ajv2020({ strict: false });
const hooks = ajv.compile(hooksJsonSchema());
const config = ajv.compile(userConfigJsonSchema());
const SETS = { paths: {}, hosts: {} };

const VALID = [
  "{ deny: no, when: { program: rm } }",
  "{ deny: no, when: { effect: [git-history, publish], flags: { not_in: [--dry-run] } } }",
  "{ ask: sure, when: { writes: guards, not: { paths: ./docs }, any: [{ verb: push }, { hosts: '*.example.org' }] } }",
  "{ warn: late, on: [pre_tool_use, post_tool_use], when: { time: 22:00-06:00, cost: { more_than: 5 } } }",
  "{ deny: again, when: { same_call: { more_than: 5, per: 10m } } }",
  "{ deny: test first, when: { verb: push }, unless_after: [{ command: npm test, ok: true, within: 1h }] }",
  "{ deny: enough, when: { program: git }, more_than: { n: 20, per: 10m, same_call: true } }",
  "{ deny: no, when: { input: { issue.title: { matches: 'x' }, count: 3 }, dirty: true } }",
  "{ context: Speak English, on: session_start }",
  "{ deny: no, if: 'size(args) > 1', name: a.b, agents: [root, 'x*'], mode: observe }",
  "{ deny: no, when: { program: rm }, examples: { deny: [rm x], pass: [ls, { tool: fetch, input: {} }] } }",
  "{ include: 'builtin:git-safety', with: { protected: [main] }, except: [history], verdict: ask }",
];

describe("valid rules are valid by the schema", () => {
  test.each(VALID)("%s", (text) => {
    const rules = [parseYaml(text)];
    expect(readRules(rules, ["rules"], { sets: SETS }).problems).toEqual([]);
    hooks({ rules });
    expect(hooks.errors).toBeNull();
    config({ settings: { rules } });
    expect(config.errors).toBeNull();
  });

  test("sets", () => {
    hooks({ sets: { paths: { mine: ["./a/**"] }, hosts: { ours: ["*.example.org"] } }, rules: [] });
    expect(hooks.errors).toBeNull();
  });
});

describe("the schema reports", () => {
  test.each([
    ["no verdict", "{ when: { program: rm } }"],
    ["two verdicts", "{ deny: no, ask: sure, when: { program: rm } }"],
    ["an unknown key", "{ deny: no, wen: { program: rm } }"],
    ["an unknown fact", "{ deny: no, when: { efect: publish } }"],
    ["an unknown effect", "{ deny: no, when: { effect: publsh } }"],
    ["an unknown class", "{ deny: no, when: { class: run-commands } }"],
    ["an unknown operator", "{ deny: no, when: { paths: { notin: [project] } } }"],
    ["an unknown event", "{ deny: no, on: pre_tool, when: { program: rm } }"],
    ["an unknown set of rules", "{ include: 'builtin:git-safty' }"],
    ["more_than without n", "{ deny: no, when: { program: rm }, more_than: { per: 10m } }"],
  ])("%s", (_name, text) => {
    expect(hooks({ rules: [parseYaml(text)] })).toBe(false);
  });
});

test("every fact, effect, class and set is in the schema", () => {
  const text = JSON.stringify(hooksJsonSchema());
  for (const name of [...FACTS, ...EFFECTS, ...TOOL_CLASSES, ...Object.keys(PATH_SETS), ...Object.keys(HOST_SETS)])
    expect(text).toContain(JSON.stringify(name));
});
