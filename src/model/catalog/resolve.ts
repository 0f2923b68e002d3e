import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { rememberCredentials, rememberSecret, rememberUrl } from "../../lib/secrets/known-secrets.ts";
import { expandVariables, type VariableLookup } from "./expand-variables.ts";
import { type Family, familyOf } from "./families.ts";
import { type Api, findProvider, findProviderByUrl, PROVIDERS, type ProviderRow } from "./providers.ts";
import { type ModelSpec, type ProviderSpec, type ProviderSpecs, withProviderDefaults } from "./spec.ts";

/** A model with everything settled that can be settled without the network. */
export interface ResolvedModel {
  /** The provider's name as configured. */
  provider: string;
  model: string;
  /** The name of the row in PROVIDERS it is made like. */
  rowName: string;
  row: ProviderRow;
  family: Family;
  api: Api;
  baseUrl: string;
  /** True when the base URL was configured, not taken from the table. */
  hasCustomBaseUrl: boolean;
  mergesMessages: boolean;
  /** Undefined when no key is sent. */
  key: string | undefined;
  /** Variables that must be set before the first call; alternatives are one entry: `GITHUB_TOKEN or GH_TOKEN`. */
  missing: readonly string[];
  /** The model's options with the provider's defaults filled in. */
  spec: ModelSpec;
}

/**
 * Settles provider, API, base URL and key of a model. A missing variable is not an error here: it is named in `missing`.
 * Throws a {@link ConfigError} for an unknown provider, one that is not supported, and a missing base URL.
 */
export function resolveModel(spec: ModelSpec, env: VariableLookup, providers: ProviderSpecs = {}): ResolvedModel {
  const custom = Object.hasOwn(providers, spec.provider) ? providers[spec.provider] : undefined;
  const base = custom ? (custom.provider ?? "openai") : spec.provider;
  const row = findProvider(base);
  if (!row) throw unknownProvider(spec, base, providers);
  if (row.advice !== undefined)
    throw new ConfigError(`${spec.provider}/${spec.model}: provider ${base} is not supported: ${row.advice}`);
  const { unsupportedVariant: variant } = row;
  if (variant && /^(1|true)$/i.test(env(variant.variable) ?? "")) {
    throw new ConfigError(`${spec.provider}/${spec.model}: ${variant.advice}`);
  }

  const merged = withProviderDefaults(spec, custom);
  const model = expandVariables(spec.model, env);
  const url = expandBaseUrl(merged, custom, row, env);
  const key = resolveKey(spec, custom, row, env);
  rememberOf(merged, url.text, key.value);
  // `openai` with a base URL of the user's own may be any compatible server: the address decides.
  const isNamed = base !== "openai" || (custom === undefined && !url.own);
  const family = familyOf(model.text, isNamed ? base : findProviderByUrl(url.text));
  const api = chooseApi({ spec: merged, base, custom: custom !== undefined, row, family });
  return {
    provider: spec.provider,
    model: model.text,
    rowName: base,
    row,
    family,
    api,
    baseUrl: url.text,
    hasCustomBaseUrl: url.own,
    mergesMessages:
      row.mergesMessages === true || apiType(merged) === "openai_chatcompletions" || (base === "openai" && url.own),
    key: key.value,
    missing: [...new Set([...model.missing, ...url.missing, ...(key.missing ? [key.missing] : [])])],
    spec: merged,
  };
}

/**
 * The variables that must be set before these models can be called, each once and sorted; empty when all is well.
 * Callers print one error with all of them before anything starts.
 */
export function missingVariables(
  specs: readonly ModelSpec[],
  env: VariableLookup,
  providers: ProviderSpecs = {},
): string[] {
  return [...new Set(specs.flatMap((spec) => resolveModel(spec, env, providers).missing))].sort();
}

function chooseApi(choice: { spec: ModelSpec; base: string; custom: boolean; row: ProviderRow; family: Family }): Api {
  const { apis = ["chat"] } = choice.row;
  if (!apis.includes("chat")) return apis[0];
  const pinned = apiType(choice.spec);
  if (pinned === "openai_responses") return "responses";
  if (pinned === "openai_chatcompletions") return "chat";
  // Servers that stand in for OpenAI rarely know the Responses API.
  if (!choice.custom && choice.base === "openai" && choice.spec.base_url) return "chat";
  return apis.includes("responses") && choice.family.prefersResponses ? "responses" : apis[0];
}

