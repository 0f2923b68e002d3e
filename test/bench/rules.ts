/**
 * Rules: what judging an event costs beside parsing it, what questions about rules cost, and what rules add to a cold
 * `dispatch`.
 * Run: `bun test/bench/rules.ts [ROUNDS]` after `npm run build`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventFacts } from "../../src/facts/event-facts.ts";
import type { EventFacts } from "../../src/facts/facts.ts";
import { placeOf } from "../../src/facts/place.ts";
import { processEnv } from "../../src/lib/env.ts";
import type { EventName } from "../../src/protocol/events.ts";
import { compileRules, type PlacedRule } from "../../src/rules/compile.ts";
import { memoryHistories } from "../../src/rules/history/histories.ts";
import { holdsAtPlace } from "../../src/rules/holds-at.ts";
import { judgeRules } from "../../src/rules/judge.ts";
import { rulesThatMayHold } from "../../src/rules/may-hold.ts";
import { judgeAt } from "../../src/rules/prove/judge-call.ts";
import { proofTables } from "../../src/rules/prove/proof-tables.ts";
import { neverPasses } from "../../src/rules/prove/prove.ts";
import { ruleNotices } from "../../src/rules/prove/rule-notices.ts";
import { sampleCalls } from "../../src/rules/prove/sample-calls.ts";
import { readQuestion, readRules } from "../../src/rules/read/read-rules.ts";
import { type Program, printTable, shown, timePrograms } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 60);
const binary = join(import.meta.dir, "../../dist/hooksh");
const dir = await mkdtemp(join(tmpdir(), "hooksh-bench-"));
const place = placeOf({ cwd: dir, env: processEnv() });

const CALL = { session_id: "s1", cwd: dir, hook_event_name: "pre_tool_use", tool_use_id: "call_1" };
const shellCall = (cmd: string) => ({
  ...CALL,
  tool_name: "shell",
  tool_category: "shell",
  tool_input: { cmd, cwd: "." },
});
const CONTENT = "export function add(a: number, b: number): number {\n  return a + b;\n}\n".repeat(50);
const EVENTS = {
  "a command": shellCall("npm test -- --watch=false"),
  "a pipeline": shellCall("cd packages/api && grep -rn 'NOTE(auth)' src | sort | uniq -c | head -20"),
  "a push": shellCall("git add -A && git commit -m 'Fix the parser' && git push origin feature"),
  "a file of 3 KB": { ...CALL, tool_name: "write_file", tool_input: { path: "src/add.ts", content: CONTENT } },
};

/** 300 rules about different things; few of them are about any one call. */
const RULES = Array.from({ length: 50 }, (_, n) => [
  { name: `program-${n}`, deny: "No", when: { program: `tool${n}`, flags: "--force" } },
  { name: `verb-${n}`, ask: "No", when: { program: "kubectl", verb: `verb${n}` } },
  { name: `path-${n}`, deny: "No {path}", when: { writes: `generated/${n}/**` } },
  { name: `tool-${n}`, deny: "No", when: { tool: `mcp:server${n}:*` } },
  { name: `effect-${n}`, ask: "No", when: { effect: "publish", target: { matches: `(?i)prod${n}` } } },
  { name: `class-${n}`, warn: "No", when: { class: "network", hosts: `host${n}.example.com` } },
]).flat();

function placed(rules: unknown): PlacedRule[] {
  const read = readRules(rules, ["rules"], { sets: { paths: {}, hosts: {} } });
  if (read.problems.length > 0) throw new Error(JSON.stringify(read.problems));
  return read.rules.map((rule) => ({ ...rule, source: async () => "hooks.yaml:1" }));
}

function factsOf(payload: Record<string, unknown>, event: EventName = "pre_tool_use"): EventFacts {
  return eventFacts(event, payload, { toolNames: [], host: undefined, place });
}

/** The microseconds of one run: the least of many short batches, which other programs on the machine hardly change. */
async function microseconds(run: () => unknown, runs = 20): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < 150; batch++) {
    const started = Bun.nanoseconds();
    for (let at = 0; at < runs; at++) {
      const result = run();
      if (result instanceof Promise) await result;
    }
    least = Math.min(least, (Bun.nanoseconds() - started) / 1e3 / runs);
  }
  return least;
}

const rules = placed(RULES);
/** Judges a call as the engine does: by the rules that may hold for its tool. */
function judgeCall(event: Record<string, unknown>, facts: EventFacts) {
  const call = { tools: [String(event["tool_name"])], class: facts.call?.class ?? "other" };
  return judgeRules(compileRules(rulesThatMayHold(rules, "pre_tool_use", call)), facts, { place });
}

