import type { Capabilities } from "../messages/media.ts";
import type { Prices } from "./cost.ts";

/** Settings of models and of providers; a model's own value wins. Keys are those of the agent file. */
export interface ModelOptions {
  base_url?: string | undefined;
  /** The name of the variable that holds the API key. */
  token_key?: string | undefined;
  api_type?: string | undefined;
  max_tokens?: number | undefined;
  temperature?: number | undefined;
  top_p?: number | undefined;
  frequency_penalty?: number | undefined;
  presence_penalty?: number | undefined;
  parallel_tool_calls?: boolean | undefined;
  track_usage?: boolean | undefined;
  /** A number of tokens, a level, or `{effort}` or `{tokens}` of older files. */
  thinking_budget?: unknown;
  provider_opts?: Readonly<Record<string, unknown>> | undefined;
}

/** An entry of `models`, or an inline `provider/model`. */
export interface ModelSpec extends ModelOptions {
  provider: string;
  model: string;
  cost?: Prices | undefined;
  /** The media that the model accepts; overrides the row of its family. */
  capabilities?: Capabilities | undefined;
}

/** An entry of `providers`. */
export interface ProviderSpec extends ModelOptions {
  /** The built-in provider whose rules apply; `openai` if absent. */
  provider?: string | undefined;
  unload_api?: string | undefined;
}

/** Entries of `providers` by name. */
export type ProviderSpecs = Readonly<Record<string, ProviderSpec>>;

const INHERITED_KEYS = [
  "api_type",
  "max_tokens",
  "temperature",
  "top_p",
  "frequency_penalty",
  "presence_penalty",
  "parallel_tool_calls",
  "track_usage",
  "thinking_budget",
] as const satisfies readonly (keyof ModelOptions)[];

/** Fills in the settings that a model inherits from its provider; `provider_opts` are merged key by key. */
export function withProviderDefaults(spec: ModelSpec, provider: ProviderSpec | undefined): ModelSpec {
  if (!provider) return spec;
  const defaults = Object.fromEntries(
    INHERITED_KEYS.filter((key) => spec[key] === undefined && provider[key] !== undefined).map((key) => [
      key,
      provider[key],
    ]),
  );
  return { ...spec, ...defaults, provider_opts: { ...provider.provider_opts, ...spec.provider_opts } };
}
