import { describe, expect, test } from "bun:test";
import type { CallFacts, EventFacts } from "../../src/facts/facts.ts";
import type { HistoryAnswer, HistoryView } from "../../src/rules/history-view.ts";
import { call, event, HOLE, judge, type ShortStep } from "../helpers/rule-facts.ts";

const GIT: ShortStep = { program: ["git"], verb: ["push"] };
const git = () => event([GIT]);

describe("the verdict", () => {
  test.each<[string[], string | undefined, number]>([
    [[], undefined, 0],
    [["allow"], "allow", 1],
    [["allow", "ask"], "ask", 1],
    [["ask", "deny", "allow"], "deny", 1],
    [["deny", "deny"], "deny", 2],
    [["deny", "stop"], "stop", 1],
    [["warn"], undefined, 0],
  ])("%j gives %p with %d messages", async (verdicts, decision, messages) => {
    const rules = verdicts.map((verdict) => ({ [verdict]: verdict, when: { program: "git" } }));
    const got = await judge(rules, git());
    expect(got.decision).toBe(decision as typeof got.decision);
    expect(got.messages).toHaveLength(messages);
    expect(got.hits.map(({ verdict }) => verdict)).toEqual(verdicts as (typeof got.hits)[number]["verdict"][]);
  });

  test("warnings stay beside a denial, context is the bare text", async () => {
    const denied = await judge(
      [
        { warn: "careful", when: { program: "git" } },
        { deny: "never", when: { verb: "push" } },
      ],
      git(),
    );
    expect(denied.warnings).toEqual(['careful [rules[0] at hooks.yaml:1: program git in "git push"]']);
    const told = await judge([{ on: "turn_start", context: "Be brief" }], event(undefined, { event: "turn_start" }));
    expect(told.contexts).toEqual(["Be brief"]);
  });

  test("a rule holds on its events alone", async () => {
    const rules = [{ deny: "no", when: { program: "git" } }];
    expect((await judge(rules, event([GIT], { event: "post_tool_use" }))).hits).toEqual([]);
  });

  test("a rule for some agents", async () => {
    const rules = [{ deny: "no", agents: ["writer", "review-*"], when: { program: "git" } }];
    for (const [agent, decision] of [
      ["writer", "deny"],
      ["review-2", "deny"],
      ["root", undefined],
      [undefined, undefined],
    ] as const) {
      expect((await judge(rules, event([GIT], { agent }))).decision).toBe(decision as "deny" | undefined);
    }
  });

  test("the step at which a rule is most certain counts", async () => {
    const steps = [
      { program: ["npm"], flags: ["..."], unquoted: ["$X"] },
      { program: ["git"], flags: ["--force"] },
    ];
    const got = await judge([{ deny: "no", when: { flags: "--force" } }], event(steps));
    expect(got.hits).toMatchObject([{ sure: "certain" }]);
    expect(got.messages).toEqual(['no [rules[0] at hooks.yaml:1: flags --force in "git"]']);
  });

  test("conditions must hold at the same step", async () => {
    const steps = [{ program: ["git"] }, { program: ["rm"], flags: ["--force"] }];
    expect((await judge([{ deny: "no", when: { program: "git", flags: "--force" } }], event(steps))).hits).toEqual([]);
  });

  test("a call without steps has what belongs to the call", async () => {
    const rules = [
      { deny: "no shell", when: { class: "runs-commands" } },
      { deny: "no", when: { program: "rm" } },
    ];
    expect((await judge(rules, event([]))).messages).toEqual([
      "no shell [rules[0] at hooks.yaml:1: class runs-commands]",
    ]);
  });

  test("a step for allow alone is none for the others", async () => {
    const steps: ShortStep[] = [
      { ...GIT, writes: ["/srv/log"] },
      { command: "", writes: ["/srv/log"], allowOnly: true },
    ];
    expect((await judge([{ deny: "no", when: { not: { program: "git" } } }], event(steps))).hits).toEqual([]);
    const alone = event([{ command: "X=1", assigns: ["X"], env: ["X"], allowOnly: true }]);
    expect((await judge([{ deny: "no", when: { env: "X" } }], alone)).hits).toEqual([]);
    const asks = [{ deny: "no", when: { dirty: true, writes: { not_in: ["project"] } } }];
    const [, redirection = {}] = steps;
    const changed = event([GIT, redirection], { dirty: async () => true });
    expect((await judge(asks, changed)).hits).toEqual([]);
  });

  test("a call that cannot be read is possible in everything, and allowed by nothing", async () => {
    const facts = event(call([], { readable: false }));
    const got = await judge(
      [
        { deny: "no", when: { program: "rm" } },
        { allow: "fine", when: { tool: "shell" } },
      ],
      facts,
    );
    expect(got.messages).toEqual(["no [rules[0] at hooks.yaml:1: program possibly rm]"]);
    expect(got.hits).toHaveLength(1);
  });
});

