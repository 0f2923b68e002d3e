import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { cannotRun } from "../../../runtime/agent/agent.ts";
import type { Conversation } from "../prompt-session.ts";
import type { Choice } from "../terminal.ts";

/** `/agents [NAME]`: shows the agents, and lets another one answer from now on. */
export async function switchAgent(conversation: Conversation, typed: string): Promise<void> {
  const { runtime, terminal, control } = conversation;
  const { agents } = runtime.team;
  const name = typed || (await terminal.choose("Agent that answers", agentChoices(conversation), control.runSignal));
  if (name === undefined) return;
  const agent = agents.get(name);
  if (!agent) {
    const close = nearest(name, [...agents.keys()]);
    throw new UserError(`no agent ${JSON.stringify(name)}${close ? `, did you mean ${close}?` : ""}`);
  }
  const objection = cannotRun(agent);
  if (objection) throw new UserError(objection);
  runtime.currentAgent = name;
  terminal.note(`(${escapeControls(name)} answers from now on)`);
}

/** Returns the agents. */
export function agentChoices({ runtime }: Conversation): Choice<string>[] {
  return [...runtime.team.agents.values()].map(({ name, description, chooseModel }) => ({
    value: name,
    label: escapeControls(name === runtime.currentAgent ? `${name} (answers now)` : name),
    description: escapeControls([chooseModel().id, description].filter(Boolean).join(" · ")),
  }));
}
