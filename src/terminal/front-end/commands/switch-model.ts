import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { agentOf } from "../../../runtime/stream/runtime.ts";
import type { Conversation } from "../prompt-session.ts";
import type { Choice } from "../terminal.ts";

/** `/model [NAME]`: the agent that answers now uses another model until the run ends. */
export async function switchModel(conversation: Conversation, typed: string): Promise<void> {
  const { runtime, current, terminal } = conversation;
  const agent = agentOf(runtime, current.session);
  const name = typed || (await chooseModel(conversation));
  if (name === undefined) return;
  if (!agent.useModel) throw new UserError("this agent's model cannot be changed");
  terminal.note(`(${escapeControls(agent.name)} uses ${escapeControls(agent.useModel(name))} from now on)`);
}

async function chooseModel(conversation: Conversation): Promise<string | undefined> {
  const { terminal, control } = conversation;
  const title = "Model (or type /model PROVIDER/MODEL)";
  return terminal.choose(title, modelChoices(conversation), control.runSignal);
}

/** Returns the model in use and those that the agent file names. */
export function modelChoices({ runtime, current, modelNames }: Conversation): Choice<string>[] {
  const now = agentOf(runtime, current.session).chooseModel().id;
  return [...new Set([now, ...modelNames])].map((value) => ({
    value,
    label: escapeControls(value),
    ...(value === now ? { description: "in use" } : {}),
  }));
}
