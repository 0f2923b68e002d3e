import type { Model } from "../../model/model.ts";
import type { Toolset } from "../../tools/tool.ts";

/** The tools and the model of a forked skill. */
export interface SkillScope {
  /** True for a tool of the agent that the skill may use. */
  allows(toolName: string): boolean;
  /** Its own toolsets, in addition to the agent's. */
  toolsets: readonly Toolset[];
  /** Replaces the agent's model. */
  model?: Model;
}

/** Settings of a forked skill, which runs in its own session. */
export interface ForkSettings {
  /** A reference to the model that replaces the agent's. */
  model?: string;
  /** Globs on the names of the agent's tools that it may use; all if absent. */
  allowedTools?: readonly string[];
  /** Toolset groups of the agent file that it gets in addition. */
  toolsets: readonly string[];
}

/** Where the text of a skill is: in the agent file, or in the `SKILL.md` of a folder. */
export type SkillText =
  | { kind: "inline"; instructions: string }
  | { kind: "local"; folder: string }
  /** Fetched from a URL into a folder; its commands do not run. */
  | { kind: "remote"; folder: string; source: string };

/** Instructions that an agent can read when it needs them. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly text: SkillText;
  readonly fork?: ForkSettings;
  /** The files besides its `SKILL.md`, relative to the folder, separated by `/`. */
  readonly files: readonly string[];
}

/** A skill of an agent, with the tools and the model it refers to. */
export interface AgentSkill extends Skill {
  /** Set for a forked skill. */
  readonly scope?: SkillScope;
}

/** Returns the message that lists the skills for a model. */
export function skillsMessage(skills: readonly Skill[]): string {
  const lines = skills.flatMap(({ name, description, fork, files }) => [
    "  <skill>",
    `    <name>${escape(name)}</name>`,
    `    <description>${escape(description)}</description>`,
    ...(fork ? ["    <mode>forked</mode>"] : []),
    ...(files.length > 0 ? [`    <files>${escape(files.join(", "))}</files>`] : []),
    "  </skill>",
  ]);
  return ["<available_skills>", ...lines, "</available_skills>", "", ADVICE].join("\n");
}

const ADVICE =
  "Before you start work that one of these skills covers, read the skill with `read_skill`; give a forked " +
  "one its task with `run_skill` instead.";

function escape(text: string): string {
  return text.replace(/[&<>]/g, (char) => ({ "&": "&amp;", "<": "&lt;" })[char] ?? "&gt;");
}
