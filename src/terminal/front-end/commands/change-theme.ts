import { THEME_NAMES, themeNamed } from "../../theme.ts";
import type { Conversation } from "../prompt-session.ts";
import type { Choice } from "../terminal.ts";

/** The name in `settings.theme` for the theme that fits the background. */
const AUTO = "auto";

/** `/theme [NAME]`: changes the colours of what is shown from now on. */
export async function changeTheme(conversation: Conversation, typed: string): Promise<void> {
  const { terminal, control } = conversation;
  const name = typed || (await terminal.choose("Theme", themeChoices(conversation), control.runSignal));
  if (name === undefined) return;
  if (name === AUTO) return followBackground(conversation);
  const theme = themeNamed(name);
  if (!terminal.useTheme(theme)) return terminal.note("(no theme: this terminal shows lines without colours)");
  terminal.note(`(theme ${name}; to keep it, set settings.theme in config.yaml)`);
}

/** Uses the theme for the background that the terminal has now. */
async function followBackground({ terminal }: Conversation): Promise<void> {
  const isAnswered = await terminal.followBackground();
  if (isAnswered === undefined) return terminal.note("(no theme: this terminal shows lines without colours)");
  const { name } = terminal.theme;
  terminal.note(isAnswered ? `(theme auto: ${name})` : `(the terminal does not tell its background; theme ${name})`);
}

/** Returns the themes. */
export function themeChoices({ terminal }: Conversation): Choice<string>[] {
  const choices: Choice<string>[] = THEME_NAMES.map((value) => ({
    value,
    label: value,
    ...(value === terminal.theme.name ? { description: "in use" } : {}),
  }));
  return [...choices, { value: AUTO, label: AUTO, description: "by the background of the terminal" }];
}
