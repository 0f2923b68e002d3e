import { ConfigError } from "../../../lib/errors.ts";
import { isObject } from "../../../lib/json.ts";
import { rememberSecret } from "../../../lib/secrets/known-secrets.ts";
import {
  type AgentResponse,
  allowedHostsFor,
  FORBIDDEN_ADDRESS,
  isPrivateHost,
  requestAgent,
} from "../send-request.ts";
import type { SourceContext } from "../source-context.ts";
import { basicAuthorization, type Credentials, dockerCredentials } from "./docker-config.ts";
import { apiAddress, credentialNames, type ImageReference } from "./image-reference.ts";

export interface RegistryRequest {
  method?: "GET" | "HEAD" | "POST" | "PUT";
  accept?: string;
  contentType?: string;
  body?: Uint8Array | string;
  limit: number;
  /** The name of the answer in messages. */
  what: string;
  /** Allows redirects to other hosts, which registries use for blobs only. */
  mayRedirect?: boolean;
}

/** Sends requests to one repository of a registry. */
export interface RegistrySession {
  /** The address of the registry's API. */
  base: URL;
  /** Sends a request. `path` is relative to the repository (`manifests/latest`), or a URL of the same registry. */
  send(path: string | URL, request: RegistryRequest): Promise<AgentResponse>;
}

type Authorization = Record<string, string>;

/** Statuses after which other credentials are tried. Registries limit anonymous requests with 429. */
const RETRY_WITH_CREDENTIALS: readonly number[] = [401, 403, 429];

const TOKEN_LIMIT = 256 * 1024;

/**
 * Opens a repository for pulling, or for pulling and pushing. Tries each request without credentials first, then with
 * an anonymous token, then with the user's Docker credentials. Only the registry and its token server receive those.
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
        throw new ConfigError(
          `${base.host}: refers to another host, ${url.host}, which must not receive the credentials`,
          { help: FORBIDDEN_ADDRESS },
        );
      for (;;) {
        const response = await once(url, request);
        if (!RETRY_WITH_CREDENTIALS.includes(response.status)) return response;
        const next = await steps.next(parseChallenge(response.headers.get("www-authenticate")));
        if (!next) return response;
        current = next;
      }
    },
  };
}

/** The authorizations to try, in this order, each once per session. */
function authorizations(reference: ImageReference, access: string, context: SourceContext) {
  const scope = `repository:${reference.repository}:${access}`;
  let challenge: Challenge | undefined;
  const anonymous = async () =>
    challenge?.kind === "bearer" ? fetchToken(challenge, scope, undefined, reference, context) : undefined;
  const user = async () => {
    const credentials = challenge && (await dockerCredentials(credentialNames(reference), context.env, context.signal));
    if (!challenge || !credentials) return undefined;
    rememberSecret(credentials.kind === "password" ? credentials.password : credentials.token);
    if (challenge.kind === "bearer") return fetchToken(challenge, scope, credentials, reference, context);
    return credentials.kind === "password" ? { authorization: basicAuthorization(credentials) } : undefined;
  };
  const steps = [anonymous, user];
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

/** Fetches a short-lived token. Returns undefined if the token server does not give one. */
async function fetchToken(
  { realm, service }: Extract<Challenge, { kind: "bearer" }>,
  scope: string,
  credentials: Credentials | undefined,
  reference: ImageReference,
  context: SourceContext,
): Promise<Authorization | undefined> {
  const base = apiAddress(reference);
  if (!URL.canParse(realm))
    throw new ConfigError(`${base.host}: the registry returned an invalid address of its token server`);
  const url = new URL(realm);
  // A public registry must not make hooksh send requests to the private network.
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
    return undefined; // no token; the next authorization is tried
  }
  if (!isObject(parsed)) return undefined;
  const token = parsed["token"] ?? parsed["access_token"];
  return typeof token === "string" && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

/** The kind of authorization that a registry requires. */
type Challenge =
  | { kind: "basic" }
  | { kind: "bearer"; realm: string; service: string | undefined; scope: string | undefined };

/** Returns the first supported challenge of a `WWW-Authenticate` header; undefined if there is none. */
function parseChallenge(header: string | null): Challenge | undefined {
  const text = header ?? "";
  const bearer = /(?:^|,)\s*bearer\s/i.exec(text);
  if (bearer) {
    const parameters = text.slice(bearer.index + bearer[0].length);
    const realm = parameter(parameters, "realm");
    return realm === undefined
      ? undefined
      : { kind: "bearer", realm, service: parameter(parameters, "service"), scope: parameter(parameters, "scope") };
  }
  return /(?:^|,)\s*basic\b/i.test(text) ? { kind: "basic" } : undefined;
}

function parameter(parameters: string, name: string): string | undefined {
  return new RegExp(`(?:^|[\\s,])${name}="([^"]*)"`, "i").exec(parameters)?.[1];
}
