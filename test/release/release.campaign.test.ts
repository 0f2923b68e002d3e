import { beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { TARGET_NAMES, type Target } from "../../scripts/runtimes.ts";
import { cleanEnv } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { buildRelease, everyPlatform, type Release, runScript } from "./build-release.ts";
import { readSignature } from "./read-signature.ts";
import { serveReleases } from "./releases-page.ts";

const LIMIT_MS = 600_000;
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const platforms: readonly Target[] = everyPlatform ? TARGET_NAMES : ["linux-x64"];

/** The format of an executable and, where it is easy to find, its processor. */
const FORMATS: Record<Target, (bytes: Buffer) => unknown[]> = {
  "linux-x64": elf,
  "linux-arm64": elf,
  "linux-x64-musl": elf,
  "linux-arm64-musl": elf,
  "darwin-x64": (bytes) => [bytes.readUInt32LE(0).toString(16), bytes.readUInt32LE(4).toString(16)],
  "darwin-arm64": (bytes) => [bytes.readUInt32LE(0).toString(16), bytes.readUInt32LE(4).toString(16)],
  "windows-x64": (bytes) => [
    bytes.toString("latin1", 0, 2),
    bytes.readUInt16LE(bytes.readUInt32LE(0x3c) + 4).toString(16),
  ],
};
const EXPECTED: Record<Target, unknown[]> = {
  "linux-x64": ["\x7fELF", 62, "/lib64/ld-linux-x86-64.so.2"],
  "linux-arm64": ["\x7fELF", 183, "/lib/ld-linux-aarch64.so.1"],
  "linux-x64-musl": ["\x7fELF", 62, "/lib/ld-musl-x86_64.so.1"],
  "linux-arm64-musl": ["\x7fELF", 183, "/lib/ld-musl-aarch64.so.1"],
  "darwin-x64": ["feedfacf", "1000007"],
  "darwin-arm64": ["feedfacf", "100000c"],
  "windows-x64": ["MZ", "8664"],
};

function elf(bytes: Buffer): unknown[] {
  const [loader] = /\/lib(64)?\/ld-[\w.-]+/.exec(bytes.toString("latin1", 0, 4096)) ?? [];
  return [bytes.toString("latin1", 0, 4), bytes.readUInt16LE(18), loader];
}

let release: Release;
let directory: string;
beforeAll(async () => {
  release = await buildRelease(platforms, {
    HOOKSH_COMMIT: COMMIT,
    GITHUB_REPOSITORY: "octo/hooksh",
    GITHUB_SERVER_URL: "https://github.com",
  });
  directory = release.directory;
}, LIMIT_MS);

const read = (name: string) => readFileSync(join(directory, name));
const assetOf = (platform: Target) => `hooksh-${platform}${platform.startsWith("windows") ? ".exe" : ".gz"}`;
const executableOf = (platform: Target) =>
  platform.startsWith("windows") ? read(assetOf(platform)) : Buffer.from(Bun.gunzipSync(read(assetOf(platform))));

describe("a release", () => {
  test("contains an executable for each platform, the checksums, the bill of materials and the installer", () => {
    expect(release.files).toEqual([...platforms.map(assetOf), "SHA256SUMS", "hooksh.cdx.json", "install.sh"].sort());
    const sums = read("SHA256SUMS").toString().trimEnd().split("\n");
    const expected = release.files
      .filter((name) => name !== "SHA256SUMS")
      .sort()
      .map((name) => `${createHash("sha256").update(read(name)).digest("hex")}  ${name}`);
    expect(sums).toEqual(expected);
  });

  test.each([...platforms])("the executable for %s is one for that platform", (platform) => {
    const bytes = executableOf(platform);
    expect(bytes.length).toBeGreaterThan(50e6);
    expect(FORMATS[platform](bytes)).toEqual(EXPECTED[platform]);
    expect(bytes.includes(COMMIT)).toBe(true);
  });

  const signed = platforms.filter((platform) => platform.startsWith("darwin"));
  test.each([...signed])("the executable for %s has a valid ad-hoc signature", (platform) => {
    const signature = readSignature(executableOf(platform));
    expect(signature).toMatchObject({ flags: 0x20002, wrong: 0, fits: true });
    expect(signature?.pages).toBeGreaterThan(10_000);
  });

  test(
    "is built to the same bytes again, wherever it is put",
    async () => {
      const again = await buildRelease(["linux-x64"], { HOOKSH_COMMIT: COMMIT });
      expect(
        createHash("sha256")
          .update(readFileSync(join(again.directory, assetOf("linux-x64"))))
          .digest("hex"),
      ).toBe(
        createHash("sha256")
          .update(read(assetOf("linux-x64")))
          .digest("hex"),
      );
    },
    LIMIT_MS,
  );

  test(
    "leaves other files alone, and removes an older release",
    async () => {
      const out = tempDir({ "notes.txt": "mine", "hooksh-plan9-x64.gz": "older", "hooksh-notes.md": "mine" });
      expect(await runScript(["--out", out, "linux-x64"])).toMatchObject({ code: 0, stderr: "" });
      const kept = [
        assetOf("linux-x64"),
        "SHA256SUMS",
        "hooksh-notes.md",
        "hooksh.cdx.json",
        "install.sh",
        "notes.txt",
      ];
      expect(readdirSync(out).sort()).toEqual(kept.sort());
      expect(readFileSync(join(out, "SHA256SUMS"), "utf8")).not.toContain("notes");
    },
    LIMIT_MS,
  );

  test("an unknown platform is refused before anything is removed", async () => {
    const refused = await runScript(["--out", directory, "plan9-x64"]);
    expect(refused).toMatchObject({ code: 64, stdout: "" });
    expect(refused.stderr).toContain('unknown platform "plan9-x64": there are linux-x64, ');
    expect(existsSync(join(directory, "SHA256SUMS"))).toBe(true);
  });
});

describe("the bill of materials", () => {
  interface Component {
    purl: string;
    version: string;
    hashes: { alg: string; content: string }[];
    licenses: unknown[];
  }
  const bill = () =>
    JSON.parse(read("hooksh.cdx.json").toString()) as {
      bomFormat: string;
      metadata: { component: { name: string; version: string } };
      components: Component[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };

  test("names what is shipped with hash and licence, and not what is only for development", () => {
    const { bomFormat, metadata, components } = bill();
    expect({ bomFormat, component: metadata.component }).toMatchObject({
      bomFormat: "CycloneDX",
      component: { name: "hooksh", version },
    });
    const names = components.map(({ purl }) => purl.replace(/@[^@]*$/, ""));
    expect(names).toContain("pkg:npm/valibot");
    expect(names).toContain("pkg:npm/%40oven/bun-linux-aarch64");
    expect(names.filter((name) => /\/(%40types|%40typescript|typescript)\b/.test(name))).toEqual([]);
    expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
    for (const { hashes, licenses } of components) {
      expect(hashes).toEqual([{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
      expect(licenses).toHaveLength(1);
    }
  });

  test("every dependency is one of its components", () => {
    const { components, dependencies } = bill();
    const known = new Set(components.map(({ purl }) => purl));
    expect(dependencies[0]?.ref).toBe(`hooksh@${version}`);
    expect(dependencies[0]?.dependsOn).toContain(
      components.find(({ purl }) => purl.startsWith("pkg:npm/%40octokit/rest@"))?.purl ?? "",
    );
    expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.has(ref))).toEqual([]);
  });
});

describe.if(process.platform === "linux" && process.arch === "x64")("installed by the installer of the release", () => {
  const home = tempDir();

  test(
    "it starts in a directory without anything, knows its commit and runs hooks",
    async () => {
      const page = serveReleases(directory, `v${version}`);
      const env = cleanEnv(home, { HOOKSH_BASE_URL: page.url, HOOKSH_PLATFORM: "linux-x64" });
      const install = Bun.spawn(["sh", join(directory, "install.sh")], {
        cwd: home,
        env,
        stdout: "pipe",
        stderr: "pipe",
      });
      const said = await install.stderr.text();
      page.stop();
      expect(said).toContain(`installed hooksh ${version} as `);
      expect(page.asked).toEqual([
        `/releases/download/v${version}/SHA256SUMS`,
        `/releases/download/v${version}/hooksh-linux-x64.gz`,
      ]);

      const run = async (args: string[], input = "") => {
        const child = Bun.spawn([join(home, ".home/.local/bin/hooksh"), ...args], {
          cwd: home,
          env: cleanEnv(home),
          stdin: Buffer.from(input),
          stdout: "pipe",
          stderr: "pipe",
        });
        return { stdout: await child.stdout.text(), code: await child.exited };
      };
      expect(JSON.parse((await run(["version", "--json"])).stdout)).toMatchObject({ version, commit: COMMIT });
      const event = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: {} });
      const verdict = await run(["dispatch", "--hook", "pre_tool_use=exit 2"], event);
      expect(verdict.code).toBe(2);
    },
    LIMIT_MS,
  );

  test("the installer knows where it was published", () => {
    expect(read("install.sh").toString()).toContain("\ndefault_base_url=https://github.com/octo/hooksh/releases\n");
  });
});

/**
 * Debian has musl but no libstdc++ for it, so glibc's is used, with a few names that musl lacks. Undefined where the
 * parts are missing (packages gcc, musl and libstdc++6).
 */
function muslLibraries(): string | undefined {
  const parts = ["libstdc++.so.6", "libgcc_s.so.1"].map((name) => join("/usr/lib/x86_64-linux-gnu", name));
  const found = [...parts.slice(0, 1), "/lib/ld-musl-x86_64.so.1"].every((path) => existsSync(path));
  if (!everyPlatform || !found || !Bun.which("gcc")) return undefined;
  const directory = tempDir();
  for (const part of parts)
    copyFileSync(existsSync(part) ? part : part.replace("/usr", ""), join(directory, basename(part)));
  const names = join(import.meta.dir, "../fixtures/musl/glibc-names.c");
  const built = Bun.spawnSync([
    "gcc",
    "-w",
    "-shared",
    "-fPIC",
    "-nostdlib",
    "-o",
    join(directory, "ld-linux-x86-64.so.2"),
    names,
  ]);
  return built.exitCode === 0 ? directory : undefined;
}

const libraries = muslLibraries();

describe.if(libraries !== undefined)("the executable for musl", () => {
  const home = tempDir();
  const run = async (args: string[], input = "") => {
    const env = cleanEnv(home, { LD_LIBRARY_PATH: libraries ?? "" });
    const child = Bun.spawn([join(home, "hooksh"), ...args], {
      cwd: home,
      env,
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
    return { code, stdout, stderr };
  };

  test("starts and runs hooks, in this process and as processes", async () => {
    await Bun.write(join(home, "hooksh"), executableOf("linux-x64-musl"));
    chmodSync(join(home, "hooksh"), 0o755);
    expect(JSON.parse((await run(["version", "--json"])).stdout)).toMatchObject({ version, commit: COMMIT });
    const event = JSON.stringify({ hook_event_name: "turn_start" });
    await Bun.write(
      join(home, "hooks.yaml"),
      JSON.stringify({ turn_start: [{ type: "builtin", command: "add_date" }] }),
    );
    expect((await run(["dispatch", "--hooks-file", "hooks.yaml"], event)).stdout).toContain("Today's date: ");
    expect((await run(["dispatch", "--hook", "turn_start=echo from the shell"], event)).stdout).toContain(
      "from the shell",
    );
  });
});

const foreign = everyPlatform ? Bun.which("qemu-aarch64") : null;

describe.if(foreign !== null && existsSync("/usr/aarch64-linux-gnu/lib/libc.so.6"))("the executable for ARM", () => {
  test(
    "starts under an emulator",
    async () => {
      const home = tempDir();
      await Bun.write(join(home, "hooksh"), executableOf("linux-arm64"));
      chmodSync(join(home, "hooksh"), 0o755);
      const child = Bun.spawn(
        [foreign ?? "", "-L", "/usr/aarch64-linux-gnu", join(home, "hooksh"), "version", "--json"],
        { env: cleanEnv(home), stdout: "pipe" },
      );
      expect(JSON.parse(await child.stdout.text())).toMatchObject({ version, commit: COMMIT, platform: "linux-arm64" });
    },
    LIMIT_MS,
  );
});
