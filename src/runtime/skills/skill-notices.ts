import type { AgentFile } from "../../config/agent/agent-file.ts";
import { renderProblems } from "../../config/yaml/document.ts";
import { type Env, homeDirectory } from "../../lib/env.ts";
import type { Skill } from "../agent/skill.ts";
import { missingNames, noSuchSkill, selectionOf } from "./assemble-skills.ts";
import { discoverSkills } from "./discover-skills.ts";

/**
 * Returns a line for each skill that an agent of the file names and this machine does not have:
 * `file:line:column: path: message`, and one for each local skill that is left out. Fetches nothing, so an agent whose
 * skills also come from URLs is not checked.
 */
export async function skillNotices(
  { agents, document }: Pick<AgentFile, "agents" | "document">,
  { workingDir, env }: { workingDir: string; env: Env },
): Promise<string[]> {
  const users = agents.filter(({ skills, origin }) => !origin && usesLocalSkills(skills));
  if (users.length === 0) return [];
  const lines: string[] = [];
  const found = await discoverSkills(workingDir, homeDirectory(env), (line) => void lines.push(line));
  const problems = users.flatMap(({ path, skills }) =>
    missingIn(skills, found).map((name) => ({ path: [...path, "skills"], message: noSuchSkill(name) })),
  );
  return [...lines, ...(await renderProblems(document, problems))];
}

type Skills = AgentFile["agents"][number]["skills"];

function usesLocalSkills(skills: Skills): boolean {
  return typeof skills === "boolean" ? skills : selectionOf(skills).isLocal;
}

function missingIn(skills: Skills, found: readonly Skill[]): string[] {
  if (typeof skills === "boolean") return [];
  const { urls, names } = selectionOf(skills);
  return urls.length > 0 ? [] : missingNames(names, found);
}
