import { cutBytes } from "../../lib/text/cut-text.ts";
import { isShellTool } from "../tool-calls/permissions.ts";
import { callToolFromText } from "../tool-calls/tool-call.ts";
import type { Turn } from "../turns/stream-state.ts";
import { displayedFolder, readSkillBody } from "./discover-skills.ts";
import type { AgentSkill } from "./skill.ts";

const COMMAND_SECONDS = 30;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_COMMANDS = 20;
const COMMAND = /!`([^`\n]{1,4096})`/g;

/**
 * The text of a skill as a model reads it. The commands in a local one (`` !`command` ``) stand for their output: each
 * is a call of the agent's `shell` tool, with all hooks, rules and questions of one, because the text may come with a
 * repository that nobody has read. They stay as they are for an agent without that tool, and always in a skill from a
 * URL. Throws a `UserError` when the skill cannot be read.
 *
 * Source: config-and-cli 4.10.
 */
export async function skillText(turn: Turn, { text }: AgentSkill): Promise<string> {
  if (text.kind === "inline") return text.instructions;
  if (text.kind === "remote") return `This skill comes from ${text.source}\n\n${readSkillBody(text.folder)}`;
  const body = await expandCommands(turn, readSkillBody(text.folder));
  return `The folder of this skill: ${displayedFolder(text.folder, turn.stream.session.workingDir)}\n\n${body}`;
}

async function expandCommands(turn: Turn, body: string): Promise<string> {
  // Of a server's tool with this name nobody knows what it does with a command.
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
