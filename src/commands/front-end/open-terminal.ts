import type { Notification } from "../../config/user/terminal-settings.ts";
import type { Env } from "../../lib/env.ts";
import { shouldUseColors, supportsEscapes } from "../render/paint.ts";
import { THEME_NAMES, THEMES, type Theme, themeNamed } from "../tui/theme.ts";
import { PlainTerminal, type PlainTerminalOptions } from "./plain-terminal.ts";
import type { StatusSource } from "./run-status.ts";
import type { Terminal } from "./terminal.ts";

/** The options of {@link openTerminal}. */
export interface TerminalOptions extends PlainTerminalOptions {
  env: Env;
  /** No escape sequences, even if the terminal understands them. */
  plain: boolean;
  theme: Theme;
  /** How to tell that the run waits for the user. */
  notify: Notification;
  /** What the status line shows. */
  status: StatusSource;
  /** The working directory of the session. */
  cwd: () => string;
}

/** Opens the terminal on standard input and output. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  if (options.plain || !supportsEscapes(options.env)) return new PlainTerminal(options);
  const { RichTerminal } = await import("../tui/rich-terminal.ts");
  const { gitBranch } = await import("../tui/git-branch.ts");
  return new RichTerminal({ ...options, branch: gitBranch(options.cwd) });
}

/**
 * Returns the theme to use: none if colours are off, else the one of a name. A name that hooksh does not have is that of
 * a theme of docker-agent's, which reads the same setting: then the default is used.
 */
export function themeFor(env: Env, noColor: boolean | undefined, name?: string): Theme {
  if (!shouldUseColors(env, noColor)) return THEMES.none;
  return THEME_NAMES.some((known) => known === name) ? themeNamed(name ?? "") : THEMES.dark;
}
