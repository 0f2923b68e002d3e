import { describe, expect, test } from "bun:test";
import { checkExpressions } from "../../../src/rules/cel.ts";
import { type RuleProblem, readQuestion, readRules, readSets } from "../../../src/rules/read/read-rules.ts";
import type { RulePath } from "../../../src/rules/rule.ts";

const NO_SETS = { paths: {}, hosts: {} };

function pathText(path: RulePath): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .slice(1);
}

/** A problem as it is printed, with the place in parentheses if that is another path or a key. */
function printed({ path, printedPath = path, message, at }: RuleProblem): string {
  const place = [...(printedPath === path ? [] : [pathText(path)]), ...(at === "key" ? ["key"] : [])];
  return `${pathText(printedPath)}: ${message}${place.length > 0 ? ` (${place.join(", ")})` : ""}`;
}

function problems(rules: unknown, agents?: readonly string[]): string[] {
  return readRules(rules, ["rules"], { sets: NO_SETS, agents }).problems.map(printed);
}

/** The problems of a rule that denies, with more keys. */
const ofRule = (more: Record<string, unknown>) => problems([{ deny: "no", when: { program: "rm" }, ...more }]);
const ofWhen = (when: unknown) => problems([{ deny: "no", when }]);

describe("mistakes in a rule", () => {
  test.each<[string, unknown, string]>([
    ["no list", { deny: "no" }, "rules: expected a list of rules but got a mapping"],
    ["no list", "x", "rules: expected a list of rules but got a text"],
    ["no map", ["rm"], 'rules[0]: expected a rule, such as {deny: "Not this", when: {program: rm}}, but got a text'],
    ["nothing", [null], 'rules[0]: expected a rule, such as {deny: "Not this", when: {program: rm}}, but got nothing'],
    [
      "no verdict",
      [{ when: { program: "rm" } }],
      "rules[0]: the verdict is missing: stop, deny, ask, allow, warn and context are the keys for it, with the message as value",
    ],
    [
      "two verdicts",
      [{ deny: "a", ask: "b", when: { program: "rm" } }],
      "rules[0]: a rule has one verdict, but this has deny and ask",
    ],
    [
      "a blank message",
      [{ deny: " ", when: { program: "rm" } }],
      "rules[0].deny: expected a message but got a blank text",
    ],
    ["no message", [{ deny: true, when: { program: "rm" } }], "rules[0].deny: expected a message but got true"],
    [
      "a mapping as message",
      [{ ask: { of: "x" }, when: { program: "rm" } }],
      "rules[0].ask: expected a message but got a mapping",
    ],
    [
      "nothing as message",
      [{ deny: null, when: { program: "rm" } }],
      "rules[0].deny: expected a message but got nothing",
    ],
    ["no condition", [{ deny: "no" }], 'rules[0]: holds for every call: write when: {tool: "*"} if that is meant'],
    [
      "no condition on an event without tools",
      [{ warn: "x", on: "session_start" }],
      'rules[0]: holds for every call: write when: {tool: "*"} if that is meant',
    ],
    [
      "an empty condition",
      [{ deny: "no", when: {} }],
      'rules[0].when: holds for every call: write when: {tool: "*"} if that is meant',
    ],
    [
      "nothing as condition",
      [{ deny: "no", when: null }],
      "rules[0].when: expected a mapping of facts but got nothing",
    ],
    [
      "a list as condition",
      [{ deny: "no", when: [{ program: "rm" }] }],
      "rules[0].when: expected a mapping of facts but got a list",
    ],
    [
      "a name twice",
      [
        { name: "a", deny: "x", when: { program: "rm" } },
        { name: "a", deny: "y", when: { program: "ls" } },
      ],
      'rules[1].name: rules[0] has the name "a" already',
    ],
    [
      "a name of two words",
      [{ name: "a b", deny: "x", when: { program: "rm" } }],
      'rules[0].name: "a b" is no name: letters, digits, ".", "_" and "-", and a letter or digit first',
    ],
    [
      "a set twice",
      [{ include: "builtin:ci" }, { include: "builtin:ci" }],
      'rules[1].include: rules[0] includes "builtin:ci" already',
    ],
  ])("%s: %j", (_name, rules, expected) => {
    expect(problems(rules)).toEqual([expected]);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ wen: { program: "rm" } }, 'rules[0]: unknown key "wen", did you mean "when"? (rules[0].wen, key)'],
    [{ If: "true" }, 'rules[0]: unknown key "If", did you mean "if"? (rules[0].If, key)'],
    [{ block: "x" }, 'rules[0]: unknown key "block", did you mean "deny"? (rules[0].block, key)'],
    [
      { message: "x" },
      'rules[0]: unknown key "message": the message is the value of the verdict: deny: "Not this" (rules[0].message, key)',
    ],
    [
      { contain: "project" },
      'rules[0]: unknown key "contain": this version cannot contain calls: deny or ask them (rules[0].contain, key)',
    ],
    [{ matcher: "shell" }, 'rules[0]: unknown key "matcher": write when: {tool: NAME} (rules[0].matcher, key)'],
    [{ mode: "log" }, 'rules[0].mode: unknown mode "log": the only one is "observe"; without mode a rule decides'],
    [{ mode: true }, 'rules[0].mode: expected "observe" but got true'],
    [{ name: 7 }, 'rules[0].name: 7 is no name: letters, digits, ".", "_" and "-", and a letter or digit first'],
    [{ if: "" }, "rules[0].if: expected a CEL expression but got a blank text"],
    [{ if: null }, "rules[0].if: expected a CEL expression but got nothing"],
    [{ agents: [] }, "rules[0].agents: expected an agent but got an empty list"],
    [{ agents: [7] }, "rules[0].agents[0]: expected an agent but got a number"],
    [{ agents: null }, "rules[0].agents: expected an agent but got nothing"],
    [{ on: [] }, "rules[0].on: expected an event but got an empty list"],
    [{ on: null }, "rules[0].on: expected an event but got nothing"],
    [{ on: "PreToolUse" }, 'rules[0].on: unknown event "PreToolUse", did you mean "pre_tool_use"?'],
    [{ on: "pre_tool" }, 'rules[0].on: unknown event "pre_tool", did you mean "pre_tool_use"?'],
    [{ examples: null }, "rules[0].examples: expected a mapping with deny and pass but got nothing"],
    [
      { examples: { ask: ["rm"] } },
      'rules[0].examples: unknown key "ask"; there are deny and pass (rules[0].examples.ask, key)',
    ],
    [{ examples: { deny: [] } }, "rules[0].examples.deny: expected a list of calls but got an empty list"],
    [
      { examples: { deny: [7] } },
      "rules[0].examples.deny[0]: expected a command line, or {tool: NAME, input: {...}}, but got a number",
    ],
    [
      { examples: { pass: [{ tol: "x", tool: "y" }] } },
      'rules[0].examples.pass[0]: unknown key "tol", did you mean "tool"? (rules[0].examples.pass[0].tol, key)',
    ],
    [
      { examples: { pass: [{ input: {} }] } },
      "rules[0].examples.pass[0]: the tool is missing: {tool: NAME, input: {...}}",
    ],
    [
      { examples: { pass: [{ tool: "x", input: [] }] } },
      "rules[0].examples.pass[0].input: expected a mapping but got an empty list",
    ],
  ])("%j", (more, expected) => {
    expect(ofRule(more)).toEqual([expected]);
  });

  test("an event that takes no rules, and verdicts that events do not take", () => {
    expect(ofRule({ on: "notification" })[0]).toStartWith(
      "rules[0].on: notification takes no rules; the events that do are pre_tool_use,",
    );
    expect(problems([{ context: "x", when: { program: "rm" } }])).toEqual([
      "rules[0].context: pre_tool_use takes deny, ask, allow, warn and stop, not context; context is for post_tool_use, user_prompt_submit, user_followup_submit, user_steering_messages_submit, session_start, turn_start, stop and pre_compact",
    ]);
    expect(problems([{ deny: "x", on: ["pre_tool_use", "session_start"], when: { agent: "x" } }])).toEqual([
      "rules[0].on: session_start takes warn and context, not deny; deny is for pre_tool_use, permission_request, post_tool_use, user_prompt_submit, user_followup_submit, user_steering_messages_submit, before_llm_call and pre_compact",
    ]);
  });

  test("every mistake of a file is named", () => {
    const rules = [
      { deny: "{pth}", wen: 1, when: { efect: "x", program: null } },
      { ask: "x", when: { class: "net" }, mode: 1 },
    ];
    expect(problems(rules)).toHaveLength(6);
  });

  test("agents of the team", () => {
    const rule = (agents: unknown) => problems([{ deny: "x", when: { program: "rm" }, agents }], ["root", "helper"]);
    expect(rule(["root", "help*"])).toEqual([]);
    expect(rule("helpr")).toEqual(['rules[0].agents: unknown agent "helpr", did you mean "helper"?']);
    expect(rule(["root", "x*"])).toEqual(['rules[0].agents[1]: unknown agent "x*"; there are root and helper']);
    const { problems: none, notices } = readRules([{ deny: "x", when: { program: "rm" }, agents: "a" }], [], {
      sets: NO_SETS,
    });
    expect(none).toEqual([]);
    expect(notices.map(printed)).toEqual(['0].agents: there is no agent file that has an agent "a"']);
  });
});

