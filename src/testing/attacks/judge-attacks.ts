import type { LoadedAgentHooks } from "../../config/agent/agent-hooks.ts";
import { displayName } from "../../config/hooks/read-hooks.ts";
import { toolsOfAgent } from "../../config/notices/known-tools.ts";
import type { HookRun } from "../../engine/dispatch-record.ts";
import { cutMiddle } from "../../lib/text/cut-text.ts";
import { callForRules, judgeByRules } from "../../runtime/permissions/permissions.ts";
import { judgeByMode, labelOf, teamAskRulesApply } from "../../runtime/tool-calls/safety.ts";
import type { Tool } from "../../tools/tool.ts";
import { decidersOf } from "../expectations.ts";
import type { Observed } from "../observed.ts";
import type { CaseResult } from "../run-case.ts";
import type { TestCase } from "../test-case.ts";
import type { TestHooks } from "../test-hooks.ts";
import type { Attack } from "./attack.ts";

/**
 * What becomes of an attack: `denied` and `asked` by a hook, a rule or the safety mode; `allowed` by one of them;
 * `no opinion`: none of them said anything; `no tool`: the agent has no such tool; `failed`: the hooks could not be run,
 * or refused only because one of them failed, which says nothing about what it guards.
 */
export const ATTACK_OUTCOMES = ["denied", "asked", "allowed", "no opinion", "no tool", "failed"] as const;

export type AttackOutcome = (typeof ATTACK_OUTCOMES)[number];

export interface JudgedAttack extends Attack {
  category: string;
  outcome: AttackOutcome;
  /** What decided: the names of hooks, `permissions.deny`, `safety: restricted` ...; of hooks that failed with the error. */
  by: readonly string[];
  /** What the safety modes take the call for. */
  label: "safe" | "destructive" | "unknown";
}

/** The guards of an agent other than its hooks, each only if its file sets it. */
interface OtherGuards {
  agent: LoadedAgentHooks | undefined;
  tools: ReadonlyMap<string, Tool>;
}

/** Returns a case for each attack. Hooks read it as an event `pre_tool_use`; nothing runs the call. */
export function attackCase(
  { tool, input }: Attack,
  hooks: TestHooks,
  like: Omit<TestCase, "name" | "steps">,
): TestCase {
  const payload = { tool_name: tool, tool_input: { ...input } };
  const name = `${tool} ${JSON.stringify(input)}`;
  return { ...like, name, entries: hooks.entries, steps: [{ event: "pre_tool_use", payload, expect: {}, path: [] }] };
}

/** Combines the verdict of the hooks with those of the permission rules and the safety mode. Pure. */
export function judgeAttack(
  attack: Attack & { category: string },
  { observed, error }: Pick<CaseResult, "observed" | "error">,
  { agent, tools }: OtherGuards,
): JudgedAttack {
  const tool = tools.get(attack.tool);
  const label = tool ? labelOf(tool, attack.input).label : "unknown";
  const [seen] = observed;
  const judged = (outcome: AttackOutcome, by: readonly string[] = []) => ({ ...attack, outcome, by, label });
  if (agent && !toolsOfAgent(agent.agent, agent.file).names.includes(attack.tool)) return judged("no tool");
  if (!seen || error !== undefined) return judged("failed", error === undefined ? [] : [error]);
  const rule = agent && tool ? judgeByRules(agent.file.permissions, callForRules(tool, attack.input)) : undefined;
  const mode = agent?.agent.safety ?? agent?.file.safety;
  const byMode =
    rule === undefined || (rule === "ask" && !teamAskRulesApply(mode)) ? judgeByMode(mode, () => label).kind : "open";
  const hooks = seen.decision;
  const isRefused = hooks === "deny" || hooks === "block";
  const working = isRefused
    ? [
        ...seen.rules.filter(({ decided }) => decided).map(({ name }) => name),
        ...refusing(seen, (run) => run.outcome.kind !== "failed").map(nameOf),
      ]
    : [];
  if (working.length > 0) return judged("denied", [...new Set(working)]);
  if (rule === "deny") return judged("denied", ["permissions.deny"]);
  if (byMode === "deny") return judged("denied", [`safety: ${mode}`]);
  if (isRefused) return judged("failed", [...new Set(refusing(seen).map(nameWithError))]);
  if (hooks === "ask") return judged("asked", decidersOf(seen));
  if (rule === "ask" && teamAskRulesApply(mode)) return judged("asked", ["permissions.ask"]);
  if (rule === "allow") return judged("allowed", ["permissions.allow"]);
  if (byMode === "allow") return judged("allowed", [`safety: ${mode}`]);
  if (hooks === "allow") return judged("allowed", decidersOf(seen));
  if (agent && mode === undefined && tool?.readOnly) return judged("allowed", ["a tool that only reads"]);
  return judged("no opinion");
}

/** True if nothing stopped the attack. */
export function passes({ outcome }: Pick<JudgedAttack, "outcome">): boolean {
  return outcome === "allowed" || outcome === "no opinion" || outcome === "failed";
}

/** Returns the built-in tools that attacks use, by name. They are created and never called. */
export async function attackTools(workingDir: string): Promise<ReadonlyMap<string, Tool>> {
  const { TOOLSETS } = await import("../../tools/index.ts");
  const context = { workingDir, env: {}, dataDir: workingDir, log: () => {}, warn: () => {} };
  const { shell, background_jobs: jobs, filesystem, fetch, memory } = TOOLSETS;
  const created = await Promise.all([
    shell.load().then((module) => module.create({}, context)),
    jobs.load().then((module) => module.create({}, context)),
    filesystem.load().then((module) => module.create({}, context)),
    fetch.load().then((module) => module.create({})),
    memory.load().then((module) => module.create({}, context)),
  ]);
  return new Map(created.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool] as const)));
}

/** The runs that refused the call. */
function refusing({ runs }: Observed, accepts: (run: HookRun) => boolean = () => true): HookRun[] {
  return runs.filter((run) => !run.observes && ["deny", "block"].includes(run.decision) && accepts(run));
}

function nameOf({ hook }: HookRun): string {
  return displayName(hook.entry.hook);
}

function nameWithError(run: HookRun): string {
  const { outcome } = run;
  return outcome.kind === "failed"
    ? `${nameOf(run)}: ${cutMiddle(outcome.error, 200).replace(/\s+/g, " ")}`
    : nameOf(run);
}
