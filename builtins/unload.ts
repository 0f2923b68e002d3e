import type { Env } from "../src/lib/env.ts";
import { errorText } from "../src/lib/errors.ts";
import type { GuardedResponse } from "../src/lib/network/guarded-fetch.ts";
import { guardedFetch, readAtMost } from "../src/lib/network/guarded-fetch.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import type { ModelEndpoint } from "../src/protocol/fields.ts";

const TIME_LIMIT_MS = 10_000;
const SHOWN_BODY = 4096;
const DOCKER_SOCKET = "/var/run/docker.sock";

/** Where to ask for a model's release, and what to try when that route does not exist. */
type Target = { kind: "skip" } | { kind: "invalid"; reason: string } | { kind: "ask"; url: URL; fallback?: URL };

/**
 * Asks the local model servers of the agent that is being left to free their memory. A server that does not do so costs
 * a line in the log, nothing else.
 *
 * Source: hooks 11.6, config-and-cli 6.9, W35.
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

/** The URL to ask, by what is configured. Source: hooks 11.6. */
export function unloadTarget({ base_url = "", unload_api = "" }: ModelEndpoint): Target {
  if (/^https?:\/\//.test(unload_api)) {
    return URL.canParse(unload_api)
      ? { kind: "ask", url: new URL(unload_api) }
      : { kind: "invalid", reason: "unload_api is no URL" };
  }
  if (unload_api === "" && base_url === "") return { kind: "skip" };
  const base = /^https?:\/\//.test(base_url) && URL.canParse(base_url) ? new URL(base_url) : undefined;
  if (!base) {
    const shown = base_url.slice(base_url.lastIndexOf("@") + 1); // what stands before it may be a password
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

/** Why it failed, or nothing. */
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
  const said = new TextDecoder().decode(bytes).trim();
  return `${result.url.host}${result.url.pathname}: status ${result.response.status}: ${said}`;
}

/** Docker Desktop on the host is reached through its socket; the host of such a base URL is `_`. */
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
