import { THEME_NAMES, themeNamed } from "../../tui/theme.ts";
import type { Conversation } from "../prompt-session.ts";

/** `/theme [NAME]`: changes the colours of what is shown from now on. */
export async function changeTheme({ terminal, control }: Conversation, typed: string): Promise<void> {
  const choices = THEME_NAMES.map((value) => ({
    value: value as string,
    label: value,
    ...(value === terminal.theme.name ? { description: "in use" } : {}),
  }));
  const name = typed || (await terminal.choose("Theme", choices, control.runSignal));
  if (name === undefined) return;
  terminal.useTheme(themeNamed(name));
  terminal.note(`(theme ${name}; to keep it, set settings.theme in config.yaml)`);
}