describe("allow", () => {
  const rules = [
    { allow: "a", when: { program: "git", verb: ["status", "log"] } },
    { allow: "b", when: { program: ["head", "grep"] } },
    { allow: "c", when: { writes: { only: ["*.log"] }, program: false } },
    { allow: "d", when: { program: "make", env: "V" } },
    { allow: "e", when: { any: [{ env: "W" }, { program: "make" }] } },
  ];
  const log: ShortStep = { program: ["git"], verb: ["log"] };
  const redirect = (path: string): ShortStep => ({ command: "", writes: [path], allowOnly: true });
  test.each<[string, ShortStep[], Partial<CallFacts>, number[]]>([
    ["one step", [log], {}, [0]],
    ["several rules together", [log, { program: ["head"] }], {}, [0, 1]],
    ["a step that no rule covers", [log, { program: ["sh"] }], {}, []],
    ["a step that is only possible", [{ program: ["git"], verb: [`?${HOLE}`] }], {}, []],
    ["a free step needs no rule", [{ program: ["cd"], cover: "free" }, log], {}, [0]],
    ["free steps alone are allowed by no rule", [{ program: ["cd"], cover: "free" }], {}, []],
    ["nested code is covered by none", [{ ...log, cover: "never" }], {}, []],
    ["a redirection that is covered", [log, redirect("/p/a.log")], {}, [0, 2]],
    ["a redirection that is not", [log, redirect("/p/a.txt")], {}, []],
    ["a variable that a rule names", [{ program: ["make"], env: ["V"], assigns: ["V"] }], {}, [3, 4]],
    ["variables of which one has no name", [{ program: ["make"], env: ["V", "PATH"], assigns: ["V", "PATH"] }], {}, []],
    ["a variable that no rule names", [{ ...log, env: ["X"], assigns: ["X"] }], {}, []],
    ["a line that cannot be split", [log], { exact: false }, []],
    ["a call that cannot be read", [log], { readable: false }, []],
    ["the later rule first", [{ program: ["head"] }, log], {}, [0, 1]],
    ["no step", [], {}, []],
  ])("%s", async (_name, steps, facts, hits) => {
    const got = await judge(rules, event(call(steps, facts)));
    expect(got.hits.map(({ name }) => name)).toEqual(hits.filter((hit) => hit !== 4).map((hit) => `rules[${hit}]`));
    expect(got.decision).toBe(hits.length > 0 ? "allow" : undefined);
  });

  const alone: ShortStep = { command: "X=1", env: ["X"], assigns: ["X"], allowOnly: true };
  const make = (...env: string[]): ShortStep => ({ program: ["make"], env, assigns: env });
  const file: ShortStep = { command: undefined, writes: ["/p/a"] };
  test.each<[unknown, ShortStep, boolean]>([
    [{ paths: "/p/*" }, redirect("/p/a"), true],
    [{ paths: "/p/*" }, redirect("/srv/a"), false],
    [{ not: { writes: "project" } }, redirect("/srv/a"), false],
    [{ program: "cp" }, { program: ["cp"], writes: ["/p/a"] }, true],
    [{ class: "runs-commands" }, file, true],
    [{ env: "X" }, alone, true],
    [{ class: "runs-commands" }, alone, false],
    [{ env: { only: ["V"] } }, make("V"), true],
    [{ env: { only: ["V", "W"] } }, make("V", "W"), true],
    [{ program: "make", env: { matches: "^V" } }, make("V"), true],
    [{ env: { matches: "^V" } }, make("V", "W"), false],
    [{ env: { not_in: ["X"] } }, make("V"), false],
    [{ env: true }, make("V"), false],
    [{ not: { env: "V" } }, make("W"), false],
  ])("%j at %j: %p", async (when, step, allowed) => {
    const { decision } = await judge([{ allow: "a", when }], event([step]));
    expect(decision).toBe(allowed ? "allow" : undefined);
  });

  test("a rule without conditions on the call covers every step", async () => {
    const got = await judge([{ allow: "a", if: "true" }], event([log]));
    expect(got.decision).toBe("allow");
  });

  test("needs a call that can be read, whatever the rule asks", async () => {
    const got = await judge([{ allow: "a", when: { tool: "shell" } }], event(call([log], { readable: false })));
    expect(got.decision).toBeUndefined();
  });

  test("counts for the agents that it names", async () => {
    const named = [{ allow: "a", when: { program: "git" }, agents: ["root", "re*"] }];
    for (const [agent, decision] of [
      ["reviewer", "allow"],
      ["other", undefined],
      [undefined, undefined],
    ] as const)
      expect((await judge(named, event([log], { agent }))).decision).toBe(decision);
  });

  test("asks about the work tree", async () => {
    const clean = [{ allow: "a", when: { program: "git", dirty: false } }];
    for (const [dirty, decision] of [
      [false, "allow"],
      [true, undefined],
      ["possible", undefined],
    ] as const)
      expect((await judge(clean, event([log], { dirty: async () => dirty }))).decision).toBe(decision);
  });

  test("a rule about anything else was not meant for a redirection", async () => {
    const got = await judge([{ allow: "a", when: { class: "runs-commands" } }], event([log, redirect("/p/a.log")]));
    expect(got.decision).toBeUndefined();
    expect((await judge([{ allow: "a", when: { class: "runs-commands" } }], event([log]))).decision).toBe("allow");
  });
});

