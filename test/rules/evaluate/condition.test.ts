import { describe, expect, test } from "bun:test";
import type { CallFacts, EventFacts } from "../../../src/facts/facts.ts";
import { compileCondition, truthOfTree } from "../../../src/rules/evaluate/condition.ts";
import { TRUTH_NAMES } from "../../../src/rules/evaluate/truth.ts";
import { NO } from "../../../src/rules/rule.ts";
import { call, event, HOLE, placedRules, type ShortStep, step, TESTS } from "../../helpers/rule-facts.ts";

/** The truth of a condition at a step, for a rule that denies or allows. */
function truth(when: unknown, short: ShortStep | undefined, verdict = "deny", facts?: Partial<CallFacts>): string {
  const [rule] = placedRules([{ [verdict]: "x", when }]);
  if (!rule?.when) throw new Error("no condition");
  const tree = compileCondition(rule.when, { restricting: verdict !== "allow", sets: rule.sets });
  const made = event(call(short ? [short] : [], facts));
  return TRUTH_NAMES[truthOfTree(tree, { facts: made, step: short && step(short), tests: TESTS, dirty: NO })];
}

// One step at which four conditions have the four values.
const AT: ShortStep = { program: ["make"], flags: ["-t", "?-p"], opaque: true };
const OF = { T: { flags: "-t" }, P: { flags: "-p" }, O: { effect: "sends" }, F: { flags: "-n" } };
const NAMES = { T: "certain", P: "possible", O: "opaque", F: "no" };
type Letter = keyof typeof OF;

describe("the tables", () => {
  test.each([
    ["T", "T P O F"],
    ["P", "P P O F"],
    ["O", "O O O F"],
    ["F", "F F F F"],
  ])("all: %s with T, P, O, F", (first, row) => {
    const got = (["T", "P", "O", "F"] as const).map((second) => truth({ all: [OF[first as Letter], OF[second]] }, AT));
    expect(got).toEqual(row.split(" ").map((letter) => NAMES[letter as Letter]));
  });

  test.each([
    ["T", "T T T T"],
    ["P", "T P P P"],
    ["O", "T P O O"],
    ["F", "T P O F"],
  ])("any: %s with T, P, O, F", (first, row) => {
    const got = (["T", "P", "O", "F"] as const).map((second) => truth({ any: [OF[first as Letter], OF[second]] }, AT));
    expect(got).toEqual(row.split(" ").map((letter) => NAMES[letter as Letter]));
  });

  test.each([
    ["T", "F"],
    ["P", "P"],
    ["O", "O"],
    ["F", "T"],
  ])("not: %s is %s", (of, expected) => {
    expect(truth({ not: OF[of as Letter] }, AT)).toBe(NAMES[expected as Letter]);
    expect(truth({ not: { not: OF[of as Letter] } }, AT)).toBe(NAMES[of as Letter]);
  });

  test("not of all and of any goes down to the tests", () => {
    expect(truth({ not: { all: [OF.T, OF.F] } }, AT)).toBe("certain");
    expect(truth({ not: { any: [OF.T, OF.F] } }, AT)).toBe("no");
    expect(truth({ not: { any: [OF.P, OF.F] } }, AT)).toBe("possible");
    expect(truth({ not: { flags: "-n", effect: "sends" } }, AT)).toBe("certain");
  });
});

