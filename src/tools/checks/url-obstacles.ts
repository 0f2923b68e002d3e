import { isIP } from "node:net";
import { isPublicAddress } from "../../lib/network/address.ts";
import type { EntryPath, Obstacle } from "../row.ts";
import { EXPRESSION } from "./url.ts";

/** A URL whose host is an internal address as it is written; whether a name leads to one is only known to the resolver. */
export async function urlObstacles(
  path: EntryPath,
  text: string,
  { allow_private_ips: allowPrivate = false }: { allow_private_ips?: boolean },
): Promise<Obstacle[]> {
  const filled = text.replace(EXPRESSION, "1");
  if (allowPrivate || /^[^/]*\/\/[^/]*\$\{/.test(text) || !URL.canParse(filled)) return [];
  const host = new URL(filled).hostname.replace(/^\[(.*)\]$/, "$1");
  const isInternal =
    host === "localhost" || host.endsWith(".localhost") || (isIP(host) !== 0 && !isPublicAddress(host));
  return isInternal
    ? [{ path, message: `${host} is an internal address: allow_private_ips: true lets it through` }]
    : [];
}
