import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import type { Agent } from "../../../runtime/agent/agent.ts";
import { agentOf } from "../../../runtime/stream/runtime.ts";
import type { Conversation } from "../prompt-session.ts";

const FILE = "AGENTS.md";

const REQUEST = `Study this folder, and write ${FILE} in it: what an agent that works here later needs to know and cannot see at once.

1. Read first: the README, the files that name the project's commands and dependencies, its tests and checks, existing rules for agents or contributors, and enough of the source to understand its structure.
2. Then write ${FILE}, at most 100 lines, in short concrete sentences:
   - what the project is, in one or two sentences;
   - the commands to build, check and test, also for a single test, as they are configured here;
   - where what is: the parts and how they depend on each other, not a list of files;
   - rules of style and of the process that the files show or state.
3. Write nothing that you have not read here, nothing that holds for any project, and no secrets.
4. If ${FILE} exists, improve it: keep what is right, correct what is wrong, and say what you have changed.`;

/** `/init [WHAT MATTERS]`: asks the agent to study the folder and to write down what later sessions need to know. */
export function writeAgentsFile({ runtime, current, terminal, pending }: Conversation, typed: string): void {
  const agent = agentOf(runtime, current.session);
  const workers = [agent, ...agent.subAgents.flatMap((name) => runtime.team.agents.get(name) ?? [])];
  if (!workers.some(mayWrite))
    throw new UserError(
      `/init: ${agent.name} has no tool that writes files; give it the toolset filesystem or shell in its agent file`,
    );
  terminal.note(`(asks ${escapeControls(agent.name)} to study this folder and to write ${FILE})`);
  if (!readsFile(agent))
    terminal.note(
      `(${escapeControls(agent.name)} does not read ${FILE} in later sessions unless its agent file has add_prompt_files: [${FILE}])`,
    );
  const text = typed === "" ? REQUEST : `${REQUEST}\n\nThe user adds: ${typed}`;
  pending.unshift({ text, shown: `/init ${typed}` });
}

/** Tools that write files or run commands, also of an MCP server, which adds its name. */
const WRITING = /(^|[_.-])(write_file|shell|run_background_job)$/;

function mayWrite({ toolsets }: Agent): boolean {
  return toolsets.some(({ tools }) => tools.some(({ name, readOnly }) => !readOnly && WRITING.test(name)));
}

function readsFile({ hooks }: Agent): boolean {
  return (hooks.hooks ?? []).some(
    ({ entry: { hook } }) => hook.command === "add_prompt_files" && hook.args.includes(FILE),
  );
}