describe("one value", () => {
  const GIT: ShortStep = { program: ["git"], verb: ["push"] };
  const COMPOSE: ShortStep = { program: ["docker"], verb: ["compose down"] };
  test.each<[unknown, ShortStep, string]>([
    [{ program: "git" }, GIT, "certain"],
    [{ program: "GIT" }, GIT, "certain"],
    [{ program: "g*" }, GIT, "certain"],
    [{ program: "gi" }, GIT, "no"],
    [{ program: ["npm", "git"] }, GIT, "certain"],
    [{ program: { not_in: ["npm"] } }, GIT, "certain"],
    [{ program: { not_in: ["git"] } }, GIT, "no"],
    [{ program: { not_in: ["npm"] } }, {}, "no"],
    [{ program: { only: ["git"] } }, GIT, "certain"],
    [{ program: { only: ["git"] } }, {}, "certain"],
    [{ program: { matches: "^g" } }, GIT, "certain"],
    [{ program: { matches: "^i" } }, GIT, "no"],
    [{ program: true }, GIT, "certain"],
    [{ program: false }, GIT, "no"],
    [{ program: false }, {}, "certain"],
    [{ program: "rm" }, { program: [`?${HOLE}`] }, "possible"],
    [{ program: "rm" }, { program: [`?git-${HOLE}`] }, "no"],
    [{ not: { program: "rm" } }, { program: [`?${HOLE}`] }, "possible"],
    [{ program: "rm" }, { program: ["?rm", "?ls"] }, "possible"],
    [{ program: ["rm", "ls"] }, { program: ["?rm", "?ls"] }, "certain"],
    [{ program: "cp" }, { program: ["?rm", "?ls"] }, "no"],
    [{ program: { only: ["rm"] } }, { program: ["?rm", "?ls"] }, "possible"],
    [{ verb: "push" }, GIT, "certain"],
    [{ verb: "PUSH" }, GIT, "no"],
    [{ verb: "compose" }, COMPOSE, "certain"],
    [{ verb: "compose down" }, COMPOSE, "certain"],
    [{ verb: "compose d*" }, COMPOSE, "certain"],
    [{ verb: "compose up" }, COMPOSE, "no"],
    [{ verb: "down" }, COMPOSE, "no"],
    [{ verb: "compose down now" }, COMPOSE, "no"],
    [{ verb: "compose down" }, { verb: [`?compose ${HOLE}`] }, "possible"],
    [{ verb: "push" }, { verb: [`?${HOLE}`] }, "possible"],
    [{ verb: false }, { verb: [`?${HOLE}`] }, "possible"],
    [{ verb: "push" }, { verb: ["?push", "?pull"] }, "possible"],
    [{ verb: true }, { verb: ["?push", "?pull"] }, "possible"],
    [{ verb: true }, GIT, "certain"],
    [{ verb: true }, { verb: ["push", "?pull"] }, "certain"],
    [{ verb: true }, {}, "no"],
    [{ verb: { only: ["push"] } }, { verb: [`?${HOLE}`] }, "possible"],
    [{ verb: { only: ["push"] } }, { verb: ["?push"] }, "certain"],
    [{ verb: { only: ["push"] } }, { verb: ["?pull"] }, "possible"],
    [{ verb: { only: ["push"] } }, { program: ["make"], opaque: true }, "certain"],
    [{ program: true }, { program: ["?rm", "?ls"] }, "certain"],
    [{ program: true }, { program: [`?${HOLE}`] }, "possible"],
    [{ program: { only: ["rm"] } }, { program: ["cp"] }, "no"],
    [{ program: { matches: "^g" } }, {}, "no"],
    [{ program: { matches: "^g", only: ["git"] } }, {}, "no"],
    [{ args: "a" }, { args: ["a b"] }, "no"],
    [{ args: { matches: "^x$" } }, { args: [`?${HOLE}`] }, "possible"],
    [{ hosts: "a.example" }, { hosts: [HOLE] }, "opaque"],
    [{ command: "git push" }, GIT, "certain"],
    [{ command: "git pull" }, GIT, "no"],
    [{ paths: "project" }, { reads: ["/p/a"] }, "certain"],
    [{ sends: "a.example" }, { sends: ["a.example"] }, "certain"],
    [{ sends: "a.example" }, { hosts: ["a.example"] }, "no"],
    [{ opaque: true }, { opaque: true }, "certain"],
    [{ opaque: false }, { opaque: true }, "no"],
    [{ opaque: false }, {}, "certain"],
    [{ tool: "shell" }, {}, "certain"],
    [{ tool: "bash" }, {}, "certain"],
    [{ tool: { not_in: ["Bash"] } }, {}, "no"],
    [{ tool: { not_in: ["Read"] } }, {}, "certain"],
    [{ not: { tool: "shell" } }, {}, "no"],
    [{ tool: { only: ["bash"] } }, {}, "certain"],
    [{ tool: { matches: "^Ba" } }, {}, "certain"],
    [{ tool: { matches: "^Re" } }, {}, "no"],
    [{ tool: { only: ["Read"] } }, {}, "no"],
    [{ tool: ["Read", "Bash"] }, {}, "certain"],
    [{ tool: "Read" }, {}, "no"],
    [{ tool: true }, {}, "certain"],
    [{ tool: false }, {}, "no"],
    [{ safety: "unknown" }, {}, "certain"],
    [{ safety: ["safe", "destructive"] }, {}, "no"],
    [{ class: ["network", "runs-commands"] }, {}, "certain"],
    [{ server: "github" }, {}, "no"],
    [{ server: { only: ["github"] } }, {}, "certain"],
    [{ depth: { less_than: 1 } }, {}, "certain"],
    [{ depth: 0 }, {}, "certain"],
    [{ depth: { more_than: 0 } }, {}, "no"],
    [{ depth: { less_than: 0 } }, {}, "no"],
    [{ depth: [1, 0] }, {}, "certain"],
    [{ depth: 1 }, {}, "no"],
    [{ depth: true }, {}, "certain"],
    [{ depth: false }, {}, "no"],
    [{ depth: { not_in: [0, 1] } }, {}, "no"],
    [{ depth: { not_in: [1] } }, {}, "certain"],
    [{ depth: { only: [0] } }, {}, "certain"],
    [{ depth: { only: [1] } }, {}, "no"],
    [{ cost: { only: [5] } }, {}, "certain"],
    [{ cost: { only: [5], not_in: [4] } }, {}, "no"],
    [{ cost: { only: [5], more_than: 1 } }, {}, "no"],
    [{ cost: { only: [5], less_than: 9 } }, {}, "no"],
    [{ cost: 5 }, {}, "no"],
    [{ cost: true }, {}, "no"],
    [{ cost: { more_than: 5 } }, {}, "no"],
    [{ cost: { less_than: 5 } }, {}, "no"],
    [{ cost: false }, {}, "certain"],
    [{ branch: "dev" }, {}, "certain"],
    [{ branch: false }, {}, "no"],
    [{ time: "mon 11:00-13:00" }, {}, "certain"],
    [{ time: "TZ=UTC tue" }, {}, "no"],
    [{ time: ["TZ=UTC tue", "TZ=UTC mon"] }, {}, "certain"],
    [{ time: { not_in: ["TZ=UTC mon"] } }, {}, "no"],
    [{ time: { not_in: ["TZ=UTC tue"] } }, {}, "certain"],
    [{ time: { only: ["TZ=UTC mon"] } }, {}, "certain"],
    [{ time: { only: ["TZ=UTC tue"] } }, {}, "no"],
  ])("%j at %j: %s", (when, short, expected) => {
    expect(truth(when, short)).toBe(expected);
  });
});