const judged: string[][] = [];
for (const [name, event] of Object.entries(EVENTS)) {
  const text = JSON.stringify(event);
  const parse = await microseconds(() => JSON.parse(text), 200);
  const read = await microseconds(() => factsOf(event).call?.steps, 3);
  const known = factsOf(event);
  const judge = await microseconds(() => judgeCall(event, known), 200);
  const all = await microseconds(() => judgeCall(event, factsOf(event)), 3);
  judged.push([name, shown(parse), shown(judge), shown(judge / parse), shown(read), shown(all)]);
}
printTable(
  `${RULES.length} rules on one event, none of which holds; µs`,
  ["event", "JSON.parse", "judging", "x JSON.parse", "reading the call", "reading, facts, judging"],
  judged,
);

const past = placed([
  { deny: "Test first", when: { program: "git", verb: "push" }, unless_after: { command: "npm test*", ok: true } },
  { deny: "Too many", when: { program: "git", verb: "push" }, more_than: { n: 200_000, per: "1h" } },
]);
const [session] = [memoryHistories().of({ session: "s1", parent: undefined })];
const holds = holdsAtPlace(place);
const pushes = factsOf(EVENTS["a push"]);
const lookingBack = compileRules(past);
const histories: string[][] = [];
let recorded = 0;
for (const size of [1_000, 10_000, 100_000]) {
  for (; recorded < size; recorded++) {
    const call = { ...shellCall("npm test"), tool_use_id: `call_${recorded}`, tool_response: "ok" };
    await session?.record(past, factsOf(call, "post_tool_use"), holds);
  }
  const time = await microseconds(() => judgeRules(lookingBack, pushes, { place, history: session }), 3);
  histories.push([String(size), shown(time / 1e3)]);
}
printTable("Two rules that look back", ["events of the session", "ms a decision"], histories);

/** 300 rules as the ready-made sets have them, each fifteen times about something else. */
const SET_RULES = Array.from({ length: 15 }, (_, n) => [
  { effect: "git-history", ref: `team${n}/*` },
  { effect: "git-discard", dirty: true, branch: `b${n}` },
  { program: "git", verb: "push", ref: ["main", "master", "release/*", `prod${n}`] },
  { program: "git", effect: "bypass", branch: `x${n}*` },
  { any: [{ reads: "credentials" }, { reads: `vault${n}/**` }], not: { reads: { only: `ok${n}/**` } } },
  { writes: "credentials", program: `edit${n}` },
  { effect: "reveals", reads: false, program: `p${n}` },
  { secrets: true, effect: "sends", hosts: { not_in: `h${n}.example.com` } },
  { any: [{ writes: "guards" }, { writes: [`guard${n}/**`, `*.g${n}`] }] },
  { effect: "bypass", program: `by${n}` },
  { writes: ["instructions", `docs${n}/AGENTS.md`] },
  { effect: "persistence", agent: `a${n}` },
  { effect: "remote-code", hosts: { not_in: `get${n}.example.com` } },
  { effect: "remote-code", hosts: false, agent: `a${n}` },
  { effect: "fs-delete", paths: "roots" },
  { effect: "fs-delete", writes: { not_in: ["project", "tmp", `/data/${n}/**`] } },
  { effect: "packages", agent: `a${n}` },
  { class: "writes-files", writes: ["lockfiles", `sub${n}/x.lock`] },
  { effect: ["kubernetes", "cloud"], target: { matches: `(?i)(^|[^a-z])(prod|production${n}|live)([^a-z]|$)` } },
  { safety: "destructive", effect: "cloud", target: { matches: `(?i)(^|[^a-z])prod${n}([^a-z]|$)` } },
])
  .flat()
  .map((when, index) => ({ name: `r${index}`, deny: "No", when }));
