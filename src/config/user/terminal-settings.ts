import { nearest } from "../../lib/text/nearest.ts";
import type { Problem } from "../yaml/document.ts";

/** How the terminal tells that a run waits for the user: `settings.notify`. */
export const NOTIFICATIONS = ["off", "bell", "desktop"] as const;

export type Notification = (typeof NOTIFICATIONS)[number];

/** The names of the themes, in the order of `/theme`. */
export const THEME_NAMES = [
  "dark",
  "light",
  "high-contrast",
  "color-blind",
  "dracula",
  "github-light",
  "none",
] as const;

/** The settings of `config.yaml` for runs at a terminal. */
export interface TerminalSettings {
  /** `settings.plain`: no escape sequences. */
  plain: boolean;
  /** `settings.theme`; may name a theme of docker-agent, which hooksh does not have. */
  theme: string | undefined;
  notify: Notification;
}

/** The settings without a `config.yaml`. */
export const DEFAULT_TERMINAL: TerminalSettings = { plain: false, theme: undefined, notify: "off" };

export function readTerminalSettings(settings: Readonly<Record<string, unknown>>): {
  terminal: TerminalSettings;
  problems: Problem[];
  /** A theme that is probably a mistyped one of hooksh. Others are themes of docker-agent, which reads the same setting. */
  advice: Problem[];
} {
  const { plain, theme = null, notify = null } = settings;
  const problems: Problem[] = [];
  const chosen = notify === false ? "off" : (NOTIFICATIONS.find((name) => name === notify) ?? "off");
  if (notify !== null && notify !== false && notify !== chosen)
    problems.push({
      path: ["settings", "notify"],
      message: `expected ${NOTIFICATIONS.join(", ")} but got ${JSON.stringify(notify)}`,
    });
  if (theme !== null && typeof theme !== "string")
    problems.push({ path: ["settings", "theme"], message: `expected a name but got ${JSON.stringify(theme)}` });
  const terminal = { plain: plain === true, theme: typeof theme === "string" ? theme : undefined, notify: chosen };
  const names = [...THEME_NAMES, "auto"];
  const close =
    terminal.theme === undefined || names.includes(terminal.theme) ? undefined : nearest(terminal.theme, names);
  const message = `no theme ${JSON.stringify(theme)}; did you mean ${JSON.stringify(close)}?`;
  return { terminal, problems, advice: close === undefined ? [] : [{ path: ["settings", "theme"], message }] };
}