describe("the work tree", () => {
  const rules = [{ deny: "commit first", when: { effect: "git-discard", dirty: true } }];
  const asked = (dirty: boolean | "possible") => {
    let count = 0;
    const facts = (steps: ShortStep[]): EventFacts =>
      event(steps, {
        dirty: async () => {
          count++;
          return dirty;
        },
      });
    return { facts, count: () => count };
  };

  test.each([
    [true, "certain"],
    ["possible", "possible"],
    [false, undefined],
  ] as const)("dirty %p: %p", async (dirty, sure) => {
    const got = await judge(rules, asked(dirty).facts([{ program: ["git"], effect: ["git-discard"] }]));
    expect(got.hits[0]?.sure).toBe(sure as "certain" | undefined);
  });

  test("is looked at only if a rule is still open", async () => {
    const { facts, count } = asked(true);
    await judge(rules, facts([{ program: ["git"] }]));
    expect(count()).toBe(0);
    await judge([...rules, ...rules], facts([{ program: ["git"], effect: ["git-discard"] }]));
    expect(count()).toBe(1);
  });

  test("a rule may ask for a clean one", async () => {
    const clean = [{ deny: "no", when: { program: "git", dirty: false } }];
    expect((await judge(clean, asked(false).facts([GIT]))).messages).toEqual([
      'no [rules[0] at hooks.yaml:1: program git, no dirty in "git push"]',
    ]);
    expect((await judge(clean, asked(true).facts([GIT]))).hits).toEqual([]);
  });
});

describe("rules that only observe", () => {
  test.each([
    ["deny", "denied"],
    ["ask", "asked"],
    ["allow", "allowed"],
    ["stop", "stopped"],
    ["warn", "warned"],
  ])("%s", async (verdict, word) => {
    const expected = `rule a only observes: it would have ${word}: x [a at hooks.yaml:1: program git in "git push"]`;
    const rule = { name: "a", [verdict]: "x", when: { program: "git" } };
    for (const got of [
      await judge([{ ...rule, mode: "observe" }], git()),
      await judge([rule], git(), { observe: true }),
    ]) {
      expect(got).toMatchObject({
        decision: undefined,
        messages: [],
        warnings: [expected],
        hits: [{ mode: "observe" }],
      });
    }
  });

  test("one does not weaken another", async () => {
    const rules = [
      { mode: "observe", deny: "one", when: { program: "git" } },
      { deny: "two", when: { program: "git" } },
    ];
    expect((await judge(rules, git())).messages).toEqual(['two [rules[1] at hooks.yaml:2: program git in "git push"]']);
  });

  test("one does not cover a step for those that allow", async () => {
    const rules = [
      { mode: "observe", allow: "one", when: { program: "git" } },
      { allow: "two", when: { program: "head" } },
    ];
    const got = await judge(rules, event([GIT, { program: ["head"] }]));
    expect(got.decision).toBeUndefined();
    expect(got.warnings).toHaveLength(1);
  });
});

