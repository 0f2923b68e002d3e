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

/** Returns the themes. */
export function themeChoices({ terminal }: Conversation): Choice<string>[] {
  const choices: Choice<string>[] = THEME_NAMES.map((value) => ({
    value,
    label: value,
    ...(value === terminal.theme.name ? { description: "in use" } : {}),
  }));
  return [...choices, { value: AUTO, label: AUTO, description: "by the background of the terminal" }];
}
