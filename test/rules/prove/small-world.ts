import type { Model } from "../../../src/rules/prove/model.ts";
import type { ProofTables } from "../../../src/rules/prove/tables.ts";
import type { Condition, Rule, Test } from "../../../src/rules/rule.ts";
import { HOLE } from "../../../src/shell/steps/invocation.ts";

/** A step of a small world, with facts as plain texts. Absent facts have no entry. */
export type SmallStep = Readonly<Record<string, readonly string[]>>;

const STEP_FACTS = [
  "program",
  "verb",
  "flags",
  "args",
  "command",
  "env",
  "effect",
  "ref",
  "reads",
  "writes",
  "paths",
  "hosts",
  "sends",
  "target",
];

/** Two programs with effects, one without a row, and a tool that writes files. */
export const SMALL_TABLES: ProofTables = {
  kinds: [
    {
      class: "runs-commands",
      tools: [["shell"]],
      anyTool: false,
      facts: new Set(STEP_FACTS),
      effects: ["fs-overwrite"],
      opaque: "sometimes",
    },
    {
      class: "writes-files",
      tools: [["write_file"]],
      anyTool: false,
      facts: new Set(["effect", "writes", "paths"]),
      effects: ["fs-overwrite"],
      opaque: "never",
    },
  ],
  programs: [
    { program: "git", effects: ["sends"], verbs: { push: ["git-history"] } },
    { program: "rm", effects: ["fs-delete"], verbs: {} },
  ],
};

const pick = <T>(of: readonly T[], random: () => number): T => of[Math.floor(random() * of.length)] as T;

/** Numbers that look random and are the same in each run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  program: ["git", "rm", "x", "g*", "[gx]*"],
  verb: ["push", "pull", "p*"],
  class: ["runs-commands", "writes-files"],
  tool: ["shell", "write_file"],
  effect: ["git-history", "fs-delete", "fs-overwrite", "sends"],
  ref: ["main", "m*", "x", "release/*"],
  args: ["--force", "--all", "--*"],
  writes: ["/etc", "/etc/a", "*.pem", "/srv/**"],
  paths: ["/etc", "*.pem", "/srv/**"],
  opaque: [],
};
const EXPRESSIONS: Readonly<Record<string, readonly string[]>> = {
  program: ["^g", "t$"],
  verb: ["^pu", "l"],
  ref: ["^m", "(?i)MAIN", "^(main|x)$", "\\bx\\b"],
  args: ["^--f", "all"],
};

export function randomCondition(random: () => number, depth = 2): Condition {
  const kind = depth > 0 ? random() : 1;
  if (kind < 0.25) return { kind: "not", of: randomCondition(random, depth - 1) };
  if (kind < 0.6) {
    const of = Array.from({ length: 1 + Math.floor(random() * 2) }, () => randomCondition(random, depth - 1));
    return { kind: random() < 0.5 ? "all" : "any", of };
  }
  const fact = pick(Object.keys(VALUES), random);
  return { kind: "fact", fact: fact as "ref", test: randomTest(fact, random) };
}

function randomTest(fact: string, random: () => number): Test {
  if (fact === "opaque" || random() < 0.1) return { is: random() < 0.5 };
  const values = [pick(VALUES[fact] ?? [], random), pick(VALUES[fact] ?? [], random)].slice(0, random() < 0.5 ? 1 : 2);
  const expressions = EXPRESSIONS[fact];
  const kind = random();
  if (expressions && kind < 0.3) return { matches: pick(expressions, random) };
  if (kind < 0.6) return { in: values };
  if (kind < 0.8) return { notIn: values };
  if (kind < 0.9) return { only: values };
  return { in: values, notIn: [pick(VALUES[fact] ?? [], random)] };
}

export function randomRule(random: () => number, index: number): Rule {
  return {
    name: `rules[${index}]`,
    verdict: pick(["deny", "ask", "warn", "allow", "stop"], random),
    message: "no",
    on: ["pre_tool_use"],
    agents: undefined,
    observe: random() < 0.05,
    when: randomCondition(random),
    if: undefined,
    history: {},
    examples: undefined,
    sets: { paths: {}, hosts: {} },
    path: ["rules", index],
  };
}

/** All steps of the small world: what its tables allow, with few values for each fact. */
export function allSteps(): SmallStep[] {
  const steps: SmallStep[] = [];
  const subsets = (of: readonly string[]): string[][] => [
    [],
    ...of.map((one) => [one]),
    ...(of.length > 1 ? [[...of]] : []),
  ];
  const rows: [string | undefined, string | undefined, string[]][] = [
    [undefined, undefined, ["fs-overwrite"]],
    ["git", undefined, ["fs-overwrite", "sends"]],
    ["git", "push", ["git-history", "sends"]],
    ["git", "pull", ["sends", "fs-overwrite"]],
    ["rm", undefined, ["fs-delete"]],
    ["x", "push", ["fs-overwrite"]],
    ["gx", undefined, []],
  ];
  for (const [program, verb, effects] of rows)
    for (const effect of subsets(effects))
      for (const ref of program === "git" ? [[], ["main"], ["x"], ["release/1"], ["main", "x"]] : [[]])
        for (const args of program ? [[], ["--force"], ["--all", "--x"]] : [[]])
          for (const writes of [[], ["/etc/a"], ["/srv/k.pem"], ["/a"], ["/etc", "/a"], [UNKNOWN]])
            for (const opaque of [false, true])
              steps.push({
                class: ["runs-commands"],
                tool: ["shell"],
                ...(program ? { program: [program] } : {}),
                ...(verb ? { verb: [verb] } : {}),
                effect,
                ref,
                args,
                writes,
                paths: writes,
                ...(opaque ? { opaque: ["true"] } : {}),
              });
  for (const writes of [[], ["/etc/a"], ["/a.pem"], ["/a"]])
    for (const effect of [[], ["fs-overwrite"]])
      steps.push({ class: ["writes-files"], tool: ["write_file"], effect, writes, paths: writes });
  return steps;
}

