import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { cannotRun } from "../../../runtime/agent/agent.ts";
import { agentOf } from "../../../runtime/stream/runtime.ts";
import { THEME_NAMES, themeNamed } from "../../theme.ts";
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

export function agentChoices({ runtime }: Conversation): Choice<string>[] {
  return [...runtime.team.agents.values()].map(({ name, description, chooseModel }) => ({
    value: name,
    label: escapeControls(name === runtime.currentAgent ? `${name} (answers now)` : name),
    description: escapeControls([chooseModel().id, description].filter(Boolean).join(" · ")),
  }));
}

/** `/model [NAME]`: the agent that answers now uses another model until the run ends. */
export async function switchModel(conversation: Conversation, typed: string): Promise<void> {
  const { runtime, current, terminal, control } = conversation;
  const agent = agentOf(runtime, current.session);
  const title = "Model (or type /model PROVIDER/MODEL)";
  const name = typed || (await terminal.choose(title, modelChoices(conversation), control.runSignal));
  if (name === undefined) return;
  if (!agent.useModel) throw new UserError("this agent's model cannot be changed");
  terminal.note(`(${escapeControls(agent.name)} uses ${escapeControls(agent.useModel(name))} from now on)`);
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

/** The name in `settings.theme` for the theme that fits the background. */
const AUTO = "auto";

/** `/theme [NAME]`: changes the colours of what is shown from now on. */
export async function changeTheme(conversation: Conversation, typed: string): Promise<void> {
  const { terminal, control } = conversation;
  const name = typed || (await terminal.choose("Theme", themeChoices(conversation), control.runSignal));
  if (name === undefined) return;
  const theme = name === AUTO ? undefined : themeNamed(name);
  if (!terminal.useTheme || !terminal.followBackground)
    return terminal.note("(no theme: this terminal shows lines without colours)");
  if (theme) {
    terminal.useTheme(theme);
    return terminal.note(`(theme ${name}; to keep it, set settings.theme in config.yaml)`);
  }
  const isAnswered = await terminal.followBackground();
  const { theme: used } = terminal;
  terminal.note(
    isAnswered ? `(theme auto: ${used.name})` : `(the terminal does not tell its background; theme ${used.name})`,
  );
}

export function themeChoices({ terminal }: Conversation): Choice<string>[] {
  const choices: Choice<string>[] = THEME_NAMES.map((value) => ({
    value,
    label: value,
    ...(value === terminal.theme.name ? { description: "in use" } : {}),
  }));
  return [...choices, { value: AUTO, label: AUTO, description: "by the background of the terminal" }];
}
