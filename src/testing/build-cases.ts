import { isAbsolute } from "node:path";
import { hookNames } from "../config/hooks/hook-names.ts";
import { toolsOfAgent } from "../config/notices/known-tools.ts";
import { BUILT_IN_TOOLS, builtInToolFor } from "../config/toolsets/built-in-tools.ts";
import type { Document, Path } from "../config/yaml/document.ts";
import { ProblemReport } from "../config/yaml/problem-report.ts";
import { type CompiledHook, compileHooks } from "../engine/match.ts";
import { nearest } from "../lib/text/nearest.ts";
import { literalNames } from "../pattern/pattern.ts";
import { buildStep, type Layer } from "./build-step.ts";
import { cannotRun, checkExpectedHooks, hooksNamed } from "./check-hook-names.ts";
import type { Double } from "./doubles.ts";
import { eachReferences, itemText, withItem } from "./each.ts";
import { FAULT_KINDS, type FaultKind } from "./faults.ts";
import { readStub } from "./stub-answer.ts";
import type { RecordingTest, TestCase, TestStep } from "./test-case.ts";
import type { TestHooks } from "./test-hooks.ts";
import type { TestFileValue, WrittenTest } from "./test-schema.ts";

/** The parts that all cases of a file share. */
export interface FileSource {
  /** The path in messages. */
  name: string;
  document: Document;
  /** The absolute folder of the file. */
  directory: string;
  hooks: TestHooks;
}

/** The cases of a file, and the problems of its tests. */
export interface BuiltCases {
  cases: TestCase[];
  recordings: RecordingTest[];
  report: ProblemReport;
}

export function buildCases(file: TestFileValue, source: FileSource): BuiltCases {
  const report = new ProblemReport();
  const builder: Builder = { file, source, report, compiled: compileHooks(source.hooks.entries) };
  const stubs = readStubs(file.stubs, ["stubs"], builder);
  const built: BuiltCases = { cases: [], recordings: [], report };
  file.tests.forEach((test, index) => {
    const at = ["tests", index];
    const doubles = new Map([...stubs, ...readStubs(test.stubs, [...at, "stubs"], builder)]);
    if (test.from === undefined) built.cases.push(...casesOf(test, at, doubles, builder));
    else built.recordings.push(recordingOf(test, at, doubles, builder));
  });
  return built;
}

interface Builder {
  file: TestFileValue;
  source: FileSource;
  report: ProblemReport;
  compiled: readonly CompiledHook[];
}

type Doubles = Map<string, Double>;

/** The hook and the kind of a fault, for one case. */
interface CaseFault {
  hooks: readonly string[];
  kind: FaultKind;
}

function casesOf(test: WrittenTest, at: Path, doubles: Doubles, builder: Builder): TestCase[] {
  if (test.verdicts !== undefined)
    builder.report.problem([...at, "verdicts"], "needs from: it holds the verdicts of recorded events", "key");
  if (![test, ...(test.session ?? [])].some(({ expect }) => Object.keys(expect ?? {}).length > 0)) {
    builder.report.problem(at, "the test expects nothing: add expect, such as {decision: deny}");
    return [];
  }
  for (const name of Object.keys(test.files ?? {})) {
    if (isAbsolute(name) || name.split(/[/\\]/).includes(".."))
      builder.report.problem([...at, "files", name], "expected a relative path inside the working directory", "key");
  }
  const { each: _items, name: _name, ...rest } = test;
  if (test.each && eachReferences([rest, builder.file.defaults]).length === 0)
    builder.report.problem([...at, "each"], 'the test does not use the items: write "$each" where one belongs', "key");
  const items = test.each?.map((value) => ({ value })) ?? [undefined];
  const faults = faultsOf(test, at, builder);
  return items.flatMap((item) => faults.flatMap((fault) => caseOf({ test, at, doubles, item, fault }, builder) ?? []));
}

interface CaseSource {
  test: WrittenTest;
  at: Path;
  doubles: Doubles;
  item: { value: unknown } | undefined;
  fault: CaseFault | undefined;
}

function caseOf({ test, at, doubles, item, fault }: CaseSource, builder: Builder): TestCase | undefined {
  const { source, report, file, compiled } = builder;
  const before = report.problems.length;
  const steps = stepsOf(test, at, file).flatMap((layers) => {
    const { directory } = source;
    return (
      buildStep({ layers, ...(item ? { item } : {}), directory, hasFiles: test.files !== undefined }, report) ?? []
    );
  });
  for (const step of steps) {
    checkTool(step, source.hooks, compiled, report);
    checkExpectedHooks(step, { hooks: compiled, rules: source.hooks.rules }, report);
  }
  if (fault) checkFault(fault, steps, at, builder);
  if (report.problems.length > before) return undefined;
  const failing = (fault?.hooks ?? []).map((name) => [name, { fault: fault?.kind ?? "missing" }] as const);
  return {
    ...common(test, at, builder),
    name: caseName(test, steps, item, fault),
    doubles: new Map<string, Double>([...doubles, ...failing]),
    steps,
    ...(item ? { item } : {}),
    workingDir: test.files ? undefined : source.directory,
    ...(test.files ? { files: test.files } : {}),
  };
}