describe("marks", () => {
  test.each<[unknown, string[], string]>([
    [{ flags: "-f" }, ["-f", "-v"], "certain"],
    [{ flags: "-f" }, ["-v"], "no"],
    [{ flags: "-f" }, ["-v", "..."], "possible"],
    [{ flags: { not_in: ["-f"] } }, ["-f"], "no"],
    [{ flags: { not_in: ["-f"] } }, ["-f", "-v"], "certain"],
    [{ flags: { not_in: ["-f"] } }, [], "no"],
    [{ flags: { only: ["-f", "-v"] } }, ["-f", "-v"], "certain"],
    [{ flags: { only: ["-f"] } }, ["-f", "-v"], "no"],
    [{ flags: { only: ["-f"] } }, [], "certain"],
    [{ flags: { only: ["-f"] } }, ["..."], "possible"],
    [{ flags: true }, [], "no"],
    [{ flags: true }, ["..."], "possible"],
    [{ flags: false }, [], "certain"],
    [{ flags: false }, ["?-f"], "possible"],
    [{ flags: { matches: "^-[fv]$", not_in: ["-f"] } }, ["-f"], "no"],
    [{ flags: { matches: "^-[fv]$", not_in: ["-f"] } }, ["-f", "--x"], "no"],
    [{ flags: { matches: "^-[fv]$", not_in: ["-f"] } }, ["-v"], "certain"],
    [{ not: { flags: "-f" } }, ["-v"], "certain"],
    [{ not: { flags: "-f" } }, ["-f", "-v"], "no"],
    [{ not: { flags: "-f" } }, ["..."], "possible"],
  ])("%j with %j: %s, whatever the verdict", (when, flags, expected) => {
    expect(truth(when, { flags })).toBe(expected);
    expect(truth(when, { flags }, "allow")).toBe(expected);
  });

  test("a flag has the names that its program gives it", () => {
    expect(truth({ flags: "-f" }, { program: ["git"], flags: ["--force"] })).toBe("certain");
    expect(truth({ flags: "-f" }, { program: ["npm"], flags: ["--force"] })).toBe("no");
  });
});

