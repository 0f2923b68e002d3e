import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { settleWithin } from "../settle-within.ts";

/**
 * Networks that are not on the public internet: the machine itself, local networks, and other notations for their
 * addresses. `BlockList` treats an IPv4-mapped IPv6 address as the IPv4 address.
 */
const INTERNAL_NETWORKS = [
  ["0.0.0.0", 8], // unspecified
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade address translation
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // a cloud's platform services
  ["169.254.0.0", 16], // link-local, cloud metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarking
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
  ["::", 96], // unspecified, loopback, IPv4-compatible
  ["::ffff:0:0:0", 96], // IPv4-translated
  ["64:ff9b::", 96], // address translation (NAT64)
  ["64:ff9b:1::", 48], // address translation, local use
  ["2001::", 32], // Teredo
  ["2002::", 16], // 6to4
  ["fc00::", 7], // unique local
  ["fe80::", 10], // link-local
  ["fec0::", 10], // site-local
  ["ff00::", 8], // multicast
] as const;

const internal = new BlockList();
for (const [network, prefix] of INTERNAL_NETWORKS) {
  internal.addSubnet(network, prefix, network.includes(":") ? "ipv6" : "ipv4");
}

/**
 * True if the text is an IP address on the public internet. False for internal addresses, addresses with a zone
 * (`fe80::1%eth0`) and any other text.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes("%")) return false;
  return !internal.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** The addresses of a host name, or why it could not be resolved. */
export type Resolution = { kind: "resolved"; addresses: readonly string[] } | { kind: "failed"; reason: string };

/**
 * Resolves the host of a URL to its IP addresses, IPv4 first. Accepts brackets around IPv6. Never throws: the result is
 * `failed` if the name does not resolve before the signal aborts.
 */
export async function resolveHost(host: string, signal?: AbortSignal): Promise<Resolution> {
  const name = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  if (isIP(name) !== 0) return { kind: "resolved", addresses: [name] };
  const found = lookup(name, { all: true }).then(
    (list) => list.sort((a, b) => a.family - b.family).map((entry) => entry.address),
    () => [],
  );
  const settled = await settleWithin(found, { signal });
  if (settled.kind !== "done") return { kind: "failed", reason: `timed out while looking up ${name}` };
  const addresses = settled.value;
  if (addresses.length === 0) return { kind: "failed", reason: `no address found for ${name}` };
  return { kind: "resolved", addresses };
}