describe("if", () => {
  const judgeIf = (expression: string, verdict = "deny", facts = git()) =>
    judge([{ [verdict]: "no", if: expression }], facts);
  test.each([
    ["program == 'git'", true],
    ["program == 'npm'", false],
    ["verb.matches('^pu')", true],
    ["args.matches('x')", "error"],
    ["size(args) == 0 && tool == 'shell' && event == 'pre_tool_use'", true],
    ["steps.exists(s, s.program == 'git' && s.opaque == false)", true],
    ["tool_input.missing.x == 1", "error"],
    ["agent == null", true],
    ["calls == null || calls > 3", true],
    ["branch == 'dev' && dirty == false && depth == 0", true],
  ] as const)("%s: %p", async (expression, expected) => {
    const { decision, messages } = await judgeIf(expression);
    expect(decision).toBe(expected === false ? undefined : "deny");
    if (expected === "error") expect(messages[0]).toContain("if failed: ");
    if (expected === "error") expect((await judgeIf(expression)).hits[0]?.sure).toBe("possible");
    if (expected === "error") expect((await judgeIf(expression, "allow")).decision).toBeUndefined();
  });

  test("looks at the work tree only if it says so", async () => {
    const facts = event([GIT], { dirty: () => Promise.reject(new Error("asked")) });
    expect((await judgeIf("program == 'git'", "deny", facts)).messages[0]).not.toContain("asked");
    expect((await judgeIf("dirty", "deny", facts)).messages[0]).toContain("if failed: asked");
  });

  test("is bounded", async () => {
    const args = Array.from({ length: 60 }, (_, index) => `a${index}`);
    const facts = event([{ program: ["x"], args }]);
    const { messages } = await judgeIf("args.all(a, args.all(b, args.all(c, a != '')))", "deny", facts);
    expect(messages[0]).toContain("if failed: takes more than 10000 operations");
  });

  test("holds beside when", async () => {
    const rules = [{ deny: "no", when: { program: "git" }, if: "size(args) > 1" }];
    expect((await judge(rules, git())).decision).toBeUndefined();
    expect((await judge(rules, event([{ ...GIT, args: ["a", "b"] }]))).decision).toBe("deny");
  });
});

describe("the past", () => {
  const view = (answer: HistoryAnswer): HistoryView => ({ holds: () => answer });
  const rules = [{ deny: "no, {count}", when: { program: "git" }, more_than: { n: 2 } }];
  test("decides, and says what it knows", async () => {
    const history = view({ truth: true, says: ["3 calls in this session"], count: 3 });
    expect((await judge(rules, git(), { history })).messages).toEqual([
      'no, 3 [rules[0] at hooks.yaml:1: program git in "git push", 3 calls in this session]',
    ]);
    expect((await judge(rules, git(), { history: view({ truth: false, says: [] }) })).hits).toEqual([]);
  });

  test("is asked for each of its keys", async () => {
    for (const key of [{ after: { program: "npm" } }, { unless_after: { program: "npm" } }, { more_than: { n: 2 } }]) {
      const asked = [{ deny: "no", when: { program: "git" }, ...key }];
      expect((await judge(asked, git(), { history: view({ truth: false, says: [] }) })).hits).toEqual([]);
      expect((await judge(asked, git(), { history: view({ truth: true, says: [] }) })).hits).toHaveLength(1);
    }
  });

  test("what failed stands beside what it says", async () => {
    const both = [{ deny: "no", if: "args.x == 1", after: { program: "npm" } }];
    const history = view({ truth: true, says: ["after npm"], failed: "a line is damaged" });
    const [message] = (await judge(both, git(), { history })).messages;
    expect(message).toMatch(/, if failed: .*, after npm, a line is damaged\]$/);
    const [without] = (await judge(both, git())).messages;
    expect(without).toContain("there is no history of this session");
  });

  test("without one a denial holds, and nothing else", async () => {
    for (const [verdict, hits] of [
      ["deny", 1],
      ["ask", 1],
      ["stop", 1],
      ["warn", 0],
      ["allow", 0],
    ] as const) {
      const got = await judge([{ [verdict]: "x", when: { program: "git" }, unless_after: { program: "npm" } }], git());
      expect(got.hits).toHaveLength(hits);
    }
  });
});

