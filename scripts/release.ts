/**
 * Builds a release: `bun scripts/release.ts [--out DIR] [--base-url URL] [PLATFORM...]`, by default every platform into
 * `dist/release`. Adds the checksums, the bill of materials, and the installer, which contains the URL it is published
 * under. The files are reproducible.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../package.json" with { type: "json" };
import { compile, root } from "./compile.ts";
import { releasesPage, repositoryAddress, withReleases } from "./repository.ts";
import { lockedPackages, runtimeOf, TARGET_NAMES, type Target } from "./runtimes.ts";
import { billOfMaterials } from "./sbom.ts";
import { signMachO } from "./sign-macho.ts";

const { values, positionals } = parseArgs({
  options: { out: { type: "string" }, "base-url": { type: "string" } },
  allowPositionals: true,
});
const targets = positionals.map(knownTarget);
const out = resolve(values.out ?? join(root, "dist", "release"));

mkdirSync(out, { recursive: true });
// Removes only the files of a release: the directory may contain other files.
for (const name of readdirSync(out).filter(isOurs)) rmSync(join(out, name));
for (const target of targets.length > 0 ? targets : TARGET_NAMES) await buildFor(target);
write("hooksh.cdx.json", `${JSON.stringify(billOfMaterials(lockedPackages()), undefined, 2)}\n`);
write("install.sh", installer(values["base-url"] ?? repositoryUrl()));
write("SHA256SUMS", readdirSync(out).filter(isOurs).sort().map(sumLine).join(""));

function isOurs(name: string): boolean {
  return /^(hooksh-[a-z0-9-]+\.(gz|exe)|hooksh\.cdx\.json|install\.sh|SHA256SUMS)$/.test(name);
}

function knownTarget(name: string): Target {
  const target = TARGET_NAMES.find((candidate) => candidate === name);
  if (target) return target;
  console.error(`unknown platform ${JSON.stringify(name)}: there are ${TARGET_NAMES.join(", ")}`);
  process.exit(64);
}

/** Compresses the executable, except for Windows, where users download it with a browser. */
async function buildFor(target: Target): Promise<void> {
  const scratch = mkdtempSync(join(out, ".runtime-"));
  const outfile = join(scratch, "hooksh");
  try {
    await compile({ outfile, target: `bun-${target}`, runtime: runtimeOf(target, scratch) });
    const built = readFileSync(outfile);
    const executable = target === "darwin-x64" ? signMachO(built) : Buffer.from(built);
    const plain = target.startsWith("windows");
    write(
      `hooksh-${target}${plain ? ".exe" : ".gz"}`,
      plain ? executable : Bun.gzipSync(executable, { level: 6 }),
      executable.length,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function write(name: string, content: string | Uint8Array, unpacked?: number): void {
  writeFileSync(join(out, name), content);
  const size = Buffer.byteLength(content);
  const more = unpacked === undefined || unpacked === size ? "" : `, ${megabytes(unpacked)} unpacked`;
  console.log(`${join(out, name)}: ${megabytes(size)}${more}`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function sumLine(name: string): string {
  return `${createHash("sha256")
    .update(readFileSync(join(out, name)))
    .digest("hex")}  ${name}\n`;
}

/** Returns the releases page of the repository whose workflow runs this, else of the one in package.json. */
function repositoryUrl(): string | undefined {
  const { GITHUB_SERVER_URL: server = "https://github.com", GITHUB_REPOSITORY: repository } = process.env;
  const address = repository ? `${server}/${repository}` : repositoryAddress();
  return address && releasesPage(address);
}

/** Returns the installer of this release: it installs this version from this releases page. */
function installer(baseUrl: string | undefined): string {
  const text = readFileSync(join(root, "scripts", "install.sh"), "utf8");
  if (baseUrl !== undefined && !/^https?:\/\/[\w.:/@%~-]+$/.test(baseUrl))
    throw new Error(`--base-url ${JSON.stringify(baseUrl)} is not a URL`);
  const filled = withReleases(text, baseUrl).replace("\ndefault_version=\n", `\ndefault_version=v${version}\n`);
  if (!filled.includes(`default_version=v${version}\n`))
    throw new Error("scripts/install.sh has no line for its version");
  return filled;
}
