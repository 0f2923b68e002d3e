import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { rememberCredentials, rememberSecret, rememberUrl } from "../../lib/secrets/known-secrets.ts";
import { BASE_URL_PROBLEM, baseUrlFromVariable, isBaseUrl } from "./base-url.ts";
import { expandVariables, type VariableLookup } from "./expand-variables.ts";
import { type Family, familyOf } from "./families.ts";
import { providerAdvice } from "./name-advice.ts";
import {
  type Api,
  findProvider,
  findProviderByUrl,
  foreignServiceProblem,
  type ProviderRow,
  providerRowName,
} from "./providers.ts";
import { type ModelSpec, type ProviderSpec, type ProviderSpecs, withProviderDefaults } from "./spec.ts";

/** A model with its provider, API, address and credentials resolved without the network. */
export interface ResolvedModel {
  /** The provider's name as configured. */
  provider: string;
  model: string;
  /** The name of the row in `PROVIDERS` whose rules apply. */
  rowName: string;
  row: ProviderRow;
  family: Family;
  api: Api;
  baseUrl: string;
  /** True if the base URL was configured, not taken from the table. */
  hasCustomBaseUrl: boolean;
  /** The variable that holds the base URL; undefined if none does. */
  baseUrlVariable: string | undefined;
  /** Headers that variables set. */
  variableHeaders: Readonly<Record<string, string>>;
  mergesMessages: boolean;
  /** Undefined if no key is sent. */
  key: string | undefined;
  /** The variable that holds `key`. */
  keyVariable: string | undefined;
  /** Unset variables that a call needs; alternatives share one entry: `GITHUB_TOKEN or GH_TOKEN`. */
  missing: readonly string[];
  /** The model's settings, with those inherited from its provider. */
  spec: ModelSpec;
}

/** A setting of a model with which no call can succeed, whatever the environment holds. */
export class ModelSettingError extends ConfigError {
  /** The path of keys to the setting. */
  readonly path: readonly string[];
  /** The message without the model and the path. */
  readonly problem: string;

  constructor({ provider, model }: ModelSpec, path: readonly string[], problem: string) {
    super(`${provider}/${model}: ${path.join(".")}: ${problem}`);
    this.path = path;
    this.problem = problem;
  }
}

/**
 * Resolves the provider, API, base URL and key of a model. A missing variable is not an error here, but listed in
 * `missing`. Throws a {@link ConfigError} for an unknown or unsupported provider, and a {@link
 * ModelSettingError} for an unknown API and for a base URL that is missing or none.
 */
export function resolveModel(spec: ModelSpec, env: VariableLookup, providers: ProviderSpecs = {}): ResolvedModel {
  const custom = Object.hasOwn(providers, spec.provider) ? providers[spec.provider] : undefined;
  const base = providerRowName(custom ? (custom.provider ?? "openai") : spec.provider);
  const row = findProvider(base);
  if (!row) throw unknownProvider(spec, base, providers);
  if (row.advice !== undefined)
    throw new ConfigError(`${spec.provider}/${spec.model}: provider ${base} is not supported: ${row.advice}`);
  const { foreignService: other } = row;
  if (other && /^(1|true)$/i.test(env(other.variable) ?? ""))
    throw new ConfigError(`${spec.provider}/${spec.model}: ${foreignServiceProblem(other, other.variable)}`);

  const merged = withProviderDefaults(spec, custom);
  const model = expandVariables(spec.model, env);
  const key = resolveKey(spec, custom, row, env);
  const url = expandBaseUrl(merged, { custom, row, keyVariable: key.variable }, env);
  rememberCredentialsOf(merged, url.text, key.value);
  // `openai` with a configured base URL may be any compatible server: the address decides.
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
    baseUrlVariable: url.variable,
    variableHeaders: url.own ? {} : variableHeaders(row, env),
    mergesMessages:
      row.mergesMessages === true || apiType(merged) === "openai_chatcompletions" || (base === "openai" && url.own),
    key: key.value,
    keyVariable: key.variable,
    missing: [...new Set([...model.missing, ...url.missing, ...(key.missing ? [key.missing] : [])])],
    spec: merged,
  };
}

