import type { Help } from "../../lib/errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { strictOutputProblem } from "../../model/schema/provider-schema.ts";
import { checkModelName } from "../models/check-models.ts";
import { parseExternalReference } from "../sources/external-reference.ts";
import { checkToolset, type ToolsetNames } from "../toolsets/check-toolsets.ts";
import type { Path } from "../yaml/document.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import type { AgentConfig, AgentFileConfig } from "./agent-schema.ts";
import { inlineInstruction } from "./instruction-file.ts";

export const ROUTING_IS_NOT_CONSISTENT: Help = {
  cause:
    "The key `routing` of an agent and the hooks that route away from it, of all sources together, do not belong together, or the agent it names cannot be a target.",
  cure: "Give the agent one hook on `before_agent_run` or `after_agent_complete` and a list `routing.allowed_agents` of other agents of the same file. See [Route to another agent](hooks.md#route-to-another-agent).",
};

const SCHEMA_WITHOUT_STRICT_MODE: Help = {
  cause:
    "The JSON Schema uses something that the provider's strict mode does not take. hooksh sends it without strict mode.",
  cure: "For strict mode, give every object `additionalProperties: false`, list all its properties under `required`, give every value a `type`, and allow `null` where a value may be missing.",
};

/** Says where a file goes that has hooks and no agent. */
function hooksAdvice(file: AgentFileConfig): string {
  if ((file.hooks === undefined && file.rules === undefined) || file.agents !== undefined) return "";
  return "; a hooks file goes beside an agent (--hooks-file FILE), and `hooksh import claude` translates settings of Claude Code";
}

/**
 * Returns the names of the agents of a file as it is written; undefined if the team also has agents of other files, whose
 * names only these files know.
 */
export function namesOfAgents(agents: unknown): readonly string[] | undefined {
  if (!isObject(agents)) return [];
  const targets = Object.values(agents).flatMap((agent) =>
    isObject(agent) ? [agent["sub_agents"], agent["handoffs"], agent["force_handoff"]].flat() : [],
  );
  const isExternal = (target: unknown) =>
    typeof target === "string" && !Object.hasOwn(agents, target) && parseExternalReference(target) !== undefined;
  return targets.some(isExternal) ? undefined : Object.keys(agents);
}

/** Reports the problems of every agent that its schema cannot detect, such as references to undefined names. */
export async function checkAgents(file: AgentFileConfig, names: ToolsetNames, report: ProblemReport): Promise<void> {
  const agents = file.agents ?? {};
  if (Object.keys(agents).length === 0)
    report.problem(["agents"], `at least one agent is required${hooksAdvice(file)}`);
  for (const [name, agent] of Object.entries(agents)) {
    const path = ["agents", name];
    if (name === "" || /[/:\s]/.test(name))
      report.problem(path, "expected a name without spaces, slashes and colons", "key");
    checkAgentModels(agent, path, names, report);
    checkTargets(agent, path, Object.keys(agents), report);
    if (agent.add_prompt_files_depth && !agent.add_prompt_files?.length)
      report.notice(
        "advice",
        [...path, "add_prompt_files_depth"],
        "looks for the names in add_prompt_files, but there are none",
      );
    checkStructuredOutput(agent, [...path, "structured_output"], report);
    checkGroups(agent, path, file, report);
    for (const [index, toolset] of (agent.toolsets ?? []).entries())
      await checkToolset(toolset, [...path, "toolsets", index], names, report);
    if (inlineInstruction(agent) !== "" && agent.instruction_file !== undefined) {
      report.problem([...path, "instruction_file"], "cannot be combined with instruction", "key");
    }
    checkHandoffCycle(name, agents, report);
    checkRoutes(name, agent, agents, report);
  }
}

function checkAgentModels(agent: AgentConfig, path: Path, names: ToolsetNames, report: ProblemReport): void {
  if (agent.model !== undefined) checkModelName(agent.model, [...path, "model"], names, report);
  else if (!agent.harness) report.problem([...path, "model"], "is required");
  if (agent.compaction_model !== undefined) {
    if (agent.harness) report.problem([...path, "compaction_model"], "cannot be combined with harness", "key");
    checkModelName(agent.compaction_model, [...path, "compaction_model"], names, report);
  }
  agent.fallback?.models?.forEach((model, index) =>
    checkModelName(model, [...path, "fallback", "models", index], names, report),
  );
  checkHarness(agent, path, report);
}

function checkHarness({ harness }: AgentConfig, path: Path, report: ProblemReport): void {
  if (!harness) return;
  const only = { effort: "claude-code", agent: "opencode", thinking: "opencode" } as const;
  for (const [key, type] of Object.entries(only)) {
    if (key in harness && harness.type !== type)
      report.problem([...path, "harness", key], `is only valid for ${type}`, "key");
  }
}

