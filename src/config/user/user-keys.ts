import { isObject } from "../../lib/json.ts";
import { nearestName } from "../../lib/text/nearest.ts";
import type { ProviderConfig } from "../models/model-schema.ts";
import { isSafetyMode, SAFETY_MODES } from "../permissions/safety-modes.ts";
import type { Path, Problem } from "../yaml/document.ts";

/**
 * A kind of key in `config.yaml`: a boolean, a safety mode, a value that other code checks, a value that only
 * docker-agent reads, a mapping with fixed keys, or a mapping whose names the user chooses (`each`).
 */
export type UserKey =
  | "flag"
  | "safety"
  | "checked"
  | "ignored"
  | { readonly keys: UserKeyTable }
  | { readonly each: UserKeyTable };

export type UserKeyTable = Readonly<Record<string, UserKey>>;

const PERMISSIONS: UserKeyTable = { allow: "checked", ask: "checked", deny: "checked" };

const ALIAS: UserKeyTable = {
  path: "checked",
  safety: "safety",
  yolo: "flag",
  model: "checked",
  hide_tool_results: "flag",
  sandbox: "flag",
};

/** The keys of a provider. Its schema checks the values, where models are needed: it takes too long for one event. */
const PROVIDER: Readonly<Record<keyof ProviderConfig, "checked">> = {
  provider: "checked",
  api_type: "checked",
  base_url: "checked",
  token_key: "checked",
  max_tokens: "checked",
  temperature: "checked",
  top_p: "checked",
  frequency_penalty: "checked",
  presence_penalty: "checked",
  parallel_tool_calls: "checked",
  track_usage: "checked",
  thinking_budget: "checked",
  provider_opts: "checked",
  task_budget: "checked",
  auth: "checked",
  unload_api: "checked",
  compaction_model: "checked",
};

/** The keys of `settings`. The ignored ones configure docker-agent's screen, sounds and caches. */
const SETTINGS: UserKeyTable = {
  hooks: "checked",
  rules: "checked",
  sets: "checked",
  permissions: { keys: PERMISSIONS },
  safety: "safety",
  YOLO: "flag",
  unknown_tools: "checked",
  snapshot: "flag",
  audit: "checked",
  trace: "checked",
  plain: "flag",
  theme: "checked",
  notify: "checked",
  hide_tool_results: "flag",
  busy_send_mode: "ignored",
  cache_stable_prompts: "ignored",
  dim_inactive_panes: "ignored",
  expand_thinking: "ignored",
  followup_behavior: "ignored",
  interrupt_confirmation: "ignored",
  keybindings: "ignored",
  layout: "ignored",
  lean: "ignored",
  panel: "ignored",
  render_images: "ignored",
  restore_tabs: "ignored",
  show_banner: "ignored",
  sound: "ignored",
  sound_threshold: "ignored",
  split_diff_view: "ignored",
  tab_title_max_length: "ignored",
  theme_dark: "ignored",
  theme_light: "ignored",
  warn_on_cache_miss: "ignored",
};

/** The keys of the user's `config.yaml`. `default_model` has its own schema. */
export const USER_CONFIG_KEYS: UserKeyTable = {
  version: "checked",
  settings: { keys: SETTINGS },
  default_model: "checked",
  aliases: { each: ALIAS },
  providers: { each: PROVIDER },
  board: "ignored",
  credential_helper: "ignored",
  models_gateway: "ignored",
  sandbox_allowlist: "ignored",
};

/**
 * Reports keys of `config.yaml` that neither hooksh nor docker-agent has, because they could be misspelt keys with
 * guards. Also reports values that are not booleans, safety modes or mappings where these are expected. A table: cold
 * start.
 */
export function userKeyProblems(config: Record<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  walk(USER_CONFIG_KEYS, config, [], (problem) => problems.push(problem));
  return problems;
}

/** Returns the paths of the keys in `config.yaml` that only docker-agent reads. */
export function ignoredUserKeys(config: Record<string, unknown>): Path[] {
  const paths: Path[] = [];
  walk(
    USER_CONFIG_KEYS,
    config,
    [],
    () => {},
    (path) => paths.push(path),
  );
  return paths;
}

function walk(
  table: UserKeyTable,
  value: Record<string, unknown>,
  path: Path,
  report: (problem: Problem) => void,
  ignored: (path: Path) => void = () => {},
): void {
  for (const [name, inner] of Object.entries(value)) {
    const at = [...path, name];
    const key = Object.hasOwn(table, name) ? table[name] : undefined;
    if (key === undefined) report({ path: at, at: "key", message: unknownKey(name, table) });
    else if (key === "ignored") ignored(at);
    else if (inner === null || key === "checked") continue;
    else if (key === "flag") {
      if (typeof inner !== "boolean")
        report({ path: at, message: `expected true or false but got ${JSON.stringify(inner)}` });
    } else if (key === "safety") {
      const message = `expected one of ${SAFETY_MODES.join(", ")} but got ${JSON.stringify(inner)}`;
      if (inner !== "" && !isSafetyMode(inner)) report({ path: at, message });
    } else if (!isObject(inner)) report({ path: at, message: "expected a mapping" });
    else if ("keys" in key) walk(key.keys, inner, at, report, ignored);
    else {
      for (const [entry, body] of Object.entries(inner)) {
        if (isObject(body)) walk(key.each, body, [...at, entry], report, ignored);
        else if (key.each === PROVIDER && body !== null) {
          const got = Array.isArray(body) ? "a list" : JSON.stringify(body);
          report({ path: [...at, entry], message: `expected a mapping but got ${got}` });
        }
      }
    }
  }
}

function unknownKey(name: string, table: UserKeyTable): string {
  if (table === USER_CONFIG_KEYS && Object.hasOwn(SETTINGS, name))
    return `unknown key; write it under settings: settings.${name}`;
  if (table === SETTINGS && Object.hasOwn(USER_CONFIG_KEYS, name))
    return "unknown key; it belongs to the top level, next to settings";
  const close = nearestName(name, Object.keys(table));
  if (close !== undefined) return `unknown key; did you mean ${JSON.stringify(close)}?`;
  return `unknown key; known keys are ${Object.keys(table)
    .filter((key) => table[key] !== "ignored")
    .join(", ")}`;
}
