import { cutBytes } from "../../lib/text/cut-text.ts";
import type { AgentSkill } from "../agent/skill.ts";
import { isShellTool } from "../permissions/permissions.ts";
import type { Turn } from "../stream/stream-state.ts";
import { callToolFromText } from "../tool-calls/tool-call.ts";
import { displayedFolder } from "./discover-skills.ts";
import { parseFrontMatter } from "./front-matter.ts";
import { readGuardedText } from "./guarded-skill.ts";

const COMMAND_SECONDS = 30;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_COMMANDS = 20;
const COMMAND = /!`([^`\n]{1,4096})`/g;

/**
 * Returns the text of a skill as a model reads it. In a local skill, the output of each command (`` !`command` ``)
 * replaces it. A command is a call of the agent's `shell` tool, with all its hooks, rules and questions, because the
 * text may come with an untrusted repository. Commands stay as they are for an agent without that tool, and always in a
 * skill from a URL. Throws a `UserError` if the skill cannot be read or a guard rejects it.
 */
export async function skillText(turn: Turn, skill: AgentSkill): Promise<string> {
  const { text } = skill;
  const content = await readGuardedText(turn, skill);
  if (text.kind === "inline") return content;
  const { body: written } = parseFrontMatter(content);
  if (text.kind === "remote") return `This skill comes from ${text.source}\n\n${written}`;
  const body = await expandCommands(turn, written);
  return `The folder of this skill: ${displayedFolder(text.folder, turn.stream.session.workingDir)}\n\n${body}`;
}

async function expandCommands(turn: Turn, body: string): Promise<string> {
  // A server's tool may have this name too, and do anything with a command.
  if (!turn.tools.some(({ tool }) => tool.name === "shell" && isShellTool(tool))) return body;
  const pieces: string[] = [];
  let from = 0;
  for (const match of [...body.matchAll(COMMAND)].slice(0, MAX_COMMANDS)) {
    if (turn.stream.signal.aborted || turn.stream.stopRequest !== undefined) break;
    const output = await callToolFromText(turn, "shell", { cmd: match[1] ?? "", timeout: COMMAND_SECONDS });
    const text = output === undefined ? match[0] : cutBytes(output.text, MAX_OUTPUT_BYTES);
    pieces.push(body.slice(from, match.index), text);
    from = match.index + match[0].length;
  }
  return [...pieces, body.slice(from)].join("");
}