export const UNKNOWN = HOLE;

/** The step that a model describes. */
export function stepOf(model: Model): SmallStep {
  const texts = (fact: string): string[] =>
    (model.values.get(fact) ?? []).map((text) => (text === "$X" ? UNKNOWN : text));
  const writes = texts("writes");
  return {
    class: [model.class],
    tool: model.tools.length > 0 ? model.tools : [model.class === "writes-files" ? "write_file" : "shell"],
    program: texts("program"),
    verb: texts("verb"),
    effect: texts("effect"),
    ref: texts("ref"),
    args: texts("args"),
    writes,
    paths: [...new Set([...texts("paths"), ...writes])],
    ...(model.opaque ? { opaque: ["true"] } : {}),
  };
}

const [F, O, P, T] = [0, 1, 2, 3];
const THINGS = ["effect", "ref", "writes", "paths"];
const HIDDEN = THINGS;

/** The value of a condition at a step, as the rules of the language say it, in the plainest way. */
export function valueOf(condition: Condition, step: SmallStep, denied = false): number {
  switch (condition.kind) {
    case "not":
      return valueOf(condition.of, step, !denied);
    case "fact":
      return testOf(condition.fact, condition.test, step, denied);
    default: {
      const values = condition.of.map((one) => valueOf(one, step, denied));
      return (condition.kind === "all") !== denied ? Math.min(T, ...values) : Math.max(F, ...values);
    }
  }
}

function testOf(fact: string, test: Test, step: SmallStep, denied: boolean): number {
  const values = step[fact] ?? [];
  const opaque = step["opaque"] !== undefined && HIDDEN.includes(fact);
  const truth = (is: boolean): number => (is ? T : F);
  if (!THINGS.includes(fact)) {
    const is = truth(plainTest(fact, test, values));
    return denied ? T - is : is;
  }
  const one = (value: string): number => {
    if (value === UNKNOWN) return test.in || test.matches ? (denied ? P : O) : P;
    const { only: _only, is: _is, ...ofValue } = test;
    return truth(plainTest(fact, ofValue, [value]));
  };
  const parts: number[] = [];
  const hidden = opaque ? O : F;
  if (test.in || test.notIn || test.matches) {
    const each = values.map(one);
    if (!denied) parts.push(Math.max(hidden, ...each));
    else if (values.length === 0) parts.push(opaque ? O : T);
    else {
      const worst = Math.max(F, ...each.map((value, at) => (values[at] === UNKNOWN ? P : T - value)));
      parts.push(Math.max(hidden, worst));
    }
  }
  if (test.only) {
    const outside = values.some((value) => value !== UNKNOWN && !plainTest(fact, { in: test.only ?? [] }, [value]));
    const all = outside ? F : values.includes(UNKNOWN) ? (opaque ? O : P) : opaque ? O : T;
    parts.push(denied ? (outside ? T : values.includes(UNKNOWN) ? P : opaque ? O : F) : all);
  }
  if (test.is !== undefined) {
    const wanted = test.is !== denied;
    parts.push(values.length > 0 ? truth(wanted) : opaque ? O : truth(!wanted));
  }
  return denied ? Math.max(F, ...parts) : Math.min(T, ...parts);
}

function plainTest(fact: string, test: Test, values: readonly string[]): boolean {
  const fits = (pattern: string, value: string): boolean => patternFits(fact, pattern, value);
  const listed = (patterns: readonly string[], value: string) => patterns.some((pattern) => fits(pattern, value));
  const wanted = values.some(
    (value) =>
      (!test.in || listed(test.in, value)) &&
      (!test.notIn || !listed(test.notIn, value)) &&
      (test.matches === undefined ||
        new RegExp(test.matches.replace("(?i)", ""), test.matches.startsWith("(?i)") ? "i" : "").test(value)),
  );
  if ((test.in || test.notIn || test.matches !== undefined) && !wanted) return false;
  if (test.only && !values.every((value) => listed(test.only ?? [], value))) return false;
  return test.is === undefined || test.is === values.length > 0;
}

function patternFits(fact: string, pattern: string, value: string): boolean {
  const escaped = (text: string) => text.replaceAll(/[.$^+(){}|\\]/g, "\\$&");
  if (fact === "writes" || fact === "paths") {
    const parts = pattern.split("/").map((part) => (part === "**" ? ".+" : escaped(part).replaceAll("*", "[^/]*")));
    return new RegExp(`^${pattern.startsWith("/") ? "" : "(?:.*/)?"}${parts.join("/")}(?:/.*)?$`).test(value);
  }
  return new RegExp(
    `^${escaped(pattern).replaceAll("*", ".*").replaceAll("?", ".")}${fact === "verb" ? "(?: .*)?" : ""}$`,
  ).test(value);
}

export { P as HITS };
