import { THEME_NAMES } from "../../config/user/terminal-settings.ts";

/** What becomes of a key of docker-agent's `config.yaml`. */
export type SettingRule =
  /** Written if hooksh has no value for it. */
  | { kind: "value" }
  /** A list of rules: the missing ones are added. */
  | { kind: "rules" }
  /** A mapping: each entry is written if hooksh has none of that name. */
  | { kind: "entries" }
  /** Not written, and why. */
  | { kind: "left"; why: string };

const VALUE: SettingRule = { kind: "value" };
const RULES: SettingRule = { kind: "rules" };
const ENTRIES: SettingRule = { kind: "entries" };
const left = (why: string): SettingRule => ({ kind: "left", why });

const SCREEN = left("hooksh's screen has no such setting");

/** The keys of the file, other than `aliases`, `settings` and `version`. */
export const TOP_LEVEL: Readonly<Record<string, SettingRule>> = {
  default_model: VALUE,
  providers: ENTRIES,
  models_gateway: left("hooksh has no gateway for all models: set base_url of a provider under providers"),
  credential_helper: left("hooksh reads keys from the environment, from .env files and from /run/secrets"),
  sandbox_allowlist: left("hooksh has no sandbox: run hooksh in a container"),
  board: left("hooksh has no board"),
};

/** The keys of `settings`, other than `permissions` and `hooks`. */
export const SETTINGS: Readonly<Record<string, SettingRule>> = {
  hide_tool_results: VALUE,
  snapshot: VALUE,
  hooks: VALUE,
  rules: VALUE,
  sets: VALUE,
  safety: VALUE,
  YOLO: VALUE,
  cache_stable_prompts: left("hooksh has no such setting"),
  warn_on_cache_miss: left("hooksh has no such warning"),
  busy_send_mode: left("in hooksh Enter steers and Tab queues"),
  followup_behavior: left("in hooksh Enter steers and Tab queues"),
  interrupt_confirmation: left("in hooksh Esc cancels at once"),
  keybindings: left("the keys of hooksh are fixed"),
  lean: left("hooksh is always inline"),
  restore_tabs: left("hooksh has no tabs"),
  tab_title_max_length: left("hooksh has no tabs"),
  render_images: left("hooksh shows no images"),
  sound: left("hooksh plays no sounds; settings.notify: bell rings when a run waits for you"),
  sound_threshold: left("hooksh plays no sounds"),
  dim_inactive_panes: SCREEN,
  expand_thinking: SCREEN,
  layout: SCREEN,
  panel: SCREEN,
  show_banner: SCREEN,
  split_diff_view: SCREEN,
  theme: left(`set settings.theme to auto or one of ${THEME_NAMES.join(", ")}`),
  theme_dark: left("hooksh has other themes"),
  theme_light: left("hooksh has other themes"),
};

/** The lists of `settings.permissions`. */
export const PERMISSIONS: Readonly<Record<string, SettingRule>> = { allow: RULES, ask: RULES, deny: RULES };
