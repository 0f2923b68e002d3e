import { describe, expect, test } from "bun:test";
import { RULE_SETS } from "../../../src/rules/include/rule-sets.ts";
import { readRules } from "../../../src/rules/read/read-rules.ts";
import type { Rule } from "../../../src/rules/rule.ts";
import { event, judge, placedRules, type ShortStep } from "../../helpers/rule-facts.ts";

const read = (rules: unknown, agents?: readonly string[]) =>
  readRules(rules, ["rules"], { sets: { paths: {}, hosts: {} }, agents });
const include = (name: string, more: Record<string, unknown> = {}) => ({ include: `builtin:${name}`, ...more });
const names = (rules: readonly Rule[]) => rules.map(({ name, verdict }) => `${name} ${verdict}`);

describe("an include", () => {
  test.each([
    ["git-safety", "history deny, discard deny, protected deny, no-verify deny"],
    ["credentials", "read deny, write ask, print deny, sent deny"],
    ["guards-stay", "files deny, bypass deny, instructions ask, persistence ask"],
    ["remote-code", "pipe deny, unknown-host deny, hidden deny"],
    ["outside-deletion", "roots deny, outside deny, disks deny"],
    ["packages", "new ask, publish ask, lockfiles deny"],
    ["production", "change ask, destroy deny"],
    ["ci", "pipelines deny, release deny"],
  ])("of %s: %s", (name, rules) => {
    const { rules: got, problems } = read([include(name)]);
    expect(problems).toEqual([]);
    expect(names(got)).toEqual(rules.split(", ").map((rule) => `${name}/${rule}`));
    expect(got.every(({ path }) => path.join() === "rules,0")).toBe(true);
  });

  test("every set is tested above, and two in `more-rule-sets.test.ts`", () => {
    expect(Object.keys(RULE_SETS())).toHaveLength(10);
  });

  test("leaves rules out, and gives all a verdict, a mode and agents", () => {
    const { rules, problems } = read([
      include("credentials", { except: ["print", "sent"], verdict: "warn", mode: "observe", agents: ["a*"] }),
    ]);
    expect(problems).toEqual([]);
    expect(names(rules)).toEqual(["credentials/read warn", "credentials/write warn"]);
    expect(rules.every(({ observe, agents }) => observe && agents?.join() === "a*")).toBe(true);
  });

  test("the rules stand where the include stands", async () => {
    const rules = [{ deny: "frozen", when: { program: "npm" } }, include("packages")];
    const { messages } = await judge(rules, event([{ program: ["npm"], verb: ["install"], effect: ["packages"] }]));
    expect(messages).toEqual(['frozen [rules[0] at hooks.yaml:1: program npm in "npm install"]']);
    expect(await placedRules(rules)[1]?.source()).toBe("hooks.yaml:2");
  });

  test.each<[Record<string, unknown>, string]>([
    [{ include: "builtin:git-safty" }, 'unknown set of rules "builtin:git-safty", did you mean "builtin:git-safety"?'],
    [{ include: "git-safety" }, 'unknown set of rules "git-safety", did you mean "builtin:git-safety"?'],
    [{ include: "x.yaml" }, 'unknown set of rules "x.yaml"; there are builtin:git-safety,'],
    [{ include: 7 }, "expected the name of a set of rules, such as builtin:git-safety, but got a number"],
    [include("git-safety", { with: { protect: ["main"] } }), 'unknown parameter "protect", did you mean "protected"?'],
    [include("ci", { with: { a: ["x"] } }), 'the set has no parameters, so none "a"'],
    [include("ci", { with: null }), "expected a mapping of parameters but got nothing"],
    [include("git-safety", { with: { protected: [7.5] } }), "write the number 7.5 in quotes"],
    [include("git-safety", { with: { protected: { only: ["x"] } } }), "expected a list of texts but got a mapping"],
    [include("credentials", { with: { also: ["credental"] } }), 'unknown set "credental", did you mean "credentials"?'],
    [include("production", { with: { names: "(" } }), "not a valid RE2 expression: "],
    [include("production", { with: { names: ["prod"] } }), "expected a regular expression but got a list"],
    [include("git-safety", { except: ["histroy"] }), 'unknown rule "histroy", did you mean "history"?'],
    [include("git-safety", { except: [] }), "expected a rule but got an empty list"],
    [include("git-safety", { verdict: "allow" }), 'a set takes the verdicts deny, ask and warn, not "allow"'],
    [include("git-safety", { mode: "log" }), 'unknown mode "log": the only one is "observe"'],
    [include("git-safety", { parms: {} }), 'unknown key beside include "parms"; there are include,'],
    [
      include("git-safety", { deny: "x" }),
      'unknown key beside include "deny": write verdict: deny for all rules of the set',
    ],
  ])("%j is wrong", (entry, expected) => {
    const { rules, problems } = read([entry]);
    expect(problems[0]?.message).toStartWith(expected);
    expect(problems).toHaveLength(1);
    expect(rules).toEqual([]);
  });

  test("the place of a mistake in a parameter is its own", () => {
    const { problems } = read([include("git-safety", { with: { protected: ["a", ""] } })]);
    expect(problems[0]?.path).toEqual(["rules", 0, "with", "protected", 1]);
  });
});