describe("a rule that cannot be evaluated", () => {
  const broken = (): EventFacts =>
    event([GIT], {
      branch: () => {
        throw new Error("disk gone");
      },
    });
  test("denies and names itself", async () => {
    for (const verdict of ["deny", "ask", "warn"]) {
      const got = await judge([{ name: "b", [verdict]: "no", when: { branch: "x" } }], broken());
      expect(got).toMatchObject({
        decision: "deny",
        messages: ["rule b at hooks.yaml:1 could not be evaluated: disk gone"],
      });
    }
  });

  test("allows nothing", async () => {
    expect((await judge([{ allow: "x", when: { branch: "x" } }], broken())).decision).toBeUndefined();
  });

  test("also if the steps cannot be computed", async () => {
    const facts = call([]);
    Object.defineProperty(facts, "steps", {
      get: () => {
        throw new Error("too deep");
      },
    });
    const got = await judge(
      [
        { deny: "no", when: { program: "rm" } },
        { allow: "x", when: { program: "rm" } },
      ],
      event(facts),
    );
    expect(got.messages).toEqual(["rule rules[0] at hooks.yaml:1 could not be evaluated: too deep"]);
    expect(got.hits).toHaveLength(1);
  });
});

describe("the index finds every rule that can hold", () => {
  const conditions = [
    { program: "git" },
    { program: "g*" },
    { not: { program: "npm" } },
    { verb: ["push", "pull"] },
    { verb: "push" },
    { effect: "sends" },
    { tool: "bash" },
    { class: "runs-commands" },
    { any: [{ program: "git" }, { effect: "reveals" }] },
    { any: [{ program: "git" }, { not: { effect: "reveals" } }] },
    { all: [{ program: "git" }, { verb: "push" }] },
    { flags: "--x" },
    { flags: { matches: "x" } },
    { flags: { only: ["--x"] } },
    { writes: "project" },
    { hosts: true },
    { reads: false },
    { depth: 0 },
    { program: ["x*", "GIT"] },
    { program: ["x", "g*"] },
    { verb: "push origin" },
    { tool: ["Read", "Bash"] },
    { any: [{ program: "npm" }, { not: { effect: "reveals" } }] },
    { any: [{ program: "npm" }, { any: [{ effect: "reveals" }, { hosts: true }] }] },
    { all: [{ class: "runs-commands" }, { any: [{ verb: "pull" }, { flags: "--x" }] }] },
    { writes: { not_in: ["tmp"] } },
    { writes: { matches: "^/p" } },
  ];
  test.each(conditions.map((when) => [when]))("%j", async (when) => {
    const held: ShortStep = {
      program: ["git"],
      verb: ["push origin"],
      effect: ["sends"],
      flags: ["--x"],
      writes: ["/p/a"],
      hosts: ["h"],
    };
    expect((await judge([{ deny: "no", when }], event([held]))).decision).toBe("deny");
  });

  test("together with the others", async () => {
    const rules = conditions.map((when) => ({ deny: "no", when }));
    const step: ShortStep = {
      program: ["git"],
      verb: ["push origin"],
      effect: ["sends"],
      flags: ["--x"],
      writes: ["/p/a"],
    };
    const { hits } = await judge(rules, event([{ ...step, hosts: ["h"] }]));
    expect(hits.map(({ name }) => name)).toEqual(rules.map((_, index) => `rules[${index}]`));
    expect((await judge(rules, event([step], { event: "post_tool_use" }))).hits).toEqual([]);
  });

  test.each(conditions.filter((when) => "program" in when || "verb" in when || "effect" in when).map((when) => [when]))(
    "%j at a step that expands",
    async (when) => {
      const expands: ShortStep = { program: [`?${HOLE}`], verb: [`?${HOLE}`], effect: ["..."] };
      expect((await judge([{ deny: "no", when }], event([expands]))).decision).toBe("deny");
    },
  );
});