/** The layers of every step: those of `session`, then the test itself if it expects anything. */
function stepsOf(test: WrittenTest, at: Path, file: TestFileValue): Layer[][] {
  const { name: _name, each: _each, session = [], ...own } = test;
  const { expect: _expect, ...shared } = own;
  const defaults: Layer = { value: file.defaults ?? {}, path: ["defaults"], isShared: true };
  const steps = session.map((step, index): Layer[] => [
    defaults,
    { value: shared, path: at, isShared: true },
    { value: step, path: [...at, "session", index], isShared: false },
  ]);
  return test.expect ? [...steps, [defaults, { value: own, path: at, isShared: false }]] : steps;
}

function faultsOf({ fault }: WrittenTest, at: Path, { compiled, report }: Builder): (CaseFault | undefined)[] {
  if (!fault) return [undefined];
  const hooks = [fault.hook].flat();
  for (const name of hooks) hooksNamed(name, compiled, [...at, "fault", "hook"], report);
  return (fault.kinds ?? FAULT_KINDS).map((kind) => ({ hooks, kind }));
}

function checkFault({ hooks }: CaseFault, steps: readonly TestStep[], at: Path, { compiled, report }: Builder): void {
  for (const name of hooks) {
    const found = compiled.filter(({ entry }) => hookNames(entry.hook).includes(name));
    const problems = steps.map((step) => cannotRun(name, found, compiled, step));
    const [problem] = problems;
    if (found.length > 0 && problem !== undefined && problems.every((each) => each !== undefined))
      report.problem([...at, "fault", "hook"], problem);
  }
}

function readStubs(stubs: WrittenTest["stubs"], at: Path, { compiled, report }: Builder): Doubles {
  const doubles: Doubles = new Map();
  for (const [name, value] of Object.entries(stubs ?? {})) {
    const path = [...at, name];
    for (const { entry } of hooksNamed(name, compiled, path, report, { place: "key" })) {
      const stub = readStub(value, entry.event);
      if (typeof stub === "string") report.problem(path, stub);
      else doubles.set(name, stub);
    }
  }
  return doubles;
}

function recordingOf(test: WrittenTest, at: Path, doubles: Doubles, builder: Builder): RecordingTest {
  const allowed = ["name", "from", "verdicts", "stubs", "env", "skip", "only"];
  for (const key of Object.keys(test).filter((name) => !allowed.includes(name)))
    builder.report.problem([...at, key], `has no meaning beside from; known keys are ${allowed.join(", ")}`, "key");
  const from = [test.from ?? []].flat();
  const { directory } = builder.source;
  const name = test.name ?? from.join(", ");
  return { ...common(test, at, builder), name, directory, doubles, from, verdicts: test.verdicts };
}

function common({ env, skip, only }: WrittenTest, at: Path, { source, file }: Builder) {
  return {
    file: source.name,
    document: source.document,
    path: at,
    entries: source.hooks.entries,
    rules: source.hooks.rules,
    routes: source.hooks.agent?.routes,
    env: { ...file.defaults?.env, ...env },
    ...(skip === undefined || skip === false ? {} : { skip: skip === true ? "" : skip }),
    only: only ?? false,
  };
}

function caseName(
  test: WrittenTest,
  steps: readonly TestStep[],
  item: CaseSource["item"],
  fault: CaseSource["fault"],
): string {
  const name = test.name ?? summary(steps.at(-1));
  const isNamed = item !== undefined && eachReferences(name).length > 0;
  const marks = [...(item && !isNamed ? [itemText(item.value)] : []), ...(fault ? [fault.kind] : [])];
  return [itemText(isNamed ? withItem(name, item.value) : name), ...marks.map((mark) => `[${mark}]`)].join(" ");
}

/** Names a test that has no name by its event. */
function summary(step: TestStep | undefined): string {
  const { tool_name: tool, tool_input: input, prompt } = step?.payload ?? {};
  return [step?.event, tool, input ?? prompt]
    .filter((part) => part !== undefined)
    .map(itemText)
    .join(" ");
}

/**
 * Reports a tool name that looks mistyped: it is not a tool of hooksh or of the agent, nor one that a matcher names, and
 * close to one of those, or the name of such a tool in another agent.
 */
function checkTool(
  { payload, path }: TestStep,
  { agent }: TestHooks,
  hooks: readonly CompiledHook[],
  report: ProblemReport,
): void {
  const tool = payload["tool_name"];
  if (typeof tool !== "string") return;
  const known = new Set([
    ...BUILT_IN_TOOLS,
    ...(agent ? toolsOfAgent(agent.agent, agent.file).names : []),
    ...hooks.flatMap(({ entry }) => literalNames(entry.matcher) ?? []),
  ]);
  if (known.has(tool)) return;
  const close = builtInToolFor(tool) ?? nearest(tool, known);
  if (close !== undefined)
    report.problem([...path, "tool"], `unknown tool ${JSON.stringify(tool)}, did you mean ${close}?`);
}
