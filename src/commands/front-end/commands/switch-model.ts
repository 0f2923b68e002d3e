import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { agentOf } from "../../../runtime/runtime.ts";
import type { Conversation } from "../prompt-session.ts";

/** `/model [NAME]`: the agent that answers now uses another model until the run ends. */
export async function switchModel(conversation: Conversation, typed: string): Promise<void> {
  const { runtime, current, terminal } = conversation;
  const agent = agentOf(runtime, current.session);
  const name = typed || (await chooseModel(conversation));
  if (name === undefined) return;
  if (!agent.useModel) throw new UserError("this agent's model cannot be changed");
  terminal.note(`(${escapeControls(agent.name)} uses ${escapeControls(agent.useModel(name))} from now on)`);
}

async function chooseModel({
  runtime,
  current,
  terminal,
  control,
  modelNames,
}: Conversation): Promise<string | undefined> {
  const now = agentOf(runtime, current.session).chooseModel().id;
  const names = [...new Set([now, ...modelNames])];
  const choices = names.map((value) => ({
    value,
    label: value,
    ...(value === now ? { description: "in use" } : {}),
  }));
  const title = "Model (or type /model PROVIDER/MODEL)";
  return terminal.choose(title, choices, control.runSignal);
}