describe("things", () => {
  const IN = "/p/a";
  const OUT = "/srv/b";
  const UNKNOWN = HOLE;
  test.each<[unknown, string[], string, string]>([
    // condition, paths written, for deny, for allow
    [{ writes: "project" }, [IN], "certain", "certain"],
    [{ writes: "project" }, [IN, OUT], "certain", "no"],
    [{ writes: "project" }, [], "no", "no"],
    [{ writes: "project" }, [UNKNOWN], "opaque", "opaque"],
    [{ writes: "outside" }, [UNKNOWN], "possible", "possible"],
    [{ writes: "project" }, [`?${IN}`], "possible", "possible"],
    [{ writes: { not_in: ["project"] } }, [IN], "no", "no"],
    [{ writes: { not_in: ["project"] } }, [IN, OUT], "certain", "no"],
    [{ writes: { not_in: ["project"] } }, [OUT], "certain", "certain"],
    [{ writes: { not_in: ["project"] } }, [UNKNOWN], "possible", "possible"],
    [{ writes: { not_in: ["project"] } }, [], "no", "no"],
    [{ writes: { only: ["project"] } }, [IN], "certain", "certain"],
    [{ writes: { only: ["project"] } }, [IN, OUT], "no", "no"],
    [{ writes: { only: ["project"] } }, [], "certain", "certain"],
    [{ writes: { only: ["project"] } }, [UNKNOWN], "possible", "possible"],
    [{ writes: { only: ["project"] } }, [IN, `?${OUT}`], "possible", "possible"],
    [{ writes: { only: ["project"] } }, [`?${IN}`], "certain", "certain"],
    [{ writes: { matches: "^/srv" } }, [IN, OUT], "certain", "no"],
    [{ writes: { matches: "^/srv" } }, [UNKNOWN], "opaque", "opaque"],
    [{ writes: true }, [IN], "certain", "certain"],
    [{ writes: true }, [], "no", "no"],
    [{ writes: false }, [], "certain", "certain"],
    [{ writes: false }, [`?${IN}`], "possible", "possible"],
    [{ not: { writes: "project" } }, [IN], "no", "no"],
    [{ not: { writes: "project" } }, [IN, OUT], "certain", "no"],
    [{ not: { writes: "project" } }, [OUT], "certain", "certain"],
    [{ not: { writes: "project" } }, [], "certain", "certain"],
    [{ not: { writes: "project" } }, [UNKNOWN], "possible", "possible"],
    [{ not: { writes: "project" } }, [`?${OUT}`], "possible", "certain"],
    [{ not: { writes: { only: ["project"] } } }, [IN], "no", "no"],
    [{ not: { writes: { only: ["project"] } } }, [IN, OUT], "certain", "certain"],
    [{ not: { writes: { only: ["project"] } } }, [], "no", "no"],
    [{ writes: { only: ["project"], not_in: ["*/x"] } }, ["/p/x"], "no", "no"],
    [{ writes: { only: ["project"], not_in: ["*/x"] } }, ["/p/x", IN], "certain", "no"],
  ])("%j with %j: %s for deny, %s for allow", (when, writes, deny, allow) => {
    expect([truth(when, { writes }), truth(when, { writes }, "allow")]).toEqual([deny, allow]);
  });

  test.each<[unknown, string, string]>([
    [{ writes: "project" }, "certain", "no"],
    [{ writes: { not_in: ["project"] } }, "certain", "no"],
    [{ not: { writes: "project" } }, "certain", "no"],
    [{ writes: { only: ["project"] } }, "certain", "no"],
    [{ writes: { matches: "^/srv" } }, "certain", "no"],
    [{ writes: { matches: "^/p/" } }, "certain", "no"],
    [{ not: { writes: { matches: "^/srv" } } }, "certain", "no"],
  ])("%j with a link out of the project: either spelling restricts, both allow", (when, deny, allow) => {
    const writes = ["/p/link -> /srv/x"];
    expect([truth(when, { writes }), truth(when, { writes }, "allow")]).toEqual([deny, allow]);
  });

  test("an open list may hold any value", () => {
    expect(truth({ effect: "git-history" }, { effect: ["sends", "..."] })).toBe("possible");
    expect(truth({ effect: "sends" }, { effect: ["sends", "..."] })).toBe("certain");
    expect(truth({ effect: "sends" }, { effect: ["sends", "..."] }, "allow")).toBe("possible");
    expect(truth({ not: { effect: "sends" } }, { effect: ["..."] }, "allow")).toBe("possible");
    expect(truth({ effect: "sends" }, { effect: ["..."] }, "allow")).toBe("possible");
  });

  test("variables without harm need no name in an allow", () => {
    const harmless = { env: ["CI", "V"], assigns: ["V"] };
    expect(truth({ env: "V" }, harmless, "allow")).toBe("certain");
    expect(truth({ env: "V" }, { env: ["PATH", "V"], assigns: ["PATH", "V"] }, "allow")).toBe("no");
    expect(truth({ env: "V" }, { env: ["CI"], assigns: [] }, "allow")).toBe("no");
    expect(truth({ env: "CI" }, { env: ["CI"], assigns: [] }, "allow")).toBe("certain");
    expect(truth({ env: "PATH" }, { env: ["PATH", "V"], assigns: ["PATH", "V"] })).toBe("certain");
  });
});

