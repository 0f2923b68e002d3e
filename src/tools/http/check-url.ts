import { isIP } from "node:net";
import { isPublicAddress } from "../../lib/network/address.ts";
import type { EntryPath, EntryReport, Obstacle } from "../toolset-row.ts";

/** An expression of configuration, which may put anything in its place. */
const EXPRESSION = /\$\{[^{}]*\}/g;

/** Reports a text that is no URL, or not one of the web, whatever its expressions give. */
export function checkUrl(path: EntryPath, text: string, report: EntryReport): void {
  if (text.trim().startsWith("${")) return; // the expression may give the scheme, too
  const filled = text.replace(EXPRESSION, "1");
  if (!URL.canParse(filled)) return report.problem(path, `${JSON.stringify(text)} is not a URL`);
  const { protocol } = new URL(filled);
  if (protocol !== "http:" && protocol !== "https:") {
    report.problem(path, `${JSON.stringify(text)}: ${protocol} URLs are not supported, only http: and https:`);
  }
}

/**
 * A URL whose host is an internal address as it is written; whether a name leads to one is only known to the resolver.
 */
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