function apiType(spec: ModelSpec): string | undefined {
  const pinned = spec.api_type ?? spec.provider_opts?.["api_type"];
  if (pinned === undefined || pinned === "") return undefined;
  if (pinned === "openai_chatcompletions" || pinned === "openai_responses") return pinned;
  throw new ConfigError(
    `${spec.provider}/${spec.model}: api_type: expected "openai_chatcompletions" or "openai_responses" ` +
      `but received ${JSON.stringify(pinned)}`,
  );
}

function expandBaseUrl(spec: ModelSpec, custom: ProviderSpec | undefined, row: ProviderRow, env: VariableLookup) {
  const configured = spec.base_url || custom?.base_url;
  if (configured) return { ...expandVariables(configured, env), own: true };
  const host = row.hostVariable && !row.isLocalEngine ? env(row.hostVariable) : undefined;
  if (row.hostVariable && row.baseUrl && host)
    return { text: urlAt(host, row.hostVariable, row.baseUrl), missing: [], own: false };
  if (row.baseUrl === undefined)
    throw new ConfigError(`${spec.provider}/${spec.model}: provider ${spec.provider} needs a base_url`);
  return { ...expandVariables(row.baseUrl, env), own: false };
}

/** A base URL with the host of a variable, which may lack scheme and port, and may name the address the server listens on. */
function urlAt(host: string, variable: string, baseUrl: string): string {
  const full = host.includes("://") ? host : `http://${host}`;
  if (!URL.canParse(full)) throw new ConfigError(`${variable}: ${JSON.stringify(host)} is not an address`);
  const url = new URL(full);
  const { port, pathname } = new URL(baseUrl);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && !/:(80|443)\/?$/.test(full)) url.port = port;
  return `${url.href.replace(/\/$/, "")}${pathname}`;
}

/** Remembers the key, the headers and the password in the URL, so that redaction knows them before the first call. */
function rememberOf({ provider_opts: options }: ModelSpec, url: string, key: string | undefined): void {
  if (key !== undefined) rememberSecret(key);
  rememberUrl(url);
  const headers = options?.["http_headers"];
  if (!isObject(headers)) return;
  rememberCredentials(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])));
}

/** The key and, when a call needs one that is not there, the variable to set. */
function resolveKey(
  spec: ModelSpec,
  custom: ProviderSpec | undefined,
  row: ProviderRow,
  env: VariableLookup,
): { value?: string; missing?: string } {
  if (spec.token_key) return requiredKey([spec.token_key], env);
  if (custom) {
    if (custom.token_key)
      return spec.base_url ? optionalKey([custom.token_key], env) : requiredKey([custom.token_key], env);
    // An endpoint of the user's own never receives a key it was not given by name.
    if (spec.base_url || custom.base_url) return {};
  }
  if (spec.base_url && row.baseUrl !== undefined) return optionalKey(row.keys, env);
  return requiredKey(row.keys, env);
}

function requiredKey(names: readonly string[], env: VariableLookup): { value?: string; missing?: string } {
  const found = optionalKey(names, env);
  return found.value !== undefined || names.length === 0 ? found : { missing: names.join(" or ") };
}

function optionalKey(names: readonly string[], env: VariableLookup): { value?: string } {
  const name = names.find((candidate) => env(candidate));
  const value = name === undefined ? undefined : env(name)?.trim();
  if (value?.startsWith("op://")) throw new ConfigError(`${name}: 1Password references (op://) are not supported yet`);
  return value ? { value } : {};
}

function unknownProvider(spec: ModelSpec, base: string, providers: ProviderSpecs): ConfigError {
  const known = [...Object.keys(providers), ...Object.keys(PROVIDERS)].sort().join(", ");
  return new ConfigError(
    `${spec.provider}/${spec.model}: unknown provider ${JSON.stringify(base)}; known are ${known}`,
  );
}
