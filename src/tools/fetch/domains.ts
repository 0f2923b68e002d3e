import { BlockList, isIP } from "node:net";
import { ConfigError } from "../../lib/errors.ts";
import type { EntryReport } from "../toolset-row.ts";

/** True if a URL's host name matches one of the patterns. */
export type MatchesHost = (hostname: string) => boolean;

/**
 * Compiles the patterns of `allowed_domains` or `blocked_domains`: `example.com` includes its subdomains,
 * `.example.com` and `*.example.com` match only the subdomains, and a network matches hosts that are IP addresses.
 * Throws a {@link ConfigError} that names an invalid pattern.
 */
export function compileDomains(key: string, patterns: readonly string[]): MatchesHost {
  const matchers = patterns.map((pattern) => {
    const compiled = compile(pattern.trim().toLowerCase());
    if (typeof compiled === "string") throw new ConfigError(`${key}: ${JSON.stringify(pattern)}: ${compiled}`);
    return compiled;
  });
  return (hostname) => {
    const host = hostname
      .toLowerCase()
      .replace(/\.$/, "")
      .replace(/^\[(.*)\]$/, "$1");
    return matchers.some((matches) => matches(host));
  };
}

interface FetchEntry {
  allowed_domains?: readonly string[];
  blocked_domains?: readonly string[];
}

/** Reports invalid patterns, and an entry that has both `allowed_domains` and `blocked_domains`. */
export function checkDomains(entry: FetchEntry, report: EntryReport): void {
  if (entry.allowed_domains && entry.blocked_domains) {
    report.problem(["blocked_domains"], "cannot be combined with allowed_domains", "key");
  }
  for (const key of ["allowed_domains", "blocked_domains"] as const) {
    for (const [index, pattern] of (entry[key] ?? []).entries()) {
      const compiled = compile(pattern.trim().toLowerCase());
      if (typeof compiled === "string") report.problem([key, index], compiled);
    }
  }
}

/** Compiles a pattern, or returns why it is invalid. */
function compile(pattern: string): MatchesHost | string {
  if (pattern === "") return "an entry is empty";
  if (pattern.includes("/")) {
    return networkMatcher(pattern) ?? "neither a domain nor a network";
  }
  const name = pattern.replace(/^\*?\./, "").replace(/\.$/, "");
  if (name.includes("*")) return "expected a domain: * is allowed only at the start, as in *.example.com";
  if (name === "" || !/^[\p{L}\p{N}_.:[\]-]+$/u.test(name)) return "not a domain";
  const bare = name.replace(/^\[(.*)\]$/, "$1");
  // A network of one address also matches the other notations of the address.
  if (isIP(bare)) return networkMatcher(`${bare}/${isIP(bare) === 4 ? 32 : 128}`) ?? (() => false);
  if (name.includes(":") || !URL.canParse(`http://${name}/`)) return "not a domain";
  const host = new URL(`http://${name}/`).hostname; // encodes non-ASCII letters as URLs do
  const subdomainsOnly = pattern.startsWith(".") || pattern.startsWith("*");
  return (hostname) => hostname.endsWith(`.${host}`) || (!subdomainsOnly && hostname === host);
}

function networkMatcher(pattern: string): MatchesHost | undefined {
  const [, address = "", prefix = ""] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(pattern) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(prefix) > (family === 4 ? 32 : 128)) return undefined;
  const network = new BlockList();
  network.addSubnet(address, Number(prefix), family === 4 ? "ipv4" : "ipv6");
  return (hostname) => isIP(hostname) !== 0 && network.check(hostname, isIP(hostname) === 4 ? "ipv4" : "ipv6");
}
