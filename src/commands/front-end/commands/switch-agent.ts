import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import type { Conversation } from "../prompt-session.ts";

/** `/agents [NAME]`: shows the agents, and lets another one answer from now on. */
export async function switchAgent({ runtime, terminal, control }: Conversation, typed: string): Promise<void> {
  const { agents } = runtime.team;
  const choices = [...agents.values()].map(({ name, description, chooseModel }) => ({
    value: name,
    label: name === runtime.currentAgent ? `${name} (answers now)` : name,
    description: [chooseModel().id, description].filter(Boolean).join(" · "),
  }));
  const name = typed || (await terminal.choose("Agent that answers", choices, control.runSignal));
  if (name === undefined) return;
  if (!agents.has(name)) {
    const close = nearest(name, [...agents.keys()]);
    throw new UserError(`no agent ${JSON.stringify(name)}${close ? `, did you mean ${close}?` : ""}`);
  }
  runtime.currentAgent = name;
  terminal.note(`(${escapeControls(name)} answers from now on)`);
}