describe("an opaque step", () => {
  test.each<[unknown, ShortStep, string, string]>([
    [{ effect: "sends" }, {}, "opaque", "opaque"],
    [{ effect: "sends" }, { effect: ["sends"] }, "certain", "opaque"],
    [{ effect: "sends" }, { effect: ["?sends"] }, "possible", "opaque"],
    [{ effect: false }, {}, "opaque", "opaque"],
    [{ hosts: { only: ["a.example"] } }, {}, "opaque", "opaque"],
    [{ hosts: { only: ["a.example"] } }, { hosts: ["b.example"] }, "no", "no"],
    [{ hosts: { not_in: ["a.example"] } }, {}, "opaque", "opaque"],
    [{ not: { effect: "sends" } }, {}, "opaque", "opaque"],
    [{ not: { effect: "sends" } }, { effect: ["sends"] }, "opaque", "no"],
    [{ writes: "project" }, { writes: ["/p/a"] }, "certain", "opaque"],
    [{ ref: "main" }, {}, "opaque", "opaque"],
    [{ target: "prod" }, {}, "opaque", "opaque"],
    [{ flags: "-f" }, {}, "no", "no"],
    [{ program: "rm" }, { program: ["make"] }, "no", "no"],
    [{ not: { program: "git" } }, { program: ["make"] }, "certain", "certain"],
    [{ env: "X" }, {}, "no", "no"],
    [{ secrets: true }, {}, "no", "no"],
  ])("%j at %j: %s for deny, %s for allow", (when, short, deny, allow) => {
    const opaque = { ...short, opaque: true };
    expect([truth(when, opaque), truth(when, opaque, "allow")]).toEqual([deny, allow]);
  });
});

describe("a call that cannot be read", () => {
  test.each<[unknown, string]>([
    [{ program: "rm" }, "possible"],
    [{ not: { program: "rm" } }, "possible"],
    [{ effect: "sends" }, "possible"],
    [{ safety: "safe" }, "possible"],
    [{ tool: "shell" }, "certain"],
    [{ class: "network" }, "no"],
    [{ branch: "dev" }, "certain"],
  ])("%j: %s", (when, expected) => {
    expect(truth(when, undefined, "deny", { readable: false })).toBe(expected);
  });
});

