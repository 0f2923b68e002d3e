import { THEME_NAMES, themeNamed } from "../../tui/theme.ts";
import type { Conversation } from "../prompt-session.ts";
import type { Choice } from "../terminal.ts";

/** `/theme [NAME]`: changes the colours of what is shown from now on. */
export async function changeTheme(conversation: Conversation, typed: string): Promise<void> {
  const { terminal, control } = conversation;
  const name = typed || (await terminal.choose("Theme", themeChoices(conversation), control.runSignal));
  if (name === undefined) return;
  const theme = themeNamed(name);
  if (!terminal.useTheme(theme)) return terminal.note("(no theme: this terminal shows lines without colours)");
  terminal.note(`(theme ${name}; to keep it, set settings.theme in config.yaml)`);
}

/** Returns the themes. */
export function themeChoices({ terminal }: Conversation): Choice<string>[] {
  return THEME_NAMES.map((value) => ({
    value,
    label: value,
    ...(value === terminal.theme.name ? { description: "in use" } : {}),
  }));
}