const QUESTIONS = [
  { effect: "git-history" },
  { program: "git", verb: "push", ref: "main" },
  { program: "tool3", flags: "--force" },
  { writes: "generated/3/a.txt" },
  { writes: "~/.claude/settings.json" },
  { reads: "credentials" },
  { effect: "fs-delete", writes: { not_in: ["project", "tmp", "/data/**"] } },
  { effect: ["kubernetes", "cloud"], target: "prod" },
];
const timed = async <T>(run: () => T | Promise<T>): Promise<{ result: T; time: string; processor: string }> => {
  const [before, started] = [process.cpuUsage(), performance.now()];
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return { result, time: shown(performance.now() - started), processor: shown((user + system) / 1e3) };
};
const ownSets = { paths: {}, hosts: {} };
const prover = { tables: proofTables(), samples: sampleCalls(), judge: judgeAt(place), place };
for (const [name, rules] of Object.entries({ "about different things": RULES, "of the ready-made sets": SET_RULES })) {
  const policy = placed(rules);
  const rows: string[][] = [];
  for (const question of QUESTIONS) {
    const { condition } = readQuestion(question, [], ownSets);
    if (!condition) throw new Error(JSON.stringify(question));
    const options = { asksPass: false, hooks: [], sets: ownSets };
    const { result, time, processor } = await timed(() => neverPasses(condition, policy, options, prover));
    rows.push([JSON.stringify(question).replaceAll('"', ""), result.answer, time, processor]);
  }
  const odd = await timed(() => ruleNotices(policy, { tables: prover.tables, place, effectsOf: () => [] }));
  rows.push(["validate: all rules compared", `${odd.result.length} notices`, odd.time, odd.processor]);
  printTable(`Questions about ${policy.length} rules ${name}`, ["question", "answer", "ms", "processor ms"], rows);
}

const about = (line: (n: number) => string) =>
  `rules:\n${Array.from({ length: 15 }, (_, n) => `  - ${line(n)}\n`).join("")}`;
const TESTS = [
  "effect: git-history",
  "program: git, verb: push, ref: [main, production]",
  "reads: credentials",
  "effect: packages",
  "effect: fs-delete, writes: { not_in: [project, tmp] }",
  "effect: remote-code",
  "effect: publish",
  "program: [sudo, doas]",
  'program: grep, flags: "-r"',
  "program: pip, verb: install",
  "effect: sends, sends: { not_in: [loopback, github.com] }",
  'command: ["rm -rf *", "make clean*"]',
  "writes: ci",
  'target: { matches: "(?i)prod" }',
  "program: git, flags: --no-verify",
];
const SETS = [
  "git-safety",
  "credentials",
  "guards-stay",
  "remote-code",
  "outside-deletion",
  "packages",
  "production",
  "ci",
];
const FILES: Record<string, string> = {
  "an empty hooks file": "{}\n",
  "one builtin hook": "pre_tool_use:\n  - matcher: shell\n    hooks: [{ type: builtin, command: safer_shell }]\n",
  "15 rules about other tools": about(
    (n) => `{ name: r${n}, deny: "No ({path})", when: { class: writes-files, writes: "gen${n}/**" } }`,
  ),
  "15 rules about the line": about((n) => `{ name: r${n}, deny: "No ({command})", when: { ${TESTS[n]} } }`),
  "the ready-made sets": `rules:\n${SETS.map((name) => `  - include: builtin:${name}\n`).join("")}`,
};
const [EMPTY = "", HOOK = ""] = Object.keys(FILES);
await Bun.write(join(dir, "floor.ts"), "");
Bun.spawnSync(
  [
    process.execPath,
    "build",
    "--compile",
    "--bytecode",
    "--minify",
    join(dir, "floor.ts"),
    "--outfile",
    join(dir, "floor"),
  ],
  { stdout: "ignore", stderr: "ignore" },
);
const programs: Program[] = [{ name: "floor: a compiled program that does nothing", command: [join(dir, "floor")] }];
for (const [name, text] of Object.entries(FILES)) {
  const file = join(dir, `${name.replaceAll(" ", "-")}.yaml`);
  await Bun.write(file, text);
  programs.push({
    name,
    command: [binary, "dispatch", "--hooks-file", file],
    input: JSON.stringify(shellCall("make test")),
    env: { HOME: dir, SHELL: "/bin/sh" },
  });
}
const results = await timePrograms(programs, rounds);
const of = (name: string) => results.get(name)?.leastProcessor ?? Number.NaN;
printTable(
  `Cold dispatch of a command, ${rounds} rounds, interleaved; processor time`,
  ["hooks file", "least ms", "median ms", "x empty", "x one hook", "elapsed, least ms"],
  [...results].map(([name, { leastProcessor, processor, least }]) => [
    name,
    shown(leastProcessor),
    shown(processor),
    shown(leastProcessor / of(EMPTY)),
    shown(leastProcessor / of(HOOK)),
    shown(least),
  ]),
);
await rm(dir, { recursive: true, force: true });