describe("messages", () => {
  test.each([
    ["{pth}", 'rules[0].deny: unknown placeholder "pth", did you mean "path"?'],
    ["{Path}", 'rules[0].deny: unknown placeholder "Path", did you mean "path"?'],
    [
      "{}",
      'rules[0].deny: unknown placeholder ""; there are tool, class, effect, program, verb, command, path, host, ref, target, branch, agent, count and name',
    ],
    ["{a", "rules[0].deny: a brace has no other one: write {{ or }} for a brace"],
    ["a}", "rules[0].deny: a brace has no other one: write {{ or }} for a brace"],
  ])("%s", (text, expected) => {
    expect(problems([{ deny: text, when: { program: "rm" } }])).toEqual([expected]);
  });
});

describe("mistakes in conditions", () => {
  test.each<[unknown, string]>([
    [
      { efect: "git-history" },
      'rules[0].when: unknown fact "efect", did you mean "effect"? (rules[0].when.efect, key)',
    ],
    [{ Effect: "sends" }, 'rules[0].when: unknown fact "Effect", did you mean "effect"? (rules[0].when.Effect, key)'],
    ...Object.entries({
      does: "effect",
      action: "effect",
      category: "effect",
      runs: "command",
      cmd: "command",
      path: "paths",
      file: "paths",
      host: "hosts",
      url: "hosts",
      flag: "flags",
      arg: "args",
      refs: "ref",
      user: "agent",
    }).map(([word, fact]): [unknown, string] => [
      { [word]: "x" },
      `rules[0].when: unknown fact "${word}", did you mean "${fact}"? (rules[0].when.${word}, key)`,
    ]),
    [
      { not: { efect: "sends" } },
      'rules[0].when.not: unknown fact "efect", did you mean "effect"? (rules[0].when.not.efect, key)',
    ],
    [
      { any: [{ program: "a" }, { prog: "b" }] },
      'rules[0].when.any[1]: unknown fact "prog", did you mean "program"? (rules[0].when.any[1].prog, key)',
    ],
    [
      { after: { program: "a" } },
      'rules[0].when: unknown fact "after": it belongs beside when, not into it (rules[0].when.after, key)',
    ],
    [{ effect: "git-histroy" }, 'rules[0].when.effect: unknown effect "git-histroy", did you mean "git-history"?'],
    [
      { not: { effect: ["fs-delete", "Sends"] } },
      'rules[0].when.not.effect[1]: unknown effect "Sends", did you mean "sends"?',
    ],
    [{ effect: "git-*" }, 'rules[0].when.effect: unknown effect "git-*"; there are fs-delete,'],
    [{ class: "run-commands" }, 'rules[0].when.class: unknown class "run-commands", did you mean "runs-commands"?'],
    [{ safety: "unsafe" }, 'rules[0].when.safety: unknown safety "unsafe", did you mean "safe"?'],
    [{ source: "cron" }, 'rules[0].when.source: unknown source "cron"; there are user, schedule, agent and api'],
    [{ effect: { matches: "git" } }, "rules[0].when.effect.matches: effect takes only its names: fs-delete,"],
    [
      { reads: "credental" },
      'rules[0].when.reads: unknown set "credental", did you mean "credentials"? For a file of this name write "./credental"',
    ],
    [
      { writes: { not_in: ["project", "xyzzy"] } },
      'rules[0].when.writes.not_in[1]: unknown set "xyzzy"; there are project, tmp, outside, home,',
    ],
    [
      { hosts: "loopbak" },
      'rules[0].when.hosts: unknown set "loopbak", did you mean "loopback"? For a host of this name write "loopbak."',
    ],
    [
      { hosts: "localhost" },
      'rules[0].when.hosts: unknown set "localhost", did you mean "loopback"? For a host of this name write "localhost."',
    ],
    [{ program: null }, "rules[0].when.program: expected a text but got nothing"],
    [{ program: [] }, "rules[0].when.program: expected a value but got an empty list: write false for no value"],
    [{ program: {} }, "rules[0].when.program: expected a condition but got an empty mapping"],
    [{ program: "" }, "rules[0].when.program: expected a value but got a blank text: write false for no value"],
    [{ program: [["rm"]] }, "rules[0].when.program[0]: expected a text but got a list"],
    [{ program: ["rm", null] }, "rules[0].when.program[1]: expected a text but got nothing"],
    [{ program: [true] }, 'rules[0].when.program[0]: write "true" in quotes, or true outside a list'],
    [{ args: 1.5 }, "rules[0].when.args: write the number 1.5 in quotes"],
    [
      { paths: { notin: ["project"] } },
      'rules[0].when.paths: unknown operator "notin", did you mean "not_in"? (rules[0].when.paths.notin, key)',
    ],
    [
      { paths: { in: ["project"] } },
      'rules[0].when.paths: unknown operator "in": write the list itself (rules[0].when.paths.in, key)',
    ],
    [
      { args: { regex: "x" } },
      'rules[0].when.args: unknown operator "regex", did you mean "matches"? (rules[0].when.args.regex, key)',
    ],
    [
      { flags: { only: [] } },
      "rules[0].when.flags.only: expected a value but got an empty list: write false for no value",
    ],
    [{ args: { matches: "(" } }, "rules[0].when.args.matches: not a valid RE2 expression: "],
    [{ args: { matches: "(a)\\1" } }, "rules[0].when.args.matches: not a valid RE2 expression: "],
    [{ args: { matches: "" } }, "rules[0].when.args.matches: expected a regular expression but got a blank text"],
    [{ args: { matches: ["a"] } }, "rules[0].when.args.matches: expected a regular expression but got a list"],
    [{ cost: { more_than: "5 USD" } }, 'rules[0].when.cost.more_than: expected a number of 0 or more but got "5 USD"'],
    [
      { cost: { more_than: Number.POSITIVE_INFINITY } },
      "rules[0].when.cost.more_than: expected a number of 0 or more but got null",
    ],
    [{ calls: { less_than: -1 } }, "rules[0].when.calls.less_than: expected a number of 0 or more but got -1"],
    [{ depth: "one" }, 'rules[0].when.depth: expected a number of 0 or more but got "one"'],
    [
      { args: { more_than: 3 } },
      "rules[0].when.args.more_than: args is no number: more_than and less_than test depth, cost, calls and input",
    ],
    [{ depth: { matches: "1" } }, "rules[0].when.depth.matches: depth is no text: matches cannot test it"],
    [{ dirty: "yes" }, "rules[0].when.dirty: expected true or false but got a text"],
    [{ opaque: { not_in: ["x"] } }, "rules[0].when.opaque: expected true or false but got a mapping"],
    [
      { time: "22-6" },
      'rules[0].when.time: expected hours, days or both: "22:00-06:00", "sat,sun", "mon-fri 09:00-18:00"',
    ],
    [{ time: true }, 'rules[0].when.time: write "true" in quotes, or true outside a list'],
    [{ flags: "force" }, 'rules[0].when.flags: no flag begins with a letter: write "--force"'],
    [{ flags: "f" }, 'rules[0].when.flags: no flag begins with a letter: write "-f"'],
    [{ flags: "--x=v" }, 'rules[0].when.flags: flags are without their values: write "--x", and the value under args'],
    [{ program: "/bin/rm" }, 'rules[0].when.program: programs are without their directory: write "rm"'],
    [{ program: "git push" }, "rules[0].when.program: a program is one word: write program: git, verb: push"],
    [{ program: "rm -rf" }, 'rules[0].when.program: a program is one word: write program: rm, flags: "-rf"'],
    [
      { program: "docker-compose" },
      "rules[0].when.program: docker-compose is docker: write program: docker, verb: compose",
    ],
    [{ env: "X=1" }, 'rules[0].when.env: write the name alone: "X"'],
    [{ ref: "refs/heads/main" }, 'rules[0].when.ref: write the branch alone: "main"'],
    [{ input: "x" }, 'rules[0].when.input: expected a mapping, such as {path: "src/*"}, but got a text'],
    [{ input: { "a..b": "x" } }, 'rules[0].when.input.a..b: "a..b" is no dotted path (key)'],
    [{ input: { a: null } }, "rules[0].when.input.a: expected a text but got nothing"],
    [{ not: ["a"] }, "rules[0].when.not: expected a mapping of facts but got a list"],
    [{ not: {} }, "rules[0].when.not: expected a mapping of facts but got an empty mapping"],
    [{ any: { program: "rm" } }, "rules[0].when.any: expected a list of mappings but got a mapping"],
    [{ all: [] }, "rules[0].when.all: expected a list of mappings but got an empty list"],
    [{ any: ["rm"] }, "rules[0].when.any[0]: expected a mapping of facts but got a text"],
    [{ ok: true }, 'rules[0].when.ok: there is no fact "ok" on pre_tool_use, which has tool, class,'],
  ])("%j", (when, expected) => {
    const [first = "", ...more] = ofWhen(when);
    expect(first).toStartWith(expected);
    expect(more).toEqual([]);
  });

  test("a fact that the event lacks", () => {
    expect(problems([{ deny: "no", on: "user_prompt_submit", when: { program: "rm" } }])).toEqual([
      'rules[0].when.program: there is no fact "program" on user_prompt_submit, which has branch, dirty, agent, depth, source, time, cost, calls and text; pre_tool_use, permission_request and post_tool_use have it (key)',
    ]);
    expect(problems([{ warn: "no", on: "stop", when: { text: "x" } }])).toEqual([]);
  });

  test("eight levels are enough", () => {
    const nested = (levels: number): unknown => (levels === 0 ? { program: "rm" } : { not: nested(levels - 1) });
    expect(ofWhen(nested(8))).toEqual([]);
    expect(ofWhen(nested(9))[0]).toEndWith("all, any and not stand in each other more than 8 times");
  });

  test.each([
    [
      {
        program: "rm",
        verb: ["a", "b c"],
        flags: ["-f", "--x*"],
        args: [8080, ""],
        effect: ["sends"],
        class: "network",
      },
    ],
    [{ reads: ["credentials", "./x", "*.pem", "~/a", "a/b"], hosts: ["db.", "10.0.0.0/8", "*.x.example", "loopback"] }],
    [{ cost: { more_than: 1, less_than: 2.5 }, depth: [0, 1], time: ["sat,sun", "TZ=Europe/Berlin 09:00-10:00"] }],
    [
      {
        input: { "a.b": "x", n: 3, f: true, m: { more_than: -1 } },
        secrets: true,
        branch: false,
        dirty: true,
        opaque: false,
      },
    ],
  ])("right: %j", (when) => {
    expect(ofWhen(when)).toEqual([]);
  });

  test("own sets", () => {
    const { sets, problems: none } = readSets(
      { paths: { legal: ["contracts", "*.docx"] }, hosts: { ours: ["*.corp.example"] } },
      ["sets"],
    );
    expect(none).toEqual([]);
    const when = { writes: ["legal"], hosts: { not_in: ["ours"] } };
    expect(readRules([{ deny: "no", when }], ["rules"], { sets }).problems).toEqual([]);
    expect(readRules([{ deny: "no", when: { hosts: "legal" } }], ["rules"], { sets }).problems).toHaveLength(1);
    const meant = readRules([{ deny: "no", when: { writes: "legl" } }], ["rules"], { sets }).problems.map(printed);
    expect(meant[0]).toContain('did you mean "legal"?');
  });
});

