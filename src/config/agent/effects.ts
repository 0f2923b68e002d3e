import { isObject } from "../../lib/json.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { rowOf } from "../../tools/index.ts";
import { otherKeys } from "../../tools/toolset-row.ts";
import { HOOK_CHECKS } from "../hooks/hook-checks.ts";
import { type HookEntry, readHooks } from "../hooks/read-hooks.ts";
import type { ToolsetConfig } from "../toolsets/toolset-schema.ts";
import { pathText } from "../yaml/document.ts";
import type { AgentFile } from "./agent-file.ts";
import { readVariables } from "./read-variables.ts";
import type { Agent, RuleKeys } from "./resolve-agent.ts";

/**
 * Lists what an agent file can do on this machine, one line each, in the order of the file: hooks, tools, endpoints
 * that receive the conversation or a key, variables it reads, and rules that let tools run without asking. Empty if
 * the agents can only talk. Quotes values of the file as JSON, so that a value cannot imitate a second line.
 */
export function describeEffects(file: AgentFile): string[] {
  const lines = [
    ...hookLines("hooks", file.hooks),
    ...allowingRules(file.ruleKeys),
    ...file.agents.flatMap((agent) => agentLines(agent)),
    ...Object.entries(file.toolsets).flatMap(([name, toolset]) => toolsetLines(`toolsets.${name}`, toolset)),
    ...endpointLines(file),
    ...evaluatorLines(file),
    ...file.permissions.allow.map((rule) => `permissions: runs without asking: ${quoted(rule)}`),
    ...safetyLines("runtime.safety", file.safety),
    ...readVariables(file).map((name) => `reads the variable ${name}`),
  ];
  return [...new Set(lines.map(escapeControls))];
}

function quoted(value: unknown): string {
  return JSON.stringify(value);
}

function agentLines(agent: Agent): string[] {
  const where = `agents.${agent.name}`;
  const { skills } = agent;
  return [
    ...hookLines(`${where}.hooks`, agent.hooks),
    ...agent.toolsets.flatMap((toolset, index) => toolsetLines(`${where}.toolsets[${index}]`, toolset)),
    ...(Array.isArray(skills) ? skills : []).flatMap((skill) =>
      typeof skill === "string" && skill !== "local"
        ? [`${where}.skills: takes instructions from ${quoted(skill)}`]
        : [],
    ),
    ...(skills === true || (Array.isArray(skills) && skills.includes("local"))
      ? [`${where}.skills: uses the skills of this machine`]
      : []),
    ...(agent.add_prompt_files ?? []).map((name) => `${where}.add_prompt_files: reads ${quoted(name)}`),
    ...guardLines(`${where}.max_guard_retries`, agent.max_guard_retries),
    ...redactionLines(`${where}.redact_secrets`, agent.redact_secrets),
    ...safetyLines(`${where}.safety`, agent.safety),
    ...(agent.harness ? [`${where}.harness: runs ${quoted(agent.harness.type)}`] : []),
  ];
}

function hookLines(where: string, hooks: unknown): string[] {
  const { entries } = readHooks(hooks, [], HOOK_CHECKS);
  return entries.map((entry) => `${where}.${pathText(entry.path)}: ${hookText(entry)}`);
}

/** Lists the rules that let calls run without asking; all others only restrict. */
function allowingRules({ rules }: RuleKeys): string[] {
  const list: unknown[] = Array.isArray(rules) ? rules : [];
  return list.flatMap((rule, index) =>
    isObject(rule) && "allow" in rule ? [`rules[${index}]: runs without asking: ${quoted(rule)}`] : [],
  );
}

function guardLines(where: string, retries: number | undefined): string[] {
  return retries === 0 ? [`${where}: lets the agent stop although stop_guard hooks refuse`] : [];
}

function redactionLines(where: string, redaction: Agent["redact_secrets"]): string[] {
  if (redaction === false) return [`${where}: leaves secrets in what the model sees`];
  const isLower = typeof redaction === "object" && redaction.generic === "off";
  return isLower ? [`${where}.generic: leaves credentials without a vendor's mark in what the model sees`] : [];
}

function safetyLines(where: string, mode: string | undefined): string[] {
  if (mode === "autonomous") return [`${where}: runs every tool without asking`];
  return mode === "balanced" || mode === "restricted" ? [`${where}: runs what looks safe without asking`] : [];
}

function hookText({ matcher, hook }: HookEntry | Omit<HookEntry, "source">): string {
  const { type, command, args, env, model, prompt, working_dir, evaluator } = hook;
  const on = matcher === "" ? "" : ` (on ${quoted(matcher)})`;
  const details = {
    ...(args.length > 0 ? { args } : {}),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(working_dir ? { working_dir } : {}),
  };
  const more = Object.keys(details).length > 0 ? ` ${quoted(details)}` : "";
  switch (type) {
    case "command":
      return `runs ${quoted(command)}${more}${on}`;
    case "builtin":
      return `uses ${quoted(command)}${more}${on}`;
    case "model":
      return `asks ${quoted(model)}: ${quoted(prompt)}${on}`;
    case "evaluator":
      return `asks the evaluator ${quoted(evaluator)}${on}`;
    default:
      return `${quoted(hook)}${on}`;
  }
}

function toolsetLines(where: string, toolset: ToolsetConfig): string[] {
  const { effects } = rowOf(toolset);
  if (effects === "none") return [];
  const lines = effects?.(toolset) ?? [];
  if (lines.length > 0) return lines.map((line) => `${where}: ${line}`);
  return [`${where}: tools ${toolset.type}${otherKeys(toolset)}`];
}

/** Each evaluator sends what its hooks see to a service, also to one that is known. */
function evaluatorLines({ evaluators }: AgentFile): string[] {
  return Object.values(evaluators).map(
    ({ name, endpoint, tokenKey, instructions }) =>
      `evaluators.${name}: sends tool calls, or requests and answers, to ${quoted(endpoint)}, with the key in ${quoted(tokenKey)}: ${quoted(instructions)}`,
  );
}

/**
 * The endpoints and keys that the file itself names. Those of known providers are left out: the user sets their keys.
 */
function endpointLines(file: AgentFile): string[] {
  const { value } = file.document;
  const own = isObject(value) && isObject(value["providers"]) ? Object.keys(value["providers"]) : [];
  const providers = Object.entries(file.providers).filter(([name]) => own.includes(name));
  const named = [
    ...providers.map(([name, provider]) => [`providers.${name}`, provider] as const),
    ...Object.entries(file.models).map(([name, model]) => [`models.${name}`, model] as const),
  ];
  return named.flatMap(([where, { base_url: url, token_key: key, provider_opts: options }]) => [
    ...(url
      ? [`${where}: sends the conversation to ${quoted(url)}${key ? `, with the key in ${quoted(key)}` : ""}`]
      : []),
    ...(!url && key ? [`${where}: sends the key in ${quoted(key)}`] : []),
    ...(options && Object.keys(options).length > 0 ? [`${where}: ${quoted(options)}`] : []),
  ]);
}
