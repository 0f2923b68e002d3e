import type { Capabilities } from "../messages/media.ts";
import type { Prices } from "./cost.ts";

/** What a model and a provider can both set; the model's own value wins. Keys as in the agent file. */
export interface ModelOptions {
  base_url?: string | undefined;
  /** Name of the variable that holds the key. */
  token_key?: string | undefined;
  api_type?: string | undefined;
  max_tokens?: number | undefined;
  temperature?: number | undefined;
  top_p?: number | undefined;
  frequency_penalty?: number | undefined;
  presence_penalty?: number | undefined;
  parallel_tool_calls?: boolean | undefined;
  track_usage?: boolean | undefined;
  /** Tokens, a level, or the `{effort}`/`{tokens}` of older files. */
  thinking_budget?: unknown;
  provider_opts?: Readonly<Record<string, unknown>> | undefined;
}

/** An entry of `models`, or an inline `provider/model`. Source: config-and-cli 4.5. */
export interface ModelSpec extends ModelOptions {
  provider: string;
  model: string;
  cost?: Prices | undefined;
  /** The media that the model takes; they take precedence over the row of its family. */
  capabilities?: Capabilities | undefined;
}

/** An entry of `providers`. Source: config-and-cli 4.6. */
export interface ProviderSpec extends ModelOptions {
  /** The provider it is made like; `openai` when absent. */
  provider?: string | undefined;
  unload_api?: string | undefined;
}

/** Entries of `providers` by name. */
export type ProviderSpecs = Readonly<Record<string, ProviderSpec>>;

const DEFAULTED = [
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

/** The model with what its provider sets filled in; `provider_opts` merge key by key. Source: config-and-cli 4.6. */
export function withProviderDefaults(spec: ModelSpec, provider: ProviderSpec | undefined): ModelSpec {
  if (!provider) return spec;
  const options = {
    ...(provider.unload_api ? { unload_api: provider.unload_api } : {}),
    ...provider.provider_opts,
    ...spec.provider_opts,
  };
  const defaults = Object.fromEntries(
    DEFAULTED.filter((key) => spec[key] === undefined && provider[key] !== undefined).map((key) => [
      key,
      provider[key],
    ]),
  );
  return { ...spec, ...defaults, provider_opts: options };
}
