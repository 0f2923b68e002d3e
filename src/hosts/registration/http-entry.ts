import { UsageError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import type { DispatchCall } from "./own-command.ts";

/** The variable that holds the token of `hooksh serve`. */
export const TOKEN_VARIABLE = "HOOKSH_SERVE_TOKEN";

const DEFAULT_ADDRESS = "127.0.0.1:4747";

/** Reads the address of `install --serve`. Throws a {@link UsageError} for one at which `hooksh serve` does not listen. */
export function serverAt(address: string): string {
  const [, host = "127.0.0.1", port] =
    /^(?:(?:http:\/\/)?(127\.0\.0\.1|localhost):)?(\d{1,5})\/?$/.exec(address || DEFAULT_ADDRESS) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new UsageError(
      `--serve takes the port of hooksh serve, such as ${DEFAULT_ADDRESS}, not ${JSON.stringify(address)}`,
    );
  return `http://${host}:${port}`;
}

/** Returns the keys of an entry that posts an event to `hooksh serve`. */
export function httpKeys({ server, dialect, event, deadline }: DispatchCall): Record<string, unknown> {
  return {
    type: "http",
    url: `${server}/${dialect}/${event}?deadline=${deadline}`,
    headers: { Authorization: `Bearer $${TOKEN_VARIABLE}` },
    allowedEnvVars: [TOKEN_VARIABLE],
  };
}

/** Reads the call from an entry with {@link httpKeys}. Undefined for every other entry. */
export function readHttpEntry({ type, url, headers }: Record<string, unknown>): DispatchCall | undefined {
  if (type !== "http" || typeof url !== "string" || !isObject(headers)) return undefined;
  if (!String(headers["Authorization"]).includes(TOKEN_VARIABLE)) return undefined;
  const [, server, dialect, event, deadline] =
    /^(http:\/\/(?:127\.0\.0\.1|localhost):\d+)\/([\w-]+)\/(\w+)(?:\?deadline=([\w.]+))?$/.exec(url) ?? [];
  if (server === undefined || dialect === undefined || event === undefined) return undefined;
  return { server, dialect, event, deadline, program: [] };
}