describe("what the sets stop", () => {
  const push = (ref: string): ShortStep => ({ program: ["git"], verb: ["push"], ref: [ref], effect: ["sends"] });
  const cases: [string, Record<string, unknown>, ShortStep, string | undefined][] = [
    ["git-safety", {}, push("main"), "git-safety/protected"],
    ["git-safety", {}, push("release/1"), "git-safety/protected"],
    ["git-safety", {}, push("dev"), undefined],
    ["git-safety", { protected: ["dev"] }, push("dev"), "git-safety/protected"],
    ["git-safety", { protected: "dev" }, push("main"), undefined],
    ["git-safety", { protected: [] }, push("main"), undefined],
    ["credentials", {}, { program: ["cat"], reads: ["/p/a.env"] }, "credentials/read"],
    ["credentials", {}, { program: ["cat"], reads: ["/p/a"] }, undefined],
    ["credentials", { also: ["/p/vault/*"] }, { program: ["cat"], reads: ["/p/vault/a"] }, "credentials/read"],
    ["credentials", { except_paths: ["/p/test/*"] }, { program: ["cat"], reads: ["/p/test/a.env"] }, undefined],
    [
      "credentials",
      { except_paths: ["/p/test/*"] },
      { program: ["cat"], reads: ["/p/test/a.env", "/p/b.env"] },
      "credentials/read",
    ],
    ["credentials", {}, { program: ["env"], effect: ["reveals"] }, "credentials/print"],
    ["credentials", {}, { program: ["cat"], effect: ["reveals"], reads: ["/p/b.env"] }, "credentials/read"],
    ["remote-code", {}, { program: ["sh"], effect: ["remote-code"], hosts: ["h.example"] }, "remote-code/pipe"],
    [
      "remote-code",
      { hosts: ["h.example"] },
      { program: ["sh"], effect: ["remote-code"], hosts: ["h.example"] },
      undefined,
    ],
    ["remote-code", { hosts: ["h.example"] }, { program: ["sh"], effect: ["remote-code"] }, "remote-code/unknown-host"],
    [
      "outside-deletion",
      {},
      { program: ["rm"], effect: ["fs-delete"], writes: ["/srv/a"] },
      "outside-deletion/outside",
    ],
    ["outside-deletion", {}, { program: ["rm"], effect: ["fs-delete"], writes: ["/p/a"] }, undefined],
    [
      "outside-deletion",
      { also_inside: ["/srv/*"] },
      { program: ["rm"], effect: ["fs-delete"], writes: ["/srv/a"] },
      undefined,
    ],
    ["guards-stay", { also: ["/p/x"] }, { program: ["rm"], writes: ["/p/x"] }, "guards-stay/files"],
    ["production", {}, { program: ["kubectl"], effect: ["kubernetes"], target: ["prod-eu"] }, "production/change"],
    ["production", {}, { program: ["kubectl"], effect: ["kubernetes"], target: ["product"] }, undefined],
    [
      "production",
      { names: "^live$" },
      { program: ["kubectl"], effect: ["kubernetes"], target: ["live"] },
      "production/change",
    ],
  ];
  test.each(cases)("%s with %j at %j: %p", async (name, parameters, short, hit) => {
    const more = Object.keys(parameters).length > 0 ? { with: parameters } : {};
    const { hits } = await judge([include(name, more)], event([short]));
    expect(hits.map((one) => one.name)).toEqual(hit === undefined ? [] : [hit]);
  });
});