function checkTargets(agent: AgentConfig, path: Path, agents: readonly string[], report: ProblemReport): void {
  const targets: [Path, string][] = [
    ...(agent.sub_agents ?? []).map((target, index): [Path, string] => [[...path, "sub_agents", index], target]),
    ...(agent.handoffs ?? []).map((target, index): [Path, string] => [[...path, "handoffs", index], target]),
    ...(agent.force_handoff === undefined ? [] : [[[...path, "force_handoff"], agent.force_handoff] as [Path, string]]),
  ];
  for (const [at, target] of targets) {
    if (agents.includes(target)) continue;
    const external = parseExternalReference(target);
    if (!external) {
      report.requireDefined(at, "agent", target, agents);
    } else if (agents.includes(external.name)) {
      report.problem(
        at,
        `an agent of this file is already called ${JSON.stringify(external.name)}; write another-name:${external.reference}`,
      );
    } else if (external.name === "" || /[:\s]/.test(external.name)) {
      report.problem(at, `cannot derive a name for this agent; write name:${external.reference}`);
    } else if (!external.pinned) {
      report.notice("advice", at, "without a digest, the content of this agent can change; pin it with @sha256:...");
    }
  }
}

function checkGroups(agent: AgentConfig, path: Path, file: AgentFileConfig, report: ProblemReport): void {
  const groups = [
    ["use_toolsets", "toolset group", file.toolsets],
    ["use_commands", "command group", file.commands],
    ["use_skills", "skill group", file.skills],
    ["budgets", "budget", file.budgets],
  ] as const;
  for (const [key, kind, defined] of groups) {
    agent[key]?.forEach((name, index) =>
      report.requireDefined([...path, key, index], kind, name, Object.keys(defined ?? {})),
    );
  }
  if (!Array.isArray(agent.skills)) return;
  agent.skills.forEach((skill, index) => {
    if (typeof skill === "string") return;
    const at = [...path, "skills", index];
    if (skill.toolsets && skill.context !== "fork")
      report.problem([...at, "toolsets"], "is only valid with context: fork", "key");
    skill.toolsets?.forEach((name, place) =>
      report.requireDefined([...at, "toolsets", place], "toolset group", name, Object.keys(file.toolsets ?? {})),
    );
  });
}

/** Reports a schema that is not for objects. Adds a notice for a `strict` schema that strict mode does not support. */
function checkStructuredOutput({ structured_output: output }: AgentConfig, path: Path, report: ProblemReport): void {
  if (output?.mode === "tool")
    report.notice(
      "advice",
      [...path, "mode"],
      "not supported yet: hooksh uses the provider's own support, as native does",
    );
  const { type } = output?.schema ?? {};
  if (type !== undefined && ![type].flat().includes("object")) {
    report.problem(
      [...path, "schema", "type"],
      `expected "object" but got ${JSON.stringify(type)}: the answer must be an object; put other values into its properties`,
    );
    return;
  }
  if (output?.strict !== true) return;
  const problem = strictOutputProblem(output.schema as JsonObject);
  if (problem !== undefined)
    report.notice(
      "advice",
      [...path, "strict"],
      `sent without strict, because strict mode does not support this schema: ${problem}`,
      SCHEMA_WITHOUT_STRICT_MODE,
    );
}

/** Reports a cycle of forced handoffs, in which a conversation would never end. */
function checkHandoffCycle(name: string, agents: Readonly<Record<string, AgentConfig>>, report: ProblemReport): void {
  const seen = [name];
  for (let next = agents[name]?.force_handoff; next !== undefined; next = agents[next]?.force_handoff) {
    if (next === name)
      return report.problem(
        ["agents", name, "force_handoff"],
        `leads back to this agent: ${[...seen, name].join(" -> ")}`,
      );
    if (seen.includes(next)) return;
    seen.push(next);
  }
}

/** Reports agents that hooks on this one could not, or must not, route to. */
function checkRoutes(
  name: string,
  { routing, harness }: AgentConfig,
  agents: Readonly<Record<string, AgentConfig>>,
  report: ProblemReport,
): void {
  if (!routing) return;
  const owner = ["agents", name];
  const problem = (path: Path, message: string) =>
    report.problems.push({
      path: [...owner, "routing", ...path],
      printedPath: owner,
      message,
      help: ROUTING_IS_NOT_CONSISTENT,
    });
  const { allowed_agents: allowed, default_agent: chosen } = routing;
  if (harness) problem([], "routing hooks are not supported on harness agents");
  if (allowed.length === 0) problem(["allowed_agents"], "routing.allowed_agents must not be empty");
  for (const [index, target] of allowed.entries()) {
    const shown = JSON.stringify(target);
    const at = ["allowed_agents", index];
    if (allowed.indexOf(target) < index) problem(at, `routing.allowed_agents lists ${shown} more than once`);
    else if (target === name) problem(at, `routing.allowed_agents must not include the agent itself (${shown})`);
    else if (!Object.hasOwn(agents, target))
      problem(at, `routing.allowed_agents references unknown local agent ${shown}`);
    else if (agents[target]?.harness)
      problem(at, `routing.allowed_agents: harness agent ${shown} cannot be a route target`);
  }
  if (chosen !== undefined && !allowed.includes(chosen))
    problem(["default_agent"], `routing.default_agent ${JSON.stringify(chosen)} must be in routing.allowed_agents`);
}
