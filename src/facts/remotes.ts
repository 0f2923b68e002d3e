import { join } from "node:path";
import { memoize } from "../lib/once.ts";
import { findWorkTree } from "./files/git-directory.ts";
import { readIfRegular } from "./files/read-if-regular.ts";
import { currentBranch } from "./git-state.ts";
import type { Place } from "./place.ts";

/**
 * The host of every git remote of the working directory by the remote's name. A remote without a host, or with several, is
 * left out.
 */
export function remoteHosts(place: Place): ReadonlyMap<string, string> {
  const single = [...hostsByRemote(place)].flatMap(([name, [host, ...others]]) =>
    host !== undefined && others.length === 0 ? [[name, host] as const] : [],
  );
  return new Map(single);
}

/**
 * The host of `remote:NAME`, or of the remote that `git push` and `git pull` take if none is named: `remote:(push)`,
 * `remote:(pull)`. Without a host, or with several, it is `remote:NAME` of that remote.
 */
export function hostOfRemote(text: string, place: Place): string {
  const named = text.slice("remote:".length);
  const name = named === "(push)" || named === "(pull)" ? defaultRemote(named, place) : named;
  return remoteHosts(place).get(name) ?? hostOfUrl(name) ?? `remote:${name}`;
}

/** As git chooses: what the branch says, then `remote.pushDefault`, then the only remote, then `origin`. */
function defaultRemote(direction: "(push)" | "(pull)", place: Place): string {
  const { chosen, urls } = configOf(place);
  const branch = currentBranch(place.cwd, place.env) ?? "";
  const ofBranch = (key: string) => chosen.get(`branch.${branch}.${key}`);
  const forPush = direction === "(push)" ? (ofBranch("pushremote") ?? chosen.get("remote.pushdefault")) : undefined;
  const [only, ...others] = new Set(urls.map(({ remote }) => remote));
  return forPush ?? ofBranch("remote") ?? (only !== undefined && others.length === 0 ? only : "origin");
}

/** The hosts of all git remotes of the working directory. */
export function hostsOfRemotes(place: Place): string[] {
  return [...hostsByRemote(place).values()].flat();
}

const hostsByRemote = memoize((place: Place): ReadonlyMap<string, readonly string[]> => {
  const remotes = new Map<string, string[]>();
  const { urls, rewrites } = configOf(place);
  for (const { remote, url } of urls) {
    const base = rewrites
      .filter(({ start }) => url.startsWith(start))
      .sort((a, b) => b.start.length - a.start.length)[0];
    const host = hostOfUrl(base ? base.by + url.slice(base.start.length) : url);
    const known = remotes.get(remote) ?? [];
    if (host !== undefined && !known.includes(host)) known.push(host);
    remotes.set(remote, known);
  }
  return remotes;
});

const configOf = memoize((place: Place) => {
  const tree = findWorkTree(place.cwd, place.env);
  return readConfig((tree && readIfRegular(join(tree.common, "config"))) ?? "");
});

/** The URLs of remotes in a git configuration, which beginnings of URLs it replaces, and which remotes it chooses. */
function readConfig(text: string) {
  /** By `branch.NAME.remote`, `branch.NAME.pushremote`, `remote.pushdefault`. */
  const chosen = new Map<string, string>();
  const urls: { remote: string; url: string }[] = [];
  const rewrites: { start: string; by: string }[] = [];
  let section: string | undefined;
  let name = "";
  for (const line of text.split("\n")) {
    const header = /^\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]/.exec(line) ?? /^\s*\[([\w.-]+)\]/.exec(line);
    if (header) [section, name] = [header[1]?.toLowerCase(), (header[2] ?? "").replace(/\\(.)/g, "$1")];
    const [, variable = "", value = ""] = /^(?:\s*\[[^\]]*\])?\s*([\w-]+)\s*=\s*(.*)/.exec(line) ?? [];
    const key = variable.toLowerCase();
    const plain = value
      .replace(/\s[#;].*/, "")
      .trim()
      .replaceAll('"', "");
    if (plain === "") continue;
    if (section === "remote" && /^(?:push)?url$/.test(key)) urls.push({ remote: name, url: plain });
    if (section === "branch") chosen.set(`branch.${name}.${key}`, plain);
    if (section === "remote" && name === "" && key === "pushdefault") chosen.set("remote.pushdefault", plain);
    if (section === "url" && /^(?:push)?insteadof$/.test(key)) rewrites.push({ start: plain, by: name });
  }
  return { urls, rewrites, chosen };
}

/** The host of `https://user@HOST:1/x` or `git@HOST:path`, lower case; undefined for a local path. */
export function hostOfUrl(url: string): string | undefined {
  const [, inUrl] = /^[a-z][\w+.-]*:\/\/(?:[^/?#@\s]*@)*(\[[^\]\s]*\]|[^/:?#@\s]+)/i.exec(url) ?? [];
  if (inUrl !== undefined) return /^file:/i.test(url) ? undefined : inUrl.toLowerCase();
  const [, inPath] = /^(?:[^/:\s@]+@)?(\[[^\]\s]+\]|[^/:\s@]{2,}):(?!\/\/)/.exec(url) ?? [];
  return inPath?.toLowerCase();
}
