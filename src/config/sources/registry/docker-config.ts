import { join } from "node:path";
import { type Env, homeDirectory } from "../../../lib/env.ts";
import { ConfigError } from "../../../lib/errors.ts";
import { isObject } from "../../../lib/json.ts";
import { runProcess } from "../../../lib/process/process.ts";
import { tryReadFile } from "../private-file.ts";

/** The credentials for a registry. */
export type Credentials =
  | { kind: "password"; user: string; password: string }
  /** A refresh token, to be exchanged for a short-lived one. */
  | { kind: "refresh"; token: string };

/** Returns the `Authorization` header for a user name and password. */
export function basicAuthorization({ user, password }: Extract<Credentials, { kind: "password" }>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

const HELPER_DEADLINE_MS = 30_000;

/**
 * Returns the credentials that Docker has for a registry, from a credential helper or from its configuration file.
 * Undefined if there are none. Throws a {@link ConfigError} if the configuration or the helper fails. Messages
 * contain no secrets.
 */
export async function dockerCredentials(
  names: readonly string[],
  env: Env,
  signal?: AbortSignal,
): Promise<Credentials | undefined> {
  const path = join(env["DOCKER_CONFIG"] || join(homeDirectory(env), ".docker"), "config.json");
  const config = readConfig(path);
  const helpers = isObject(config["credHelpers"]) ? config["credHelpers"] : {};
  for (const name of names) {
    const helper = lookUp(helpers, name) ?? config["credsStore"];
    const found = typeof helper === "string" && helper !== "" ? await askHelper(helper, name, env, signal) : undefined;
    if (found) return found;
  }
  const auths = isObject(config["auths"]) ? config["auths"] : {};
  return names.map((name) => fromAuths(lookUp(auths, name))).find((found) => found !== undefined);
}

function readConfig(path: string): Record<string, unknown> {
  const bytes = tryReadFile(path);
  if (!bytes) return {};
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(parsed) ? parsed : {};
  } catch {
    throw new ConfigError(`${path}: not JSON; correct it, or remove it and log in again (docker login)`); // without the parser's message, which quotes the file
  }
}

/** Finds an entry by name. Docker writes some names with a scheme or with the version of the API. */
function lookUp(entries: Record<string, unknown>, name: string): unknown {
  const bare = (text: string) => text.replace(/^https?:\/\//, "").replace(/\/(?:v[12]\/?)?$/, "");
  return Object.entries(entries).find(([key]) => key === name || bare(key) === bare(name))?.[1];
}

function fromAuths(entry: unknown): Credentials | undefined {
  if (!isObject(entry)) return undefined;
  const text = (key: string) => (typeof entry[key] === "string" ? entry[key] : "");
  if (text("identitytoken")) return { kind: "refresh", token: text("identitytoken") };
  const decoded = Buffer.from(text("auth"), "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon > 0) return { kind: "password", user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
  return text("username") ? { kind: "password", user: text("username"), password: text("password") } : undefined;
}

/** The user name with which a helper marks its secret as a refresh token. */
const TOKEN_USER = "<token>";

async function askHelper(
  helper: string,
  server: string,
  env: Env,
  signal?: AbortSignal,
): Promise<Credentials | undefined> {
  if (!/^[A-Za-z0-9._-]+$/.test(helper))
    throw new ConfigError(
      `Docker's configuration: ${JSON.stringify(helper)} is not a valid name of a credential helper`,
    );
  const program = `docker-credential-${helper}`;
  const { end, stdout } = await runProcess({
    command: [program, "get"],
    cwd: "/",
    env,
    input: server,
    deadlineMs: HELPER_DEADLINE_MS,
    signal,
    stdoutLimit: 64 * 1024,
    stderrLimit: 0,
  });
  if (end.kind === "exited" && end.code === 1) return undefined; // a helper without credentials exits with 1
  if (end.kind !== "exited" || end.code !== 0)
    throw new ConfigError(`${program}: ${end.kind === "not_started" ? "cannot be started" : "failed"}`);
  return parseHelper(stdout, program);
}

function parseHelper(stdout: string, program: string): Credentials | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(stdout);
  } catch {
    throw new ConfigError(`${program}: its output is not JSON`); // not quoted, because it may contain the secret
  }
  const { Username: user, Secret: secret } = isObject(parsed) ? parsed : {};
  if (typeof user !== "string" || typeof secret !== "string" || secret === "") return undefined;
  return user === TOKEN_USER ? { kind: "refresh", token: secret } : { kind: "password", user, password: secret };
}
