import { checkedTool } from "../../tools/checked-tool.ts";
import { text } from "../../tools/parameters.ts";
import { type Tool, toolError } from "../../tools/tool.ts";
import type { Agent } from "../agent/agent.ts";
import type { AgentSkill } from "../agent/skill.ts";
import { createChildSession, type RunStream, recordChildTask, runChildSession } from "../delegation/child-session.ts";
import type { OfferedTool, Stream } from "../stream/stream-state.ts";
import { RejectedSkillError, readGuardedText } from "./guarded-skill.ts";
import { skillText } from "./skill-text.ts";

const CATEGORY = "skills";
const RUN_SKILL = "run_skill";

/**
 * Returns the tools with which an agent uses its skills, each only if a skill needs it. `tools` returns those that
 * commands in a skill's text may call.
 */
export function skillTools(
  stream: Stream,
  agent: Agent,
  tools: () => readonly OfferedTool[],
  runStream: RunStream,
): OfferedTool[] {
  const skills = agent.skills ?? [];
  if (skills.length === 0) return [];
  const context = { stream, agent, tools };
  const readers = [
    readSkillTool(skills, context),
    ...(skills.some(({ files }) => files.length > 0) ? [readFileTool(skills, context)] : []),
  ];
  const runners = skills.some(({ fork }) => fork) ? [runSkillTool(skills, context, runStream)] : [];
  return [
    ...readers.map((tool) => ({ tool, isOfRuntime: true, hasPostToolUse: true }) as const),
    ...runners.map((tool) => ({ tool, isOfRuntime: true })),
  ];
}

interface SkillContext {
  stream: Stream;
  agent: Agent;
  tools: () => readonly OfferedTool[];
}

/** Returns a turn in which commands in a skill's text can be called. */
function turnOf({ stream, agent, tools }: SkillContext) {
  return { stream, agent, model: agent.chooseModel(), tools: tools() };
}

function readSkillTool(skills: readonly AgentSkill[], context: SkillContext): Tool {
  return skillTool({
    name: "read_skill",
    title: "Read Skill",
    description: "Shows the instructions of a skill.",
    category: CATEGORY,
    readOnly: true,
    parameters: { name: text("The name of the skill.") },
    run: async ({ name }) => {
      const skill = skills.find((one) => one.name === name);
      if (!skill) return toolError(unknown(skills, name));
      if (skill.fork) return toolError(`The skill ${name} runs in its own session: give it its task with ${RUN_SKILL}`);
      return { text: await skillText(turnOf(context), skill) };
    },
  });
}

function readFileTool(skills: readonly AgentSkill[], context: SkillContext): Tool {
  const withFiles = skills.filter(({ files }) => files.length > 0);
  return skillTool({
    name: "read_skill_file",
    title: "Read Skill File",
    description: "Shows a file that belongs to a skill.",
    category: CATEGORY,
    readOnly: true,
    parameters: {
      skill_name: text("The name of the skill."),
      path: text("The path of the file, relative to the skill's folder."),
    },
    run: async ({ skill_name, path }) => {
      const skill = skills.find(({ name }) => name === skill_name);
      if (!skill || skill.text.kind === "inline") return toolError(unknown(withFiles, skill_name));
      const isListed = skill.files.includes(path);
      // The cache of a fetched skill may still hold files of an earlier version.
      if (skill.text.kind === "remote" && !isListed) return toolError(`The skill has no file ${JSON.stringify(path)}`);
      return { text: await readGuardedText(context, skill, path) };
    },
  });
}

function runSkillTool(skills: readonly AgentSkill[], context: SkillContext, runStream: RunStream): Tool {
  const forked = skills.filter(({ fork }) => fork);
  return skillTool({
    name: RUN_SKILL,
    title: "Run Skill",
    description: "Runs a forked skill on a task, in its own session, which sees nothing of this conversation.",
    category: CATEGORY,
    readOnly: false,
    parameters: {
      name: text("The name of the skill."),
      task: text("What to do, with everything the skill needs to know."),
    },
    run: async ({ name, task }) => {
      const skill = forked.find((one) => one.name === name);
      if (!skill?.scope) return toolError(unknown(forked, name));
      const { stream, agent } = context;
      const { runtime, session, signal } = stream;
      const content = await skillText(turnOf(context), skill);
      if (signal.aborted || stream.stopRequest !== undefined)
        return toolError(`The skill ${name} did not start, because the run ends.`);
      const child = createChildSession(session, `Skill ${name}`, agent);
      recordChildTask(runtime, child, agent, { system: taskOf(name, task), user: content });
      const options = {
        delegationChain: stream.delegationChain,
        excludedTools: [...stream.excludedTools, RUN_SKILL],
        skill: skill.scope,
      };
      return runChildSession(
        { runtime, parent: stream, caller: agent, agent, session: child, signal, options },
        runStream,
      );
    },
  });
}

/** A tool whose response to a rejected skill is the message of the guard. */
const skillTool: typeof checkedTool = ({ run, ...tool }) =>
  checkedTool({
    ...tool,
    run: async (input, context) => {
      try {
        return await run(input, context);
      } catch (error) {
        if (error instanceof RejectedSkillError) return toolError(error.message);
        throw error;
      }
    },
  });

function taskOf(name: string, task: string): string {
  return [
    `You carry out the skill "${name}", whose text the user gives you. Do this task alone and answer with the result.`,
    `<task>\n${task}\n</task>`,
  ].join("\n\n");
}

function unknown(skills: readonly AgentSkill[], name: string): string {
  return `No skill ${JSON.stringify(name)}; the skills are: ${skills.map((skill) => skill.name).join(", ") || "none"}`;
}