describe("mistakes in sets", () => {
  test.each<[unknown, string]>([
    [null, "sets: expected a mapping with paths and hosts but got nothing"],
    [{}, "sets: expected a mapping with paths and hosts but got an empty mapping"],
    [{ path: { a: ["x"] } }, 'sets: unknown kind of sets "path", did you mean "paths"? (sets.path, key)'],
    [{ paths: { guards: ["x"] } }, 'sets.paths.guards: the set "guards" is built in: take another name (key)'],
    [{ hosts: { project: ["x."] } }, 'sets.hosts.project: the set "project" is built in: take another name (key)'],
    [
      { paths: { Mine: ["x"] } },
      'sets.paths.Mine: "Mine" is no name of a set: lower case letters and digits, with hyphens between them (key)',
    ],
    [{ paths: { a: "x" } }, "sets.paths.a: expected a list of patterns but got a text"],
    [{ paths: { a: [] } }, "sets.paths.a: expected a list of patterns but got an empty list"],
    [{ paths: { a: ["x", ""] } }, "sets.paths.a[1]: expected a pattern but got a blank text"],
    [{ paths: [] }, "sets.paths: expected a mapping of names to patterns but got an empty list"],
  ])("%j", (value, expected) => {
    expect(readSets(value, ["sets"]).problems.map(printed)).toEqual([expected]);
  });
});

