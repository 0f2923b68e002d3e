import type { CallFacts, EventFacts, Fit, HostValue, PathValue, Step } from "../../src/facts/facts.ts";
import { compileRules, type PlacedRule } from "../../src/rules/compile.ts";
import type { RuleTests } from "../../src/rules/evaluate/rule-tests.ts";
import { matchesText } from "../../src/rules/evaluate/text-pattern.ts";
import { type JudgeOptions, judgeWith, type RulesVerdict } from "../../src/rules/judge.ts";
import { readRules } from "../../src/rules/read/read-rules.ts";
import type { Values } from "../../src/shell/steps/program-facts.ts";

export const HOLE = "\0";

/** Values of a fact; one that begins with `?` is possible, and `...` says that there may be more. */
export function values(...texts: string[]): Values {
  const known = texts.filter((text) => text !== "...");
  return { values: known.map((text) => valueOf(text)), open: known.length < texts.length };
}

function valueOf(text: string) {
  return text.startsWith("?") ? { text: text.slice(1), sure: false } : { text, sure: true };
}

/** A path; `?` in front makes it possible, and ` -> X` is what it is without links. */
export function path(spelled: string): PathValue {
  const { text, sure } = valueOf(spelled);
  const [own = "", resolved] = text.split(" -> ");
  return {
    path: own,
    ...(resolved !== undefined && { resolved }),
    glob: false,
    sure,
    extent: "itself",
    read: false,
    elsewhere: false,
  };
}

export function host(text: string): HostValue {
  const { text: name, sure } = valueOf(text);
  return { host: name, sure };
}

/** The facts of a step in short: lists of texts. */
export interface ShortStep {
  command?: string | undefined;
  program?: string[];
  verb?: string[];
  flags?: string[];
  args?: string[];
  env?: string[];
  effect?: string[];
  reads?: string[];
  writes?: string[];
  hosts?: string[];
  sends?: string[];
  ref?: string[];
  target?: string[];
  opaque?: boolean;
  unquoted?: string[];
  cover?: Step["cover"];
  assigns?: string[];
  allowOnly?: boolean;
}

export function step(short: ShortStep): Step {
  const { program = [], verb = [], reads = [], writes = [], hosts = [], sends = [], env = [] } = short;
  const command = "command" in short ? short.command : [...program, ...verb, ...(short.args ?? [])].join(" ");
  return {
    command,
    program: program.map(valueOf),
    verb: verb.map(valueOf),
    flags: values(...(short.flags ?? [])),
    args: values(...(short.args ?? [])),
    commandLine: values(...(command === undefined ? [] : [command])),
    env: values(...env),
    effect: values(...(short.effect ?? [])),
    reads: reads.map(path),
    writes: writes.map(path),
    paths: [...reads, ...writes].map(path),
    hosts: [...hosts, ...sends].map(host),
    sends: sends.map(host),
    ref: values(...(short.ref ?? [])),
    target: values(...(short.target ?? [])),
    opaque: short.opaque ?? false,
    unquoted: short.unquoted ?? [],
    cover: short.cover ?? "rule",
    assigns: short.assigns ?? [],
    ...(short.allowOnly && { allowOnly: true }),
  };
}

export function call(steps: readonly ShortStep[], more: Partial<CallFacts> = {}): CallFacts {
  return {
    tools: ["shell", "Bash"],
    class: "runs-commands",
    server: undefined,
    input: {},
    steps: steps.map(step),
    readable: true,
    exact: true,
    safety: "unknown",
    secrets: () => [],
    ...more,
  };
}

/** The facts of an event; of `pre_tool_use` for a shell by default. */
export function event(steps: readonly ShortStep[] | CallFacts | undefined, more: Partial<EventFacts> = {}): EventFacts {
  return {
    event: "pre_tool_use",
    call: steps && ("steps" in steps ? steps : call(steps)),
    branch: () => "dev",
    dirty: async () => false,
    agent: undefined,
    depth: 0,
    source: undefined,
    cost: undefined,
    calls: undefined,
    text: undefined,
    ok: undefined,
    now: Date.UTC(2026, 0, 5, 12, 0),
    payload: {},
    ...more,
  };
}

const SETS: Readonly<Record<string, string>> = {
  project: "/p/*",
  tmp: "/tmp/*",
  credentials: "*.env",
  guards: "*/guards/*",
};

/** Tests that know a few sets, `-f` as `--force` of git, and nothing about a path that is one hole. */
export const TESTS: RuleTests = {
  path: (patterns) => (value, need) => {
    const fitOf = (text: string): Fit => {
      if (text.startsWith(HOLE)) return patterns.length === 0 ? "none" : "unknown";
      const isInside = (name: string) => matchesText(SETS[name] ?? name, text);
      const hits = (name: string) => (name === "outside" ? !isInside("project") && !isInside("tmp") : isInside(name));
      return patterns.some(hits) ? "all" : "none";
    };
    const fits = [value.path, value.resolved ?? value.path].map(fitOf);
    if (fits.includes("unknown")) return "unknown";
    return (need === "either" ? fits.includes("all") : !fits.includes("none")) ? "all" : "none";
  },
  host: (patterns) => (value) => {
    if (value.host === HOLE) return "unknown";
    return patterns.some((pattern) => matchesText(pattern, value.host)) ? "all" : "none";
  },
  flag: (programs, flag) => (programs.includes("git") && flag === "-f" ? ["--force", "-f"] : [flag]),
};

/** Reads rules that have no mistakes, with `hooks.yaml:LINE` as place: a rule a line. */
export function placedRules(rules: unknown, sets = { paths: {}, hosts: {} }): PlacedRule[] {
  const read = readRules(rules, ["rules"], { sets });
  if (read.problems.length > 0) throw new Error(JSON.stringify(read.problems));
  return read.rules.map((rule) => ({ ...rule, source: async () => `hooks.yaml:${Number(rule.path[1]) + 1}` }));
}

/** What rules say about an event. */
export async function judge(
  rules: unknown,
  facts: EventFacts,
  options?: Omit<JudgeOptions, "place">,
): Promise<RulesVerdict> {
  return judgeWith(compileRules(placedRules(rules)), facts, TESTS, options);
}
