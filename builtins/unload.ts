import type { Env } from "../src/lib/env.ts";
import { errorText } from "../src/lib/errors.ts";
import { type GuardedResponse, guardedFetch, readAtMost } from "../src/lib/network/guarded-fetch.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import type { ModelEndpoint } from "../src/protocol/fields.ts";

const TIME_LIMIT_MS = 10_000;
const SHOWN_BODY = 4096;
const DOCKER_SOCKET = "/var/run/docker.sock";

/** The URL that unloads a model, and the one to try if that answers 404. */
type Target = { kind: "skip" } | { kind: "invalid"; reason: string } | { kind: "ask"; url: URL; fallback?: URL };

/**
 * Asks the local model servers of the agent that is being left to unload their models. A failure is logged and has no
 * other effect.
 */
export const run = defineBuiltin(async (input, _args, { env, signal, log }) => {
  if (!input.from_agent || input.from_agent === input.to_agent) return undefined;
  const endpoints = (input.from_agent_models ?? []).filter(
    (endpoint) => endpoint.provider === "dmr" || endpoint.unload_api,
  );
  await Promise.all(
    endpoints.map(async (endpoint) => {
      const reason = await unload(endpoint, env, signal).catch(errorText);
      if (reason !== undefined) log("warn", `unload: model ${JSON.stringify(endpoint.model ?? "")}: ${reason}`);
    }),
  );
  return undefined;
});

/** The URL that unloads the model of an endpoint, by its `unload_api` and `base_url`. */
export function unloadTarget({ base_url = "", unload_api = "" }: ModelEndpoint): Target {
  if (/^https?:\/\//.test(unload_api)) {
    return URL.canParse(unload_api)
      ? { kind: "ask", url: new URL(unload_api) }
      : { kind: "invalid", reason: "unload_api is not a valid URL" };
  }
  if (unload_api === "" && base_url === "") return { kind: "skip" };
  const base = /^https?:\/\//.test(base_url) && URL.canParse(base_url) ? new URL(base_url) : undefined;
  if (!base) {
    const shown = base_url.slice(base_url.lastIndexOf("@") + 1); // the part before it may be a password
    return {
      kind: "invalid",
      reason: `base_url ${JSON.stringify(shown)} is not absolute; cannot resolve unload endpoint`,
    };
  }
  if (unload_api !== "")
    return { kind: "ask", url: withPath(base, unload_api.startsWith("/") ? unload_api : `/${unload_api}`) };
  const url = withPath(base, `${base.pathname.replace(/\/$/, "").replace(/\/v1$/, "")}/_unload`);
  const engines = base.pathname.indexOf("/engines");
  if (engines < 0) return { kind: "ask", url };
  return { kind: "ask", url, fallback: withPath(base, `${base.pathname.slice(0, engines)}/engines/unload`) };
}

/** Returns why the request failed, or undefined. */
async function unload(endpoint: ModelEndpoint, env: Env, signal: AbortSignal): Promise<string | undefined> {
  const target = unloadTarget(endpoint);
  if (target.kind === "skip") return undefined;
  if (target.kind === "invalid") return target.reason;
  const model = endpoint.model ?? "";
  const backend = /\/engines\/([^/]+)\/v1\/?$/.exec(endpoint.base_url ?? "")?.[1] ?? "";
  const body = JSON.stringify({ model, models: [model], backend });
  const ask = (url: URL) => send(url, body, env, AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]));

  let result = await ask(target.url);
  if (result.kind === "response" && result.response.status === 404 && target.fallback)
    result = await ask(target.fallback);
  if (result.kind !== "response") return result.reason;
  if (result.response.ok) return undefined;
  const { bytes } = await readAtMost(result.response, SHOWN_BODY);
  const message = new TextDecoder().decode(bytes).trim();
  return `${result.url.host}${result.url.pathname}: status ${result.response.status}: ${message}`;
}

/** A base URL with the host `_` is that of Docker Desktop, which is reached through its socket. */
async function send(url: URL, body: string, env: Env, signal: AbortSignal): Promise<GuardedResponse> {
  const headers = { "Content-Type": "application/json" };
  if (url.hostname !== "_")
    return guardedFetch(url, { method: "POST", headers, body, env, signal, allowPrivate: true });
  return {
    kind: "response",
    url,
    response: await fetch(url, { method: "POST", headers, body, signal, unix: DOCKER_SOCKET }),
  };
}

function withPath(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = path;
  return url;
}
