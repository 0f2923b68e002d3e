import { ConfigError } from "../../../lib/errors.ts";
import { isObject } from "../../../lib/json.ts";
import { rememberSecret } from "../../../lib/secrets/known-secrets.ts";
import { type AgentResponse, allowedHostsFor, isPrivateHost, requestAgent } from "../send-request.ts";
import type { SourceContext } from "../source-context.ts";
import { type Challenge, parseChallenge } from "./challenge.ts";
import { basicAuthorization, type Credentials, dockerCredentials } from "./docker-config.ts";
import { apiAddress, credentialNames, type ImageReference } from "./image-reference.ts";

/** A request to a registry. */
export interface RegistryRequest {
  method?: "GET" | "HEAD" | "POST" | "PUT";
  accept?: string;
  contentType?: string;
  body?: Uint8Array | string;
  limit: number;
  /** What the answer is, for messages. */
  what: string;
  /** A blob may lie elsewhere; everything else is answered by the registry itself. */
  mayRedirect?: boolean;
}

/** Requests to one repository of one registry. */
export interface RegistrySession {
  /** Where its API is. */
  base: URL;
  /** `path` is below the repository: `manifests/latest`; or a whole URL of the same registry. */
  send(path: string | URL, request: RegistryRequest): Promise<AgentResponse>;
}

type Authorization = Record<string, string>;

/** Statuses that better credentials may change: not known, not allowed, too many without a name. */
const REFUSALS: readonly number[] = [401, 403, 429];

const TOKEN_LIMIT = 256 * 1024;

/**
 * Opens a repository for reading, or for writing too. Asks without a name first, then with a token for everybody, and
 * with the user's Docker credentials only when that does not do. They go to the registry, and to where it says tokens
 * are to be had; nowhere else.
 *
 * Source: config-and-cli 7.7.
 */
export function openSession(
  reference: ImageReference,
  access: "pull" | "pull,push",
  context: SourceContext,
): RegistrySession {
  const base = apiAddress(reference);
  const allowedHosts = allowedHostsFor(reference.registry, context);
  const steps = authorizations(reference, access, context);
  let current: Authorization = {};

  const once = (
    url: URL,
    { method = "GET", accept, contentType, body, limit, what, mayRedirect = false }: RegistryRequest,
  ) =>
    requestAgent(url, {
      method,
      headers: {
        "user-agent": "hooksh",
        ...(accept === undefined ? {} : { accept }),
        ...(contentType === undefined ? {} : { "content-type": contentType }),
      },
      credentials: current,
      ...(body === undefined ? {} : { body }),
      limit,
      what,
      allowedHosts,
      redirects: mayRedirect ? "anywhere" : "same_host",
      context,
    });

  return {
    base,
    send: async (path, request) => {
      const url = path instanceof URL ? path : new URL(`/v2/${reference.repository}/${path}`, base);
      if (url.origin !== base.origin)
        throw new ConfigError(`${base.host}: refers to another host, ${url.host}, where credentials do not go`);
      for (;;) {
        const response = await once(url, request);
        if (!REFUSALS.includes(response.status)) return response;
        const next = await steps.next(parseChallenge(response.headers.get("www-authenticate")));
        if (!next) return response;
        current = next;
      }
    },
  };
}

/** What to try one after the other; each is tried once for a session. */
function authorizations(reference: ImageReference, access: string, context: SourceContext) {
  const scope = `repository:${reference.repository}:${access}`;
  let challenge: Challenge | undefined;
  const everybody = async () =>
    challenge?.kind === "bearer" ? fetchToken(challenge, scope, undefined, reference, context) : undefined;
  const user = async () => {
    const credentials = challenge && (await dockerCredentials(credentialNames(reference), context.env, context.signal));
    if (!challenge || !credentials) return undefined;
    rememberSecret(credentials.kind === "password" ? credentials.password : credentials.token);
    if (challenge.kind === "bearer") return fetchToken(challenge, scope, credentials, reference, context);
    return credentials.kind === "password" ? { authorization: basicAuthorization(credentials) } : undefined;
  };
  const steps = [everybody, user];
  return {
    next: async (given: Challenge | undefined): Promise<Authorization | undefined> => {
      challenge = given ?? challenge;
      for (let step = steps.shift(); step; step = steps.shift()) {
        const authorization = await step();
        if (authorization) return authorization;
      }
      return undefined;
    },
  };
}

/** A token of short life; undefined when the credentials do not get one. */
async function fetchToken(
  { realm, service }: Extract<Challenge, { kind: "bearer" }>,
  scope: string,
  credentials: Credentials | undefined,
  reference: ImageReference,
  context: SourceContext,
): Promise<Authorization | undefined> {
  const base = apiAddress(reference);
  if (!URL.canParse(realm)) throw new ConfigError(`${base.host}: names no usable place for tokens`);
  const url = new URL(realm);
  // A registry on the outside has no say in what is asked inside.
  const allowedHosts = (await isPrivateHost(base.hostname, context.signal))
    ? allowedHostsFor(reference.registry, context)
    : "public";
  const fields = { ...(service === undefined ? {} : { service }), scope };
  const refresh = credentials?.kind === "refresh" ? credentials.token : undefined;
  const form =
    refresh === undefined
      ? undefined
      : new URLSearchParams({ ...fields, grant_type: "refresh_token", client_id: "hooksh", refresh_token: refresh });
  if (!form) for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  const response = await requestAgent(url, {
    method: form ? "POST" : "GET",
    headers: {
      accept: "application/json",
      "user-agent": "hooksh",
      ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
    },
    ...(credentials?.kind === "password" ? { credentials: { authorization: basicAuthorization(credentials) } } : {}),
    ...(form ? { body: form.toString() } : {}),
    limit: TOKEN_LIMIT,
    what: "the token",
    allowedHosts,
    redirects: "same_host",
    context,
  });
  const token = response.status === 200 ? tokenIn(response.bytes) : undefined;
  return token === undefined ? undefined : { authorization: `Bearer ${token}` };
}

function tokenIn(bytes: Uint8Array): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined; // no token: the next step is tried
  }
  if (!isObject(parsed)) return undefined;
  const token = parsed["token"] ?? parsed["access_token"];
  return typeof token === "string" && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}