/**
 * Returns the unset variables that calls of these models need, sorted and without duplicates. Callers report all of
 * them in one error before anything starts.
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
  // Few servers compatible with OpenAI offer the Responses API.
  if (!choice.custom && choice.base === "openai" && choice.spec.base_url) return "chat";
  return apis.includes("responses") && choice.family.prefersResponses ? "responses" : apis[0];
}

function apiType(spec: ModelSpec): string | undefined {
  const pinned = spec.api_type ?? spec.provider_opts?.["api_type"];
  if (pinned === undefined || pinned === "") return undefined;
  if (pinned === "openai_chatcompletions" || pinned === "openai_responses") return pinned;
  throw new ModelSettingError(
    spec,
    spec.api_type === undefined ? ["provider_opts", "api_type"] : ["api_type"],
    `expected "openai_chatcompletions" or "openai_responses" but received ${JSON.stringify(pinned)}`,
  );
}

function expandBaseUrl(
  spec: ModelSpec,
  { custom, row, keyVariable }: { custom: ProviderSpec | undefined; row: ProviderRow; keyVariable: string | undefined },
  env: VariableLookup,
) {
  const configured = spec.base_url || custom?.base_url;
  if (configured) {
    const expanded = expandVariables(configured, env);
    if (expanded.missing.length === 0 && !isBaseUrl(expanded.text))
      throw new ModelSettingError(spec, ["base_url"], BASE_URL_PROBLEM);
    return { ...expanded, own: true, variable: undefined };
  }
  const url = row.urlVariable && baseUrlFromVariable(row.urlVariable, env, keyVariable);
  if (url) return { text: url, missing: [], own: false, variable: row.urlVariable };
  const host = row.hostVariable && !row.isLocalEngine ? env(row.hostVariable) : undefined;
  if (row.hostVariable && row.baseUrl && host)
    return { text: urlAt(host, row.hostVariable, row.baseUrl), missing: [], own: false, variable: undefined };
  if (row.baseUrl === undefined)
    throw new ModelSettingError(spec, ["base_url"], `is required for provider ${spec.provider}`);
  return { ...expandVariables(row.baseUrl, env), own: false, variable: undefined };
}

function variableHeaders({ variableHeaders = {} }: ProviderRow, env: VariableLookup): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variableHeaders).flatMap(([header, name]) => {
      const value = env(name)?.trim();
      return value ? [[header, value]] : [];
    }),
  );
}

/**
 * Puts the host of a variable into a base URL. The host may lack scheme and port, and may be the listen address
 * 0.0.0.0.
 */
function urlAt(host: string, variable: string, baseUrl: string): string {
  const full = host.includes("://") ? host : `http://${host}`;
  if (!URL.canParse(full)) throw new ConfigError(`${variable}: ${JSON.stringify(host)} is not an address`);
  const url = new URL(full);
  const { port, pathname } = new URL(baseUrl);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && !/:(80|443)\/?$/.test(full)) url.port = port;
  return `${url.href.replace(/\/$/, "")}${pathname}`;
}

/** Registers the key, the headers and the password in the URL with redaction before the first call. */
function rememberCredentialsOf({ provider_opts: options }: ModelSpec, url: string, key: string | undefined): void {
  if (key !== undefined) rememberSecret(key);
  rememberUrl(url);
  const headers = options?.["http_headers"];
  if (!isObject(headers)) return;
  rememberCredentials(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])));
}

/** Returns the key or, if a call needs one and none is set, the variable to set. */
function resolveKey(
  spec: ModelSpec,
  custom: ProviderSpec | undefined,
  row: ProviderRow,
  env: VariableLookup,
): FoundKey & { missing?: string } {
  if (spec.token_key) return requiredKey([spec.token_key], env);
  if (custom) {
    if (custom.token_key)
      return spec.base_url ? optionalKey([custom.token_key], env) : requiredKey([custom.token_key], env);
    // A custom endpoint receives only a key that its entry names.
    if (spec.base_url || custom.base_url) return {};
  }
  if (spec.base_url && row.baseUrl !== undefined) return optionalKey(row.keys, env);
  return requiredKey(row.keys, env);
}

/** A key, and the variable that holds it; both absent if none is set. */
interface FoundKey {
  value?: string;
  variable?: string;
}

function requiredKey(names: readonly string[], env: VariableLookup): FoundKey & { missing?: string } {
  const found = optionalKey(names, env);
  return found.value !== undefined || names.length === 0 ? found : { missing: names.join(" or ") };
}

function optionalKey(names: readonly string[], env: VariableLookup): FoundKey {
  const name = names.find((candidate) => env(candidate));
  const value = name === undefined ? undefined : env(name)?.trim();
  if (value?.startsWith("op://")) throw new ConfigError(`${name}: 1Password references (op://) are not supported yet`);
  return name !== undefined && value ? { value, variable: name } : {};
}

function unknownProvider(spec: ModelSpec, base: string, providers: ProviderSpecs): ConfigError {
  return new ConfigError(
    `${spec.provider}/${spec.model}: no provider ${JSON.stringify(base)}; ${providerAdvice(base, Object.keys(providers))}`,
  );
}
