import type { Agent as AgentSetup } from "../../config/agent/resolve-agent.ts";
import { matchesGlob } from "../../lib/files/glob.ts";
import type { Model } from "../../model/model.ts";
import type { Toolset } from "../../tools/tool.ts";
import type { AgentSkill, ForkSettings, Skill, SkillScope } from "../agent/skill.ts";

/** The sources of the skills of an agent. */
export interface SkillSources {
  /** Returns the skills of the user and the project. */
  local: () => Promise<readonly Skill[]>;
  /** Returns the skills published under a URL. */
  remote: (url: string) => Promise<readonly Skill[]>;
  /** Returns the started toolsets of a group of the agent file; undefined if the group is not defined. */
  toolsets: (group: string) => Promise<readonly Toolset[]> | undefined;
  /** Returns the model of a reference; undefined if it cannot be used. */
  model: (reference: string) => Model | undefined;
  warn: (message: string) => void;
}

/**
 * Returns the skills that the `skills` key of an agent selects. Among skills of the same name, one in the agent file
 * wins over a local one, and a local one over those of URLs, of which the first listed wins.
 */
export async function assembleSkills(setup: AgentSetup, sources: SkillSources): Promise<AgentSkill[]> {
  const skills = new Map<string, Skill>();
  for (const skill of [...(await foundSkills(setup, sources)), ...inlineSkills(setup)]) skills.set(skill.name, skill);
  return Promise.all([...skills.values()].map((skill) => withScope(skill, sources)));
}

async function foundSkills({ name: agent, skills }: AgentSetup, sources: SkillSources): Promise<readonly Skill[]> {
  const { local } = sources;
  const warn = (message: string) => sources.warn(`agents.${agent}.skills: ${message}`);
  if (typeof skills === "boolean") return skills ? local() : [];
  const { urls, names, isLocal } = selectionOf(skills);
  const fetched = await Promise.all(urls.toReversed().map((url) => sources.remote(url)));
  const found = [...fetched.flat(), ...(isLocal ? await local() : [])];
  for (const name of missingNames(names, found)) warn(noSuchSkill(name));
  return names.length === 0 ? found : found.filter(({ name }) => names.includes(name));
}

/** The skills that a list selects besides its own: all of these URLs and, if `isLocal`, of this machine, or only `names`. */
interface Selection {
  urls: readonly string[];
  names: readonly string[];
  isLocal: boolean;
}

/** Reads the texts in a list of skills. */
export function selectionOf(skills: Exclude<AgentSetup["skills"], boolean>): Selection {
  const words = skills.filter((entry) => typeof entry === "string");
  const urls = words.filter((word) => /^https?:\/\//.test(word));
  const names = words.filter((word) => word !== "local" && !urls.includes(word));
  return { urls, names, isLocal: words.includes("local") || (urls.length === 0 && names.length > 0) };
}

export function missingNames(names: readonly string[], found: readonly Skill[]): string[] {
  return names.filter((name) => !found.some((skill) => skill.name === name));
}

export function noSuchSkill(name: string): string {
  return `there is no skill ${JSON.stringify(name)}`;
}

function inlineSkills({ skills }: AgentSetup): Skill[] {
  if (typeof skills === "boolean") return [];
  return skills
    .filter((entry) => typeof entry !== "string")
    .map((entry) => {
      const { name, description, instructions, context, model, allowed_tools: allowedTools, toolsets = [] } = entry;
      const fork = { toolsets, ...(model ? { model } : {}), ...(allowedTools ? { allowedTools } : {}) };
      return { name, description, text: { kind: "inline", instructions }, files: [], ...(context ? { fork } : {}) };
    });
}

async function withScope(skill: Skill, sources: SkillSources): Promise<AgentSkill> {
  return skill.fork ? { ...skill, scope: await scopeOf(skill.name, skill.fork, sources) } : skill;
}

async function scopeOf(name: string, fork: ForkSettings, sources: SkillSources): Promise<SkillScope> {
  const { model, allowedTools, toolsets } = fork;
  const groups = await Promise.all(
    toolsets.map(async (group) => {
      const found = await sources.toolsets(group);
      if (!found) sources.warn(`the skill ${name}: no toolset group ${JSON.stringify(group)} is defined`);
      return found ?? [];
    }),
  );
  const chosen = model === undefined ? undefined : sources.model(model);
  return {
    allows: (tool) => allowedTools?.some((glob) => matchesGlob(glob, tool)) ?? true,
    toolsets: groups.flat(),
    ...(chosen ? { model: chosen } : {}),
  };
}
