import { license, name, version } from "../package.json" with { type: "json" };
import type { LockedPackage } from "./runtimes.ts";

type Packages = Readonly<Record<string, LockedPackage>>;

/**
 * Returns the software bill of materials of a release, in CycloneDX 1.6: every package in `package-lock.json` that the
 * project needs to run, with its hash, licence and dependencies. It is reproducible: no time, no random number.
 */
export function billOfMaterials(packages: Packages): object {
  const found = reachable(packages);
  const shipped = Object.entries(packages).filter(([path]) => path !== "" && found.has(path));
  const refs = new Map([
    ["", `${name}@${version}`],
    ...shipped.map(([path, entry]) => [path, purlOf(path, entry)] as const),
  ]);
  const needs = (path: string, entry: LockedPackage) =>
    neededBy(packages, path, entry)
      .flatMap((needed) => refs.get(needed) ?? [])
      .sort();
  const once = [...new Map(shipped.map((pair) => [refs.get(pair[0]), pair] as const)).values()];
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": refs.get(""),
        name,
        version,
        licenses: [{ license: { id: license } }],
      },
    },
    components: once.map(([path, entry]) => componentOf(path, entry)),
    dependencies: [["", packages[""] ?? { version }] as const, ...once].map(([path, entry]) => ({
      ref: refs.get(path),
      dependsOn: [...new Set(needs(path, entry))],
    })),
  };
}

/** Returns the directories of all packages that the project needs to run, directly or indirectly. */
function reachable(packages: Packages): Set<string> {
  const found = new Set([""]);
  for (const path of found) {
    const entry = packages[path];
    if (entry) for (const needed of neededBy(packages, path, entry)) found.add(needed);
  }
  return found;
}

/**
 * Returns the directories of the packages that a package needs. The executable contains the optional peers of hooksh
 * itself, but not those of other packages.
 */
function neededBy(packages: Packages, path: string, entry: LockedPackage): string[] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (peer) => path === "" || !entry.peerDependenciesMeta?.[peer]?.optional,
  );
  const names = [...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }), ...peers];
  return names.flatMap((needed) => locate(packages, path, needed) ?? []);
}

function componentOf(path: string, entry: LockedPackage): object {
  const [, algorithm = "", digest = ""] = /^(sha\d+)-([A-Za-z0-9+/=]+)$/.exec(entry.integrity ?? "") ?? [];
  const full = nameOf(path, entry);
  const [scope, short] = full.startsWith("@") ? full.split("/") : [undefined, full];
  return {
    type: "library",
    "bom-ref": purlOf(path, entry),
    ...(scope === undefined ? {} : { group: scope }),
    name: short,
    version: entry.version,
    purl: purlOf(path, entry),
    ...(entry.license ? { licenses: [licenseOf(entry.license)] } : {}),
    ...(digest
      ? { hashes: [{ alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") }] }
      : {}),
  };
}

/** Returns a single licence as an identifier, several as an expression. */
function licenseOf(text: string): object {
  return /[ ()]/.test(text) ? { expression: text.replace(/^\((.*)\)$/, "$1") } : { license: { id: text } };
}

function nameOf(path: string, { name: alias }: LockedPackage): string {
  return alias ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function purlOf(path: string, entry: LockedPackage): string {
  return `pkg:npm/${nameOf(path, entry).replace("@", "%40")}@${entry.version}`;
}

/** Returns where the package in `from` finds another: among its own packages, or in a parent directory. */
function locate(packages: Packages, from: string, needed: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    const path = `${at}${at === "" ? "" : "/"}node_modules/${needed}`;
    if (packages[path]) return path;
    if (at === "") return undefined;
  }
}
