import * as v from "valibot";
import { type Env, variableName } from "../../lib/env.ts";
import { readAtMost } from "../../lib/network/guarded-fetch.ts";
import { findExecutable } from "../../lib/platform.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { withoutCredentials } from "../catalog/base-url.ts";
import type { VariableLookup } from "../catalog/expand-variables.ts";
import { findProvider, PROVIDERS, type ProviderRow } from "../catalog/providers.ts";
import { resolveModel } from "../catalog/resolve.ts";
import { type DmrEndpoint, findDmr, isInContainer, viaSocket } from "../dmr/find-dmr.ts";

/** A model server on this machine that answers, and the models it offers. */
export interface LocalServer {
  /** Its name in `PROVIDERS`. */
  provider: string;
  /** Its base URL, without credentials. */
  url: string;
  /** The names of its chat models, as the server lists them; may be empty. */
  models: readonly string[];
}

/** The environment in which local servers are looked for. */
export interface LocalSearch {
  /** Looks up variables such as `OLLAMA_HOST`. */
  lookup: VariableLookup;
  env: Env;
}

/** Longest time for all servers together; a server that does not run refuses immediately. */
const SEARCH_MS = 2500;
const ANSWER_MS = 1000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_MODELS = 50;

/** Asks the local servers that hooksh knows, at their usual addresses, for their models. Never throws. */
export async function findLocalModels(search: LocalSearch): Promise<LocalServer[]> {
  const found = await Promise.all(
    localProviders().map(async (provider) => {
      const end = await settleWithin(serverOf(provider, search), { ms: SEARCH_MS });
      return end.kind === "done" ? end.value : undefined;
    }),
  );
  return found.filter((server) => server !== undefined);
}

/** The providers that are servers on the user's machine. */
function localProviders(): string[] {
  return Object.entries<ProviderRow>(PROVIDERS).flatMap(([name, row]) =>
    row.startCommand === undefined ? [] : [name],
  );
}

async function serverOf(provider: string, search: LocalSearch): Promise<LocalServer | undefined> {
  try {
    const endpoint = await endpointOf(provider, search);
    if (!endpoint) return undefined;
    return { provider, url: withoutCredentials(endpoint.baseUrl), models: await modelsAt(endpoint) };
  } catch {
    return undefined; // no server there, or not one that lists models
  }
}

/** Returns the address of a local server without credentials, and whether a model server answers there. Never throws. */
export async function locateServer(provider: string, search: LocalSearch): Promise<{ url: string; answers: boolean }> {
  const endpoint = await endpointOf(provider, search, "always");
  const url = withoutCredentials(endpoint.baseUrl);
  try {
    const response = await fetch(new URL("models", endpoint.baseUrl), requestTo(endpoint));
    await response.body?.cancel();
    return { url, answers: response.ok };
  } catch {
    return { url, answers: false }; // no server, or not an HTTP server
  }
}

/** Returns the address of a local server; undefined if Docker Model Runner cannot be there, unless `always` is given. */
function endpointOf(provider: string, search: LocalSearch, always: "always"): Promise<DmrEndpoint>;
function endpointOf(provider: string, search: LocalSearch): Promise<DmrEndpoint | undefined>;
async function endpointOf(provider: string, { lookup, env }: LocalSearch, always?: "always") {
  if (!findProvider(provider)?.isLocalEngine)
    return { baseUrl: `${resolveModel({ provider, model: "any" }, lookup).baseUrl}/` };
  const host = lookup("MODEL_RUNNER_HOST");
  if (!always && !host && !findExecutable("docker", env[variableName(env, "PATH")] ?? "")) return undefined;
  return findDmr({
    env: { ...env, ...(host ? { MODEL_RUNNER_HOST: host } : {}) },
    inContainer: isInContainer(),
    fetch,
  });
}

function requestTo({ unix }: DmrEndpoint) {
  return { signal: AbortSignal.timeout(ANSWER_MS), redirect: "error", ...viaSocket(unix) } as const;
}

const ListSchema = v.object({ data: v.array(v.looseObject({ id: v.string() })) });

/** A model name that is safe in a file, in a command line and on a terminal. */
const NAME = /^[A-Za-z0-9][\w.:/@-]{0,150}$/;

/** Parts of the names of models that do not chat. */
const NOT_FOR_CHAT = /embed|rerank|whisper|\btts\b|\bbge\b|moderation|dall-e|transcribe/i;

/** Returns the chat models of a server. Throws if it gives no list of models. */
async function modelsAt(endpoint: DmrEndpoint): Promise<string[]> {
  const response = await fetch(new URL("models", endpoint.baseUrl), requestTo(endpoint));
  const { bytes, truncated } = await readAtMost(response, MAX_ANSWER_BYTES);
  if (!response.ok || truncated) throw new Error(`status ${response.status}`);
  const { data } = v.parse(ListSchema, JSON.parse(new TextDecoder().decode(bytes)));
  return data
    .map(({ id }) => id)
    .filter(isChatModel)
    .slice(0, MAX_MODELS);
}

/** True for the name of a model that chats, if it is safe in a file, in a command line and on a terminal. */
export function isChatModel(name: string): boolean {
  return NAME.test(name) && !NOT_FOR_CHAT.test(name);
}
