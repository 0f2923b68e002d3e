import { ConfigError } from "../../lib/errors.ts";
import type { VariableLookup } from "./expand-variables.ts";

/** The problem of a base URL that is none. */
export const BASE_URL_PROBLEM = "needs http:// or https:// and no spaces";

/** True for a URL to which requests can be sent. */
export function isBaseUrl(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

/**
 * Returns the base URL that a variable holds; undefined if it is not set. Throws a {@link ConfigError} if it is no URL, and
 * if an env file sets it that does not set the key: a file of a project could otherwise send the user's key elsewhere. The
 * messages do not quote the value, which can hold a password.
 */
export function baseUrlFromVariable(
  name: string,
  env: VariableLookup,
  keyVariable: string | undefined,
): string | undefined {
  const url = env(name);
  if (!url) return undefined;
  if (!isBaseUrl(url)) throw new ConfigError(`${name}: ${BASE_URL_PROBLEM}`);
  const file = env.envFileOf?.(name);
  if (file !== undefined && keyVariable !== undefined && env.envFileOf?.(keyVariable) !== file)
    throw new ConfigError(
      `${name}: ${file} would send ${keyVariable}, which it does not set, to its own address; ` +
        `set both in this file, or ${name} in the environment`,
    );
  return url;
}

/** Returns a URL as it can be shown: without user, password and query. */
export function withoutCredentials(address: string): string {
  const url = new URL(address);
  url.username = "";
  url.password = "";
  url.search = "";
  return url.href;
}
