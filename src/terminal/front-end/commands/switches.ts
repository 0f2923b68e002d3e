import { THEME_NAMES } from "../../../config/user/terminal-settings.ts";
import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { splitAlloy } from "../../../model/catalog/model-reference.ts";
import { cannotRun } from "../../../runtime/agent/agent.ts";
import { agentOf } from "../../../runtime/stream/runtime.ts";
import { previewOf, THEME_ROWS, THEMES, themeNamed } from "../../theme.ts";
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
  const { runtime, current, terminal, modelNames } = conversation;
  const agent = agentOf(runtime, current.session);
  const name = await chooseModel(conversation, typed);
  if (name === undefined) return;
  if (!agent.useModel) throw new UserError("this agent's model cannot be changed");
  const own = [...modelNames, agent.chooseModel().id];
  const others = splitAlloy(name).filter((each) => each !== "auto" && !own.includes(each));
  const misspelt = others.find((each) => !each.includes("/") && nearest(each, modelNames) !== undefined);
  if (misspelt !== undefined)
    throw new UserError(`no model ${JSON.stringify(misspelt)}, did you mean ${nearest(misspelt, modelNames)}?`);
  const checks = others.filter((each) => each.includes("/")).map((each) => agent.offers?.check(each));
  const isUnchecked = (await Promise.all(checks)).some((isListed) => !isListed);
  const id = agent.useModel(name);
  const doubt = isUnchecked ? "; whether it exists shows with the next message" : "";
  terminal.note(escapeControls(`(${agent.name} uses ${id} from now on${doubt})`));
}

/** Returns the model that the user typed or chooses; after the name of a provider, one that this provider lists. */
async function chooseModel(conversation: Conversation, typed: string): Promise<string | undefined> {
  const { runtime, current, terminal, control } = conversation;
  const { offers } = agentOf(runtime, current.session);
  const title = "Model (or type /model PROVIDER/MODEL)";
  const name = typed || (await terminal.choose(title, modelChoices(conversation), control.runSignal));
  const provider = name?.replace(/\/$/, "");
  if (provider === undefined || !offers?.providers.includes(provider)) return name;
  terminal.hint(`asking ${escapeControls(provider)} for its models`);
  const models = await offers.list(provider);
  if (!models?.length) throw new UserError(`${provider} gives no list of models; type /model ${provider}/MODEL`);
  const choices = models.map((model) => ({ value: `${provider}/${model}`, label: escapeControls(model) }));
  return terminal.choose(`Model of ${escapeControls(provider)}`, choices, control.runSignal);
}

/** Returns the model in use, those that the agent file names, those of providers with a key, and the providers to ask. */
export function modelChoices({ runtime, current, modelNames }: Conversation): Choice<string>[] {
  const { chooseModel, offers } = agentOf(runtime, current.session);
  const now = chooseModel().id;
  const models = [...new Set([now, ...modelNames, ...(offers?.defaults ?? [])])].map((value) => ({
    value,
    label: escapeControls(value),
    ...(value === now ? { description: "in use" } : {}),
  }));
  const providers = (offers?.providers ?? []).map((provider) => ({
    value: `${provider}/`,
    label: escapeControls(`${provider}/ …`),
    description: "asks the provider for its models",
  }));
  return [...models, ...providers];
}

/** The name in `settings.theme` for the theme that fits the background. */
const AUTO = "auto";

/** `/theme [NAME]`: changes the colours of what is shown from now on. */
export async function changeTheme(conversation: Conversation, typed: string): Promise<void> {
  const { terminal, control } = conversation;
  if (terminal.isColorless) return terminal.note("(no theme: --no-color or NO_COLOR turns colours off)");
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
    description: (value === terminal.theme.name ? "in use · " : "") + THEME_ROWS[value].summary,
    preview: previewOf(THEMES[value]),
  }));
  return [...choices, { value: AUTO, label: AUTO, description: "by the background of the terminal" }];
}

/** `/todos`: shows or hides the agent's todos above the input line. */
export function toggleTodos({ terminal }: Conversation): void {
  if (!terminal.toggleTodos) return terminal.note("(todos are not kept in view: this terminal shows lines)");
  terminal.note(
    terminal.toggleTodos() ? "(todos are shown while some are open)" : "(todos are hidden; /todos shows them)",
  );
}
