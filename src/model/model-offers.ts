import * as v from "valibot";
import { processEnv } from "../lib/env.ts";
import { UserError } from "../lib/errors.ts";
import { readAtMost } from "../lib/network/guarded-fetch.ts";
import { nearest } from "../lib/text/nearest.ts";
import { parseModelReference } from "./catalog/model-reference.ts";
import { findProvider, PROVIDERS, type ProviderRow } from "./catalog/providers.ts";
import { type ResolvedModel, resolveModel } from "./catalog/resolve.ts";
import type { ModelDeps } from "./create-model.ts";
import { findLocalModels, isChatModel } from "./local/find-local-models.ts";
import { requestHeaders } from "./settings/request-settings.ts";

/** The models that an agent could use instead of its own. */
export interface ModelOffers {
  /** The providers that can be used: those of the agent file, those with a key, and servers on this machine. */
  readonly providers: readonly string[];
  /** The models that `auto` would choose from the providers with a key. */
  readonly defaults: readonly string[];
  /** Asks a provider for the chat models that it offers. Undefined if it gives no list, or not in time. Never throws. */
  list(provider: string): Promise<readonly string[] | undefined>;
  /**
   * Checks `provider/model` against the provider's own list. Returns false if there is no list to check against. Throws a
   * {@link UserError} with the nearest names for a provider that hooksh does not know, and for a model that is not listed.
   */
  check(reference: string): Promise<boolean>;
}

const ANSWER_MS = 2500;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_MODELS = 1000;
const NEAREST = 3;

/** Returns what the providers offer with this configuration. Offline, no provider is asked. */
export function modelOffers(deps: Pick<ModelDeps, "env" | "providers" | "offline">): ModelOffers {
  const { providers: custom = {}, offline } = deps;
  const names = [...new Set([...Object.keys(custom), ...Object.keys(PROVIDERS)])];
  // Not before it is asked: resolving a provider makes its key a known secret.
  const usable = () =>
    Object.entries<ProviderRow>(PROVIDERS).filter(([name]) => resolved(name, deps)?.missing.length === 0);
  const listed = async (provider: string) => {
    const model = offline ? undefined : resolved(provider, deps);
    if (model?.row.isLocalEngine) {
      const servers = await findLocalModels({ lookup: deps.env, env: processEnv() });
      return servers.find((server) => server.provider === provider)?.models;
    }
    return model?.missing.length === 0 && !model.row.namesDeployments ? namesAt(model) : undefined;
  };
  return {
    get providers() {
      return [...new Set([...Object.keys(custom), ...usable().map(([name]) => name)])];
    },
    get defaults() {
      return usable().flatMap(([name, { defaultModel, startCommand }]) =>
        defaultModel === undefined || startCommand !== undefined ? [] : [`${name}/${defaultModel}`],
      );
    },
    list: async (provider) => (await listed(provider))?.filter(isChatModel).slice(0, MAX_MODELS),
    check: async (reference) => {
      const { provider, model } = parseModelReference(reference) ?? { provider: reference, model: "" };
      if (!names.includes(provider) && !findProvider(provider)) {
        const close = nearest(provider, names);
        throw new UserError(
          `no provider ${JSON.stringify(provider)}${close ? `, did you mean ${close}/${model}?` : ""}; /model lists those that can be used`,
        );
      }
      const offered = await listed(provider);
      if (offered === undefined || offered.length === 0) return false;
      if (offered.some((each) => isSameModel(model, each))) return true;
      const close = nearestOf(model, offered);
      const hint = close.length > 0 ? `did you mean ${close.join(", ")}?` : `/model ${provider} lists its models`;
      throw new UserError(
        `${provider} lists no model ${JSON.stringify(model)}; ${hint} A model that it does not list can be used with --model or from the agent file`,
      );
    },
  };
}

/** Returns a provider with its address and key; undefined if it cannot be used with this configuration. */
function resolved(
  provider: string,
  { env, providers }: Pick<ModelDeps, "env" | "providers">,
): ResolvedModel | undefined {
  try {
    return resolveModel({ provider, model: "any" }, env, providers);
  } catch {
    return undefined; // such as a provider without an address: using it reports why
  }
}

const ListSchema = v.union([
  v.object({ data: v.array(v.looseObject({ id: v.string() })) }),
  v.object({ models: v.array(v.looseObject({ name: v.string() })) }), // Google
  v.array(v.looseObject({ id: v.string() })), // Together AI
]);

/** Asks the list endpoint of a provider. Undefined if it answers with anything but a list in time. */
async function namesAt(model: ResolvedModel): Promise<string[] | undefined> {
  try {
    const response = await fetch(listUrl(model), {
      headers: { "anthropic-version": "2023-06-01", "user-agent": "hooksh", ...requestHeaders(model) },
      redirect: "error", // a redirect could carry the key to another host
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { bytes, truncated } = await readAtMost(response, MAX_ANSWER_BYTES);
    if (!response.ok || truncated) return undefined;
    const list = v.parse(ListSchema, JSON.parse(new TextDecoder().decode(bytes)));
    if (Array.isArray(list)) return list.map(({ id }) => id);
    return "data" in list
      ? list.data.map(({ id }) => id)
      : list.models.map(({ name }) => name.replace(/^models\//, ""));
  } catch {
    return undefined; // no server, no list, or too slow
  }
}

function listUrl({ api, baseUrl }: ResolvedModel): string {
  const base = baseUrl.replace(/\/+$/, "");
  if (api === "anthropic") return `${base.replace(/\/v1$/, "")}/v1/models?limit=1000`;
  if (api === "google") return `${/\/v1(beta\d*|alpha)?$/.test(base) ? base : `${base}/v1beta`}/models?pageSize=1000`;
  return `${base}/models`;
}

/** True if a name means a listed model: the same, its newest version, or a variant such as `:free` that routers add. */
function isSameModel(name: string, listed: string): boolean {
  const stem = name.replace(/(-latest|:[\w.-]+)$/, "");
  if (name === listed || stem === listed || listed === `${name}:latest`) return true;
  return listed.startsWith(`${stem}-`) && /^-(\d{3,8}|\d{4}-\d\d-\d\d|latest)$/.test(listed.slice(stem.length));
}

function nearestOf(name: string, listed: readonly string[]): string[] {
  const close: string[] = [];
  const left = new Set(listed);
  for (let next = nearest(name, left); next !== undefined && close.length < NEAREST; next = nearest(name, left)) {
    close.push(next);
    left.delete(next);
  }
  return close;
}
