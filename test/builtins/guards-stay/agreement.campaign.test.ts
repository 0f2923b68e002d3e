import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { run } from "../../../builtins/guards_stay.ts";
import { isHarmless } from "../../../builtins/guards-stay/first-look.ts";
import { Judge } from "../../../builtins/guards-stay/judge.ts";
import type { PathValue } from "../../../src/facts/facts.ts";
import { type Place, placeOf } from "../../../src/facts/place.ts";
import { pathTest } from "../../../src/facts/sets/path-test.ts";
import { type ShellStep, shellSteps } from "../../../src/facts/shell-steps.ts";
import type { BuiltinContext, BuiltinInput } from "../../../src/protocol/builtin.ts";
import { ALL_LINES } from "../../shell/steps/agreement-lines.ts";
import { env, fillSandbox, home, linesOf, project } from "./sandbox.ts";

const CORPUS = ["changes.txt", "everyday.txt", "opaque.txt"].flatMap(linesOf);
const LINES = [...new Set([...CORPUS.map((line) => line.replace(/^ask /, "")), ...ALL_LINES])];

const POLICY = ["hooks.yaml", "scripts/guard.sh"].map((name) => join(project, name));
const context = {
  env,
  directories: { config: join(home, ".config/hooksh"), data: join(home, ".hooksh") },
} as unknown as BuiltinContext;

let place: Place;
let inGuards: ReturnType<typeof pathTest>;

beforeAll(() => {
  fillSandbox();
  place = placeOf({ cwd: project, ...context, policy: POLICY });
  inGuards = pathTest(["guards"], { own: { paths: {} }, place });
});

const inputOf = (cmd: string): BuiltinInput => ({
  hook_event_name: "pre_tool_use",
  session_id: "s",
  cwd: project,
  tool_name: "shell",
  tool_input: { cmd },
});

/** What a call is refused or asked for, as the builtin says it. */
function findingsOf(line: string): string[] {
  return new Judge(inputOf(line), POLICY, context).findings().map(({ reason }) => reason);
}

/** Why the condition `writes: guards` of a rule says something else than the builtin; undefined if nothing explains it. */
function differenceOf(steps: readonly ShellStep[], findings: readonly string[]): string | undefined {
  const writes = steps.flatMap((step) => step.writes);
  const hits = writes.filter(isHit);
  if (hits.length > 0 && findings.length === 0)
    return hits.every(({ extent, elsewhere, among }) => extent !== "itself" || elsewhere || among)
      ? "a rule also counts directories in which no guard is yet"
      : undefined;
  if (findings.every((reason) => reason.includes("it starts every shell")))
    return "a start file counts if it names hooksh";
  if (findings.some((reason) => !reason.includes("which is guarded"))) return "no file is changed, but hooksh evaded";
  const below = writes.some(({ among, extent }) => among !== undefined || extent === "below");
  if (below) return "only the files below a directory tell";
  return steps.some(({ mayWrite }) => mayWrite.length > 0) ? "the table of programs does not say" : undefined;
}

function isHit(value: PathValue): boolean {
  return ["all", "some"].includes(inGuards(value, "either"));
}

test("the builtin and a rule agree on every line, or a difference has a known cause", () => {
  const causes = new Map<string, string[]>();
  for (const line of LINES) {
    const { steps, complete } = shellSteps(line, { place, directory: "", posix: true });
    const findings = findingsOf(line);
    const isDenied = !complete || steps.some((step) => !step.allowOnly && step.writes.some(isHit));
    if (isDenied === findings.length > 0) continue;
    const cause = differenceOf(steps, findings) ?? "none";
    causes.set(cause, [...(causes.get(cause) ?? []), line]);
  }
  expect(causes.get("none") ?? []).toEqual([]);
  // Each cause is still one.
  expect([...causes.keys()].toSorted()).toEqual([
    "a rule also counts directories in which no guard is yet",
    "a start file counts if it names hooksh",
    "no file is changed, but hooksh evaded",
    "only the files below a directory tell",
    "the table of programs does not say",
  ]);
});

test("a line that is harmless at first sight is not refused after a full look", () => {
  const lines = LINES.filter(isHarmless);
  expect(lines.filter((line) => findingsOf(line).length > 0)).toEqual([]);
  expect(lines.length).toBeGreaterThan(50);
});

test("the builtin answers with the first denial, else with the first question", async () => {
  const answer = async (line: string) => (await run(inputOf(line), POLICY, context))?.hook_specific_output;
  expect(await answer("git merge x; rm hooks.yaml")).toMatchObject({ permission_decision: "deny" });
  expect(await answer("git merge change; ls")).toMatchObject({ permission_decision: "ask" });
  expect(await answer("git status")).toBeUndefined();
});
