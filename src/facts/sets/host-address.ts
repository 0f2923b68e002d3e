import type * as Net from "node:net";

/**
 * The plain spelling of a host: lower case, without brackets, zone and trailing dots, addresses as usual (`0x7f000001` and
 * `127.1` as `127.0.0.1`, mapped ones as IPv4).
 */
export function plainHost(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/s, "$1")
    .replace(/%.*/s, "")
    .replace(/\.+$/, "");
  const text = name.includes(":") ? `[${name}]` : name;
  if (/[\s/?#@\\]/.test(name) || !URL.canParse(`http://${text}/`)) return name;
  const found = new URL(`http://${text}/`).hostname.replace(/[[\]]/g, "").replace(/\.+$/, "");
  return mappedAddress(found) ?? found;
}

/** The IPv4 address in `::ffff:7f00:1`. */
function mappedAddress(address: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? [];
  if (high === undefined) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low ?? "", 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}

/** A network in CIDR form. */
export interface Network {
  family: 4 | 6;
  first: bigint;
  last: bigint;
}

/** Reads `10.0.0.0/8`, `fd00::/8`, or a single address; undefined if it is neither. */
export function readNetwork(pattern: string): Network | undefined {
  const [, text = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(pattern) ?? [];
  const address = plainHost(text);
  const value = addressNumber(address);
  if (value === undefined) return undefined;
  const family = familyOf(address) === 4 ? 4 : 6;
  const bits = family === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return undefined;
  const rest = BigInt(bits - prefix);
  const first = (value >> rest) << rest;
  return { family, first, last: first + (1n << rest) - 1n };
}

/** True if a plain host is an address in the network. */
export function isInNetwork(host: string, { family, first, last }: Network): boolean {
  if (familyOf(host) !== family) return false;
  const value = addressNumber(host);
  return value !== undefined && first <= value && value <= last;
}

/** The addresses that begin with whole parts of an IPv4 address, such as `10.0.`; undefined for other beginnings. */
export function addressesFrom(start: string): Network | undefined {
  const [, parts = ""] = /^((?:\d{1,3}\.){1,3})\d{0,3}$/.exec(start) ?? [];
  const given = parts.split(".").slice(0, -1);
  return given.length === 0
    ? undefined
    : readNetwork(`${[...given, "0", "0", "0"].slice(0, 4).join(".")}/${given.length * 8}`);
}

function addressNumber(address: string): bigint | undefined {
  if (familyOf(address) === 4) return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  if (familyOf(address) !== 6) return undefined;
  const [before = "", after] = address.split("::");
  const groups = (text: string) => text.split(":").filter((part) => part !== "");
  const [start, end] = [groups(before), groups(after ?? "")];
  const zeros = new Array<string>(Math.max(0, 8 - start.length - end.length)).fill("0");
  return [...start, ...zeros, ...end].reduce((sum, part) => sum * 65536n + BigInt(`0x${part}`), 0n);
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** 4 or 6 for an address, 0 for a name. Node's module, which costs a cold start 2 ms, is loaded for IPv6 alone. */
function familyOf(text: string): number {
  if (!text.includes(":")) return IPV4.test(text) ? 4 : 0;
  return (require("node:net") as typeof Net).isIP(text);
}
