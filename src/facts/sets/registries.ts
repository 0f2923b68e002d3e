import { join, resolve } from "node:path";
import type { Env } from "../../lib/env.ts";
import { escapeGlob } from "../../lib/files/glob.ts";
import { expandGlob } from "../files/expand-glob.ts";
import { readIfRegular } from "../files/read-if-regular.ts";
import type { Place } from "../place.ts";
import { hostOfUrl } from "../remotes.ts";
import { REGISTRY_VARIABLES, type RegistrySource, registrySources } from "./registry-files.ts";

/** More of a lock file is not read. */
const MAX_FILE = 16 * 1024 * 1024;

/** The hosts that the project's lock files, and the configuration of package managers, say packages come from. */
export function registryHosts(place: Place): string[] {
  const hosts = new Set<string>();
  for (const source of registrySources()) {
    for (const path of filesOf(source, place)) {
      const text = readIfRegular(path, MAX_FILE);
      for (const [, ...groups] of text?.matchAll(source.finds) ?? [])
        addHosts(
          groups.find((group) => group),
          hosts,
        );
    }
  }
  for (const value of registryVariables(place.env)) addHosts(value, hosts);
  return [...hosts];
}

function* filesOf(source: RegistrySource, { project, cwd, home, env }: Place): Generator<string> {
  const { inProject = [], inHome = [], system = [], fileVariables = [] } = source;
  const folders = new Set([project, cwd]);
  const patterns = [
    ...[...folders].flatMap((folder) => inProject.map((path) => join(escapeGlob(folder), path))),
    ...(home === "" ? [] : inHome.map((path) => join(escapeGlob(home), path))),
    ...system,
    ...fileVariables.flatMap((name) => (env[name] ? [escapeGlob(resolve(cwd, env[name]))] : [])),
    ...movedFiles(inHome, env),
  ];
  for (const pattern of new Set(patterns)) yield* expandGlob(pattern).paths;
}

/** Variables that move a folder of the home directory. */
const MOVED: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: ".config",
  CARGO_HOME: ".cargo",
  GRADLE_USER_HOME: ".gradle",
  COMPOSER_HOME: ".composer",
  DOCKER_CONFIG: ".docker",
  BUNDLE_USER_HOME: ".bundle",
};

function movedFiles(inHome: readonly string[], env: Env): string[] {
  return Object.entries(MOVED).flatMap(([name, folder]) => {
    const moved = env[name];
    if (!moved?.startsWith("/")) return [];
    return inHome.flatMap((path) =>
      path.startsWith(`${folder}/`) ? [join(escapeGlob(moved), path.slice(folder.length + 1))] : [],
    );
  });
}

function registryVariables(env: Env): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    REGISTRY_VARIABLES.test(name.toUpperCase().replace(/[^A-Z0-9]/g, "_")) ? [value] : [],
  );
}

/** Adds the hosts of URLs and of plain names such as `sum.golang.org`. A value may hold several: `https://a,https://b|direct`. */
function addHosts(value: string | undefined, hosts: Set<string>): void {
  for (const word of (value ?? "").split(/[\s,|"'[\]]+/)) {
    const text = decoded(word)
      .replaceAll("\\:", ":")
      .replaceAll("\\/", "/")
      .replace(/^[\w-]+=(?=\w+:\/\/)/, "");
    const name = /^[\w-]+(?:\.[\w-]+)+(?=$|[:/+])/.exec(text)?.[0];
    const host = text.includes("://") ? hostOfUrl(text) : name?.toLowerCase();
    if (host !== undefined && !/[${}*?]/.test(host)) hosts.add(host);
  }
}

function decoded(text: string): string {
  try {
    return /%3a%2f%2f/i.test(text) ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}