describe("arguments of the tool", () => {
  const input = {
    issue: { labels: ["bug", "production"], title: "x" },
    count: 3,
    draft: false,
    none: null,
    blank: " ",
    "a.b": "y",
    list: [{ k: 1 }],
  };
  test.each<[unknown, string]>([
    [{ "issue.labels": "prod*" }, "certain"],
    [{ "issue.labels": "prod" }, "no"],
    [{ "issue.labels.1": "production" }, "certain"],
    [{ "issue.labels.2": "*" }, "no"],
    [{ "issue.labels.length": "*" }, "no"],
    [{ "issue.labels": { only: ["bug", "production"] } }, "certain"],
    [{ "issue.labels": { only: ["bug"] } }, "no"],
    [{ "issue.labels": { not_in: ["bug"] } }, "certain"],
    [{ issue: '{"labels":*' }, "certain"],
    [{ list: '{"k":1}' }, "certain"],
    [{ count: 3 }, "certain"],
    [{ count: "3" }, "certain"],
    [{ count: { more_than: 2, less_than: 4 } }, "certain"],
    [{ count: { more_than: 3 } }, "no"],
    [{ count: { less_than: 4 } }, "certain"],
    [{ count: { less_than: 3 } }, "no"],
    [{ missing: { more_than: 1 } }, "no"],
    [{ missing: { less_than: 1 } }, "no"],
    [{ blank: { less_than: 1 } }, "no"],
    [{ "issue.title": { less_than: 1 } }, "no"],
    [{ "list.1e0": "*" }, "no"],
    [{ "list.0.k": 1 }, "certain"],
    [{ "list.0.k.0": "*" }, "no"],
    [{ draft: "false" }, "certain"],
    [{ draft: true }, "certain"],
    [{ none: true }, "no"],
    [{ none: false }, "certain"],
    [{ "a.b": "y" }, "no"],
    [{ toString: true }, "no"],
    [{ count: 3, "issue.title": "y" }, "no"],
  ])("%j: %s", (conditions, expected) => {
    expect(truth({ input: conditions }, {}, "deny", { input })).toBe(expected);
  });

  test("under not no member fits", () => {
    expect(truth({ not: { input: { "issue.labels": "bug" } } }, {}, "deny", { input })).toBe("no");
    expect(truth({ not: { input: { "issue.labels": "x" } } }, {}, "deny", { input })).toBe("certain");
  });
});

test("facts of the call", () => {
  const facts = { server: "github", secrets: () => ["private-key"] };
  for (const [when, expected] of [
    [{ server: "git*" }, "certain"],
    [{ server: true }, "certain"],
    [{ server: { only: ["x"] } }, "no"],
    [{ secrets: true }, "certain"],
    [{ secrets: "private-key" }, "certain"],
    [{ secrets: "aws-access-key" }, "no"],
  ] as const)
    expect([when, truth(when, {}, "deny", facts)]).toEqual([when, expected]);
});

test("facts of the event", () => {
  const check = (when: unknown, facts: Partial<EventFacts>, on: string) => {
    const [rule] = placedRules([{ warn: "x", on, when }]);
    if (!rule?.when) throw new Error("no condition");
    const tree = compileCondition(rule.when, { restricting: true, sets: rule.sets });
    return TRUTH_NAMES[truthOfTree(tree, { facts: event(undefined, facts), step: undefined, tests: TESTS, dirty: NO })];
  };
  expect(check({ text: { matches: "(?i)deploy" } }, { text: "Deploy it" }, "user_prompt_submit")).toBe("certain");
  expect(check({ ok: false }, { ok: false }, "post_tool_use")).toBe("certain");
  expect(check({ ok: true }, { ok: true }, "post_tool_use")).toBe("certain");
  expect(check({ ok: true }, {}, "post_tool_use")).toBe("no");
  expect(check({ cost: { more_than: 5 } }, { cost: 9 }, "stop")).toBe("certain");
  expect(check({ calls: { less_than: 5 } }, { calls: 4, cost: 9 }, "stop")).toBe("certain");
  expect(check({ agent: "review*" }, { agent: "reviewer" }, "stop")).toBe("certain");
  expect(check({ agent: "*" }, {}, "stop")).toBe("no");
  expect(check({ source: "user" }, { source: "user" }, "stop")).toBe("certain");
});
