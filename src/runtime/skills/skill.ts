import type { Model } from "../../model/model.ts";
import type { Toolset } from "../../tools/tool.ts";

/** What a forked skill works with. Source: runtime 12.6. */
export interface SkillScope {
  /** True for a tool of the agent that the skill may use. */
  allows(toolName: string): boolean;
  /** Its own, beside the agent's. */
  toolsets: readonly Toolset[];
  /** In place of the agent's. */
  model?: Model;
}

/** How a skill works that gets a session of its own. Source: runtime 12.6. */
export interface ForkSettings {
  /** In place of the agent's model, as a reference. */
  model?: string;
  /** Globs on the names of the agent's tools; absent: all of them. */
  allowedTools?: readonly string[];
  /** Names of toolset groups of the agent file that it gets beside them. */
  toolsets: readonly string[];
}

/** Where the text of a skill is: in the agent file, or in the `SKILL.md` of a folder. */
export type SkillText =
  | { kind: "inline"; instructions: string }
  | { kind: "local"; folder: string }
  /** Fetched from a URL into a folder; its commands stay text. */
  | { kind: "remote"; folder: string; source: string };

/** What an agent can read up on when it needs it. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly text: SkillText;
  readonly fork?: ForkSettings;
  /** The files beside its `SKILL.md`, relative to the folder, with `/`. */
  readonly files: readonly string[];
}

/** A skill of an agent, with everything it refers to. */
export interface AgentSkill extends Skill {
  /** Set for a forked skill. */
  readonly scope?: SkillScope;
}

/**
 * The message that tells a model which skills there are.
 *
 * Source: config-and-cli 5.13.
 */
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
  "Before you begin something that one of these skills is about, read it with `read_skill`; give a " +
  "forked one its task with `run_skill` instead.";

function escape(text: string): string {
  return text.replace(/[&<>]/g, (char) => ({ "&": "&amp;", "<": "&lt;" })[char] ?? "&gt;");
}
