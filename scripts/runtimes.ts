import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./compile.ts";

/** The platforms of a release, and the package that contains the runtime of each. */
export const TARGETS = {
  "linux-x64": "@oven/bun-linux-x64",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "linux-x64-musl": "@oven/bun-linux-x64-musl",
  "linux-arm64-musl": "@oven/bun-linux-aarch64-musl",
  "darwin-x64": "@oven/bun-darwin-x64",
  "darwin-arm64": "@oven/bun-darwin-aarch64",
  "windows-x64": "@oven/bun-windows-x64",
} as const satisfies Record<string, string>;

/** The name of a platform. */
export type Target = keyof typeof TARGETS;

/** Every name of a platform. */
export const TARGET_NAMES: readonly Target[] = Object.keys(TARGETS) as Target[];

/** The entry of a package in `package-lock.json`. */
export interface LockedPackage {
  version: string;
  integrity?: string;
  name?: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** The packages of `package-lock.json` by the directory they are installed in; the project itself is "". */
export function lockedPackages(): Record<string, LockedPackage> {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  return lock.packages;
}

/**
 * Returns the Bun executable of a platform. For this platform it is the running one, which the installation has
 * checked. Others are downloaded into `scratch`. Throws if one does not have the hash in `package-lock.json`.
 */
export function runtimeOf(target: Target, scratch: string): string {
  const name = TARGETS[target];
  const locked = lockedPackages()[`node_modules/${name}`];
  if (!locked?.integrity) throw new Error(`package-lock.json names no ${name}`);
  if (Bun.version !== locked.version)
    throw new Error(`this is Bun ${Bun.version}, but package-lock.json names ${locked.version}`);
  if (target === ownTarget()) return process.execPath;
  const directory = join(scratch, target);
  mkdirSync(directory, { recursive: true });
  const spec = `${name}@${locked.version}`;
  const [packed] = JSON.parse(
    run(["npm", "pack", "--json", "--prefer-offline", "--pack-destination", directory, spec]),
  ) as { filename: string }[];
  const archive = join(directory, packed?.filename ?? "");
  const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (found !== locked.integrity) throw new Error(`${spec} has not the hash that package-lock.json names`);
  run(["tar", "-xzf", archive, "-C", directory]);
  return join(directory, "package", "bin", target.startsWith("windows") ? "bun.exe" : "bun");
}

/** Undefined if this machine's platform is not one of these. */
function ownTarget(): Target | undefined {
  const musl =
    process.platform === "linux" && Bun.spawnSync(["sh", "-c", "ldd --version 2>&1"]).stdout.includes("musl");
  const name = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}${musl ? "-musl" : ""}`;
  return TARGET_NAMES.find((target) => target === name);
}

function run(command: string[]): string {
  const done = Bun.spawnSync(command, { cwd: root, stdout: "pipe", stderr: "pipe" });
  if (done.exitCode !== 0) throw new Error(`${command.join(" ")}: ${done.stderr}`);
  return done.stdout.toString();
}