describe("the past", () => {
  const M = "rules[0].after";
  test.each<[unknown, string]>([
    [
      { program: "ls", within: 10 },
      `${M}.within: expected a time with its unit, s, m, h or d, such as "10m", but got 10`,
    ],
    [
      { program: "ls", within: "10" },
      `${M}.within: expected a time with its unit, s, m, h or d, such as "10m", but got "10"`,
    ],
    [{ program: "ls", within: "0m" }, `${M}.within: a time of zero covers no call`],
    [{ program: "ls", within: "60d" }, `${M}.within: 60d is too long: at most 30d are kept`],
    [
      { program: "ls", within: null },
      `${M}.within: expected a time with its unit, s, m, h or d, such as "10m", but got null`,
    ],
    [{ prgram: "ls" }, `${M}: unknown fact "prgram", did you mean "program"? (${M}.prgram, key)`],
    [{}, `${M}: expected a mapping of facts but got an empty mapping`],
    [null, `${M}: expected a mapping of facts but got nothing`],
    [[], `${M}: expected a mapping of facts but got an empty list`],
    [[{ program: "ls" }, "x"], `${M}[1]: expected a mapping of facts but got a text`],
    [{ program: "ls", ok: "yes" }, `${M}.ok: expected true or false but got a text`],
    [
      { program: "ls", since: { progam: "x" } },
      `${M}.since: unknown fact "progam", did you mean "program"? (${M}.since.progam, key)`,
    ],
    [{ event: "promt", text: "x" }, `${M}.event: unknown event "promt"; there are pre_tool_use,`],
    [{ event: "user_prompt_submit", program: "x" }, `${M}.program: there is no fact "program" on user_prompt_submit,`],
    [{ event: "user_prompt_submit", ok: true }, `${M}.ok: user_prompt_submit has no outcome (key)`],
  ])("after: %j", (after, expected) => {
    expect(ofRule({ after })[0]).toStartWith(expected);
  });

  test.each<[unknown, string]>([
    [{ per: "10m" }, "rules[0].more_than: n must be a whole number of 0 or more, but is missing"],
    [{ n: 1, in: "10m" }, 'rules[0].more_than: unknown key "in", did you mean "per"? (rules[0].more_than.in, key)'],
    [{ n: -1 }, "rules[0].more_than.n: n must be a whole number of 0 or more, but is -1"],
    [{ n: 1.5 }, "rules[0].more_than.n: n must be a whole number of 0 or more, but is 1.5"],
    [
      { n: 1, per: "1w" },
      'rules[0].more_than.per: expected a time with its unit, s, m, h or d, such as "10m", but got "1w"',
    ],
    [{ n: 1, same_call: "x" }, "rules[0].more_than.same_call: expected true or false but got a text"],
    [3, "rules[0].more_than: expected a mapping, such as {n: 20, per: 10m}, but got a number"],
  ])("more_than: %j", (more_than, expected) => {
    expect(ofRule({ more_than })).toEqual([expected]);
  });

  test("is read", () => {
    const { rules, problems: none } = readRules(
      [
        {
          deny: "no",
          when: { program: "git" },
          unless_after: { command: "npm test*", ok: true, within: "1h", since: { class: "writes-files" } },
          after: [{ ok: false }, { event: "user_prompt_submit", text: "x" }],
          more_than: { n: 0, per: "10m", same_call: true },
        },
        { deny: "no", when: { same_call: { more_than: 5 } } },
      ],
      ["rules"],
      { sets: NO_SETS },
    );
    expect(none).toEqual([]);
    expect(rules[0]?.history).toMatchObject({
      unlessAfter: [
        {
          event: "tool calls",
          ok: true,
          within: 3_600_000,
          written: "command: npm test*, ok: true, within: 1h, since: {class: writes-files}",
          since: { when: { kind: "fact", fact: "class", test: { in: ["writes-files"] } } },
        },
      ],
      after: [{ ok: false, when: undefined }, { event: "user_prompt_submit" }],
      moreThan: { n: 0, per: 600_000, perText: "10m", sameCall: true },
    });
    expect(rules[1]).toMatchObject({ when: undefined, history: { moreThan: { n: 5, sameCall: true } } });
  });

  test("same_call in two places, or too deep", () => {
    expect(problems([{ deny: "no", when: { same_call: { more_than: 5 } }, more_than: { n: 1 } }])).toEqual([
      "rules[0].when.same_call: more_than stands beside when already (key)",
    ]);
    expect(ofWhen({ same_call: { n: 5 } })[0]).toContain('unknown key "n", did you mean "more_than"?');
    expect(ofWhen({ not: { same_call: { more_than: 5 } } })[0]).toContain("only at the top of the when of a rule");
  });
});

