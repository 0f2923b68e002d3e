import { type GlobPiece, matchesPiece, parseGlob } from "../../lib/files/glob.ts";
import { once } from "../../lib/once.ts";
import { HOLE } from "../../shell/steps/invocation.ts";
import type { Fit, HostValue } from "../facts.ts";
import type { Place } from "../place.ts";
import { hostOfRemote } from "../remotes.ts";
import { bestFit } from "./fits.ts";
import { addressesFrom, isInNetwork, type Network, plainHost, readNetwork } from "./host-address.ts";
import { hostSet } from "./host-sets.ts";
import { isHostSet } from "./set-names.ts";

export interface HostTestOptions {
  /** The sets that the rule's file defines. */
  own: { hosts: Readonly<Record<string, readonly string[]>> };
  place: Place;
}

interface HostPattern {
  network: Network | undefined;
  /** The name with its wildcards, if it is no address. */
  pieces: readonly GlobPiece[];
  port: number | undefined;
}

/** No longer name can be connected to. */
const MAX_HOST = 512;

/** Ports that a URL need not name. */
const USUAL_PORTS = new Set([22, 80, 443]);

/**
 * Compiles names of sets and patterns of hosts. The test says whether a host fits one of them. A remote of git that has no
 * known host, `remote:NAME`, may be any.
 */
export function hostTest(patterns: readonly string[], { own, place }: HostTestOptions): (value: HostValue) => Fit {
  const compiled = once(() => patterns.flatMap((pattern) => patternsOf(pattern, own.hosts, place)).map(compile));
  return (value) => {
    const host = hostOf(value, place);
    if (host === undefined) return patterns.length === 0 ? "none" : "some";
    if (host.length > MAX_HOST) return "none";
    const plain = host.includes(HOLE) ? host.toLowerCase().replace(/\.+$/, "") : plainHost(host);
    return bestFit(compiled().map((pattern) => fitHost(pattern, plain, value.port)));
  };
}

/** The host, also of a remote by its name; undefined if that has none that is known. */
function hostOf({ host }: HostValue, place: Place): string | undefined {
  if (!host.startsWith("remote:")) return host;
  if (host.includes(HOLE)) return HOLE;
  const found = hostOfRemote(host, place);
  return found.startsWith("remote:") ? undefined : found;
}

/** The patterns of a set; a pattern itself. Lists of own sets may name built-in ones. */
function patternsOf(pattern: string, own: HostTestOptions["own"]["hosts"], place: Place): readonly string[] {
  const builtIn = (name: string) => (isHostSet(name) ? hostSet(name, place) : [name]);
  const ownSet = Object.hasOwn(own, pattern) ? own[pattern] : undefined;
  return ownSet ? ownSet.flatMap(builtIn) : builtIn(pattern);
}

function compile(pattern: string): HostPattern {
  const text = pattern.trim().toLowerCase();
  // An IPv6 address with a port is in brackets.
  const [, name = text, port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(text) ?? [];
  const network = readNetwork(name.replace(/^\[(.*)\]/, "$1"));
  const plain = /[*?[]/.test(name) ? name.replace(/\.+$/, "") : plainHost(name);
  return { network, pieces: parseGlob(plain), port: port === undefined ? undefined : Number(port) };
}

function fitHost({ network, pieces, port }: HostPattern, host: string, given: number | undefined): Fit {
  if (port !== undefined && given !== undefined && port !== given) return "none";
  if (port !== undefined && given === undefined && !USUAL_PORTS.has(port)) return "none";
  const fit = network ? fitAddress(network, host) : fitName(pieces, host);
  return fit === "all" && port !== undefined && given === undefined ? "some" : fit;
}

function fitAddress(network: Network, host: string): Fit {
  const at = host.indexOf(HOLE);
  if (at < 0) return isInNetwork(host, network) ? "all" : "none";
  if (at > 0) {
    const range = addressesFrom(host.slice(0, at));
    const overlaps =
      range && range.family === network.family && range.first <= network.last && network.first <= range.last;
    if (range) return overlaps ? "some" : "none";
    if (/[^\d.[:a-f]/.test(host.slice(0, at))) return "none";
  }
  // The last part of a name that is no number makes it no address.
  return /\.[^.\0]*[^\d.\0][^.\0]*$/.test(host) ? "none" : "unknown";
}

/** Runs a pattern over a name, once for whatever its expansions are, and once for what they could be. */
function fitName(pieces: readonly GlobPiece[], host: string): Fit {
  if (reaches(pieces, host, "certain")) return "all";
  if (!host.includes(HOLE) || !reaches(pieces, host, "possible")) return "none";
  return /[^\0.]/.test(host) ? "some" : "unknown";
}

function reaches(pieces: readonly GlobPiece[], host: string, naming: "certain" | "possible"): boolean {
  const end = pieces.length;
  let states = new Set<number>();
  const enter = (into: Set<number>, from: number) => {
    for (let at = from; ; at++) {
      into.add(at);
      if (pieces[at]?.kind !== "run") return;
    }
  };
  enter(states, 0);
  for (const char of host) {
    const next = new Set<number>();
    for (const state of states) {
      const piece = pieces[state];
      if (char === HOLE && naming === "possible") for (let at = state; at <= end; at++) next.add(at);
      else if (piece?.kind === "run") enter(next, state);
      else if (char !== HOLE && piece && matchesPiece(piece, char)) enter(next, state + 1);
    }
    states = next;
  }
  return states.has(end);
}
