import { shouldUseColors, supportsEscapes } from "../cli/paint.ts";
import type { Notification } from "../config/user/terminal-settings.ts";
import { THEME_NAMES } from "../config/user/terminal-settings.ts";
import type { Env } from "../lib/env.ts";
import type { StatusSource } from "./front-end/run-status.ts";
import type { Terminal } from "./front-end/terminal.ts";
import type { PlainTerminalOptions } from "./plain/plain-terminal.ts";
import { THEMES, type Theme, themeNamed } from "./theme.ts";

export interface TerminalOptions extends PlainTerminalOptions {
  env: Env;
  /** No escape sequences, even if the terminal understands them. */
  plain: boolean;
  theme: Theme;
  /** True if the theme follows the terminal's background. */
  isThemeAuto: boolean;
  /** True if colours are off whatever the theme. */
  isColorless: boolean;
  /** How to tell that the run waits for the user. */
  notify: Notification;
  /** What the status line shows. */
  status: StatusSource;
  /** True if a tool of an agent may read a file. */
  mayRead: (agent: string, tool: string, path: string) => boolean;
  /** The working directory of the session. */
  cwd: () => string;
}

/** Opens the terminal on standard input and output. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  if (options.plain || !supportsEscapes(options.env)) {
    const { PlainTerminal } = await import("./plain/plain-terminal.ts");
    return new PlainTerminal(options);
  }
  const { RichTerminal } = await import("./tui/rich-terminal.ts");
  const { gitBranch } = await import("./tui/git-branch.ts");
  return new RichTerminal({
    ...options,
    answersQueries: answersQueries(options.env),
    branch: gitBranch(options.cwd),
  });
}

/**
 * Returns the theme to use: none if colours are off, else the one of a name, else the one for the background that
 * COLORFGBG names until the terminal is asked. A name that hooksh does not have is that of a theme of docker-agent's,
 * which reads the same setting.
 */
export function themeFor(
  env: Env,
  noColor: boolean | undefined,
  name?: string,
): Pick<TerminalOptions, "theme" | "isThemeAuto" | "isColorless"> {
  if (!shouldUseColors(env, noColor)) return { theme: THEMES.none, isThemeAuto: false, isColorless: true };
  if (THEME_NAMES.some((known) => known === name))
    return { theme: themeNamed(name ?? ""), isThemeAuto: false, isColorless: false };
  return { theme: isLightByVariable(env) ? THEMES.light : THEMES.dark, isThemeAuto: true, isColorless: false };
}

/** True if COLORFGBG (`FOREGROUND;BACKGROUND`, set by rxvt, Konsole and others) names a light background. */
function isLightByVariable({ COLORFGBG = "" }: Env): boolean {
  return /^\d+;(?:[a-z]+;)?(?:7|15)$/.test(COLORFGBG);
}

/** True for terminals of which no version shows a query (OSC) on its screen, as the Linux console does. */
function answersQueries({ TERM = "" }: Env): boolean {
  return /^(?:xterm|screen|tmux|rxvt|alacritty|foot|kitty|wezterm|ghostty|konsole|vte|contour|mintty|iterm)/i.test(
    TERM,
  );
}