describe("what is read", () => {
  test("a rule with its defaults", () => {
    const { rules } = readRules([{ deny: "no", when: { program: "rm" } }], ["settings", "rules"], { sets: NO_SETS });
    expect(rules).toEqual([
      {
        name: "rules[0]",
        verdict: "deny",
        message: "no",
        on: ["pre_tool_use"],
        agents: undefined,
        observe: false,
        when: { kind: "fact", fact: "program", test: { in: ["rm"] } },
        if: undefined,
        history: {},
        examples: undefined,
        sets: NO_SETS,
        path: ["settings", "rules", 0],
      },
    ]);
  });

  test("a verb that git does not have is worth a word", () => {
    const notices = (when: unknown) =>
      readRules([{ deny: "no", when }], ["rules"], { sets: NO_SETS }).notices.map(printed);
    expect(notices({ program: "git", verb: ["push", "comit"] })).toEqual([
      'rules[0].when: git has no verb "comit", did you mean "commit"?',
    ]);
    expect(notices({ program: "git", verb: ["push", "stash drop", "p*"] })).toEqual([]);
    expect(notices({ program: "hub", verb: "comit" })).toEqual([]);
  });

  test("a rule or a set that only observes is worth a word", () => {
    const { notices } = readRules(
      [
        { deny: "no", when: { program: "rm" }, mode: "observe" },
        { include: "builtin:ci", mode: "observe" },
        { deny: "no", when: { program: "rm" } },
      ],
      ["rules"],
      { sets: NO_SETS },
    );
    expect(notices.map(printed)).toEqual([
      "rules[0].mode: rules[0] only observes: its verdict is reported, not enforced",
      "rules[1].mode: ci only observes: the verdicts of its rules are reported, not enforced",
    ]);
  });

  test("context without conditions on an event without tools", () => {
    expect(problems([{ context: "x", on: "session_start" }])).toEqual([]);
  });

  test("a program is read without its version, as calls name it", () => {
    const { rules } = readRules(
      [{ deny: "no", when: { program: ["pip3", "python3", "Git.exe", "pip*"] } }],
      ["rules"],
      {
        sets: NO_SETS,
      },
    );
    expect(rules[0]?.when).toMatchObject({ test: { in: ["pip", "python", "git", "pip*"] } });
  });

  test("a question", () => {
    expect(readQuestion({ effect: "git-history", ref: "main" }, ["--never-passes"], NO_SETS).condition).toMatchObject({
      kind: "all",
    });
    expect(readQuestion({ efect: "x" }, ["--never-passes"], NO_SETS).problems).toHaveLength(1);
  });
});

describe("expressions", () => {
  test.each<[string, string | undefined]>([
    ["effect.exists(e, e == 'git-history') && tool == 'shell'", undefined],
    ["tool_input.a.b == 1 || steps.size() > 1", undefined],
    ["branch == null", undefined],
    ["tool_input.force", undefined],
    ["tol == 'shell'", 'Unknown variable: tol, did you mean "tool"?'],
    ["tool", "gives string, but must give true or false"],
    ["size(args)", "gives int, but must give true or false"],
    ["tool == 1", "no such overload: string == int"],
    ["tool.matches('(')", "missing closing ) at 0"],
    ["tool.matches('a(?=b)')", "look-ahead is not supported at 1"],
    ["tool.matches(1)", "found no matching overload for 'string.matches(int)'"],
    ["1 +", "Unexpected token: EOF"],
  ])("%s: %p", (expression, expected) => {
    const { rules } = readRules([{ deny: "no", if: expression }], ["rules"], { sets: NO_SETS });
    const found = checkExpressions(rules).map(printed);
    expect(found).toEqual(expected === undefined ? [] : [`rules[0].if: ${expected}`]);
  });
});
