import { isIP } from "node:net";
import { isPublicAddress } from "../../lib/network/address.ts";
import type { EntryPath, EntryReport, Obstacle } from "../toolset-row.ts";

/** An expression of the configuration, which can expand to any text. */
const EXPRESSION = /\$\{[^{}]*\}/g;

/** Reports a text that is not an http or https URL, whatever its expressions expand to. */
export function checkUrl(path: EntryPath, text: string, report: EntryReport): void {
  if (text.trim().startsWith("${")) return; // the scheme may come from the expression
  const filled = text.replace(EXPRESSION, "1");
  if (!URL.canParse(filled)) return report.problem(path, `${JSON.stringify(text)} is not a URL`);
  const { protocol } = new URL(filled);
  if (protocol !== "http:" && protocol !== "https:") {
    report.problem(path, `${JSON.stringify(text)}: ${protocol} URLs are not supported, only http: and https:`);
  }
}

/** Reports a URL whose host is literally an internal address. Does not resolve host names. */
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
  return isInternal ? [{ path, message: `${host} is an internal address: allow_private_ips: true allows it` }] : [];
}
