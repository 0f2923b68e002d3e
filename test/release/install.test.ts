import { afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { withReleases } from "../../scripts/repository.ts";
import { cleanEnv } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { type ReleasesPage, serveReleases } from "./releases-page.ts";

const script = join(import.meta.dir, "../../scripts/install.sh");
const pages: ReleasesPage[] = [];
afterEach(() => {
  for (const page of pages.splice(0)) page.stop();
});

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");
const packed = (program: string) => Bun.gzipSync(Buffer.from(program));
const PROGRAM = packed("#!/bin/sh\necho hooksh 9.9.9\n");

interface Installation {
  code: number;
  stderr: string;
  /** The names in the directory it installs into. */
  installed: string[];
  directory: string;
}

interface Setting {
  files?: Record<string, string | Uint8Array>;
  env?: Record<string, string>;
  directory?: string;
  text?: string;
}

const DEFAULT_FILES = { "hooksh-linux-x64.gz": PROGRAM, SHA256SUMS: `${sha256(PROGRAM)}  hooksh-linux-x64.gz\n` };

/** Runs the installer against a releases page that holds the files under v9.9.9. */
async function install({
  files = DEFAULT_FILES,
  env = {},
  directory = join(tempDir(), "bin"),
  text,
}: Setting = {}): Promise<Installation & { page: ReleasesPage }> {
  const page = serveReleases(files, "v9.9.9");
  pages.push(page);
  const cwd = tempDir();
  const given = {
    HOOKSH_BASE_URL: page.url,
    HOOKSH_VERSION: "v9.9.9",
    HOOKSH_INSTALL_DIR: directory,
    HOOKSH_PLATFORM: "linux-x64",
    ...env,
  };
  const child = Bun.spawn(["sh", ...(text === undefined ? [script] : ["-s"])], {
    cwd,
    env: cleanEnv(cwd, given),
    stdin: Buffer.from(text ?? ""),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stderr] = await Promise.all([child.exited, child.stderr.text()]);
  const found = statSync(directory, { throwIfNoEntry: false });
  return { code, stderr, installed: found ? readdirSync(directory) : [], directory, page };
}

/** A directory of programs that are found before the machine's own. */
function programs(scripts: Record<string, string>): string {
  return tempDir(
    Object.fromEntries(Object.entries(scripts).map(([name, body]) => [`${name}!x`, `#!/bin/sh\n${body}\n`])),
  );
}

describe("the installer", () => {
  test("installs the executable and leaves nothing else behind", async () => {
    const { code, stderr, installed, directory } = await install();
    expect({ code, installed }).toEqual({ code: 0, installed: ["hooksh"] });
    expect(stderr).toContain(`installed hooksh 9.9.9 as ${directory}/hooksh\n`);
    expect(stderr).toContain("to your PATH");
    expect(statSync(join(directory, "hooksh")).mode & 0o777).toBe(0o755);
  });

  test("takes the latest release when no version is named", async () => {
    const { code, page } = await install({ env: { HOOKSH_VERSION: "" } });
    expect({ code, asked: page.asked }).toEqual({
      code: 0,
      asked: ["/releases/latest/download/SHA256SUMS", "/releases/latest/download/hooksh-linux-x64.gz"],
    });
  });

  test.if(Bun.which("wget") !== null)("downloads with wget where curl is missing", async () => {
    const path = tempDir();
    for (const name of [
      "sh",
      "awk",
      "cat",
      "chmod",
      "cut",
      "gzip",
      "mkdir",
      "mktemp",
      "mv",
      "rm",
      "sha256sum",
      "wget",
    ]) {
      symlinkSync(Bun.which(name) ?? "", join(path, name));
    }
    expect(await install({ env: { PATH: path } })).toMatchObject({ code: 0, installed: ["hooksh"] });
  });

  test("replaces an older executable in one step, even one that is running", async () => {
    const directory = tempDir({ "hooksh!x": "#!/bin/sh\necho hooksh 0.0.1\n" });
    const before = statSync(join(directory, "hooksh")).ino;
    expect(await install({ directory })).toMatchObject({ code: 0, installed: ["hooksh"] });
    expect(statSync(join(directory, "hooksh")).ino).not.toBe(before);
    expect(readFileSync(join(directory, "hooksh"), "utf8")).toContain("9.9.9");
  });
});

describe("installs nothing, and leaves what is there, when", () => {
  const tampered = packed("#!/bin/sh\necho hooksh 9.9.9; echo and more\n");
  const broken = packed("#!/bin/sh\necho no such library >&2; exit 127\n");
  const sums = (content: Uint8Array, name = "hooksh-linux-x64.gz") => `${sha256(content)}  ${name}\n`;
  const cases: [string, Setting, string][] = [
    [
      "the download was changed",
      { files: { ...DEFAULT_FILES, "hooksh-linux-x64.gz": tampered } },
      `has the checksum ${sha256(tampered)}, but SHA256SUMS says ${sha256(PROGRAM)}`,
    ],
    [
      "the download broke off",
      { files: { ...DEFAULT_FILES, "hooksh-linux-x64.gz": PROGRAM.slice(0, 20) } },
      "has the checksum",
    ],
    [
      "the checksums do not name it",
      { files: { ...DEFAULT_FILES, SHA256SUMS: sums(PROGRAM, "hooksh-linux-x64.gz.old") } },
      "SHA256SUMS does not name hooksh-linux-x64.gz",
    ],
    [
      "the checksums name it twice",
      { files: { ...DEFAULT_FILES, SHA256SUMS: sums(tampered) + sums(PROGRAM) } },
      "has the checksum",
    ],
    ["the checksums are missing", { files: { "hooksh-linux-x64.gz": PROGRAM } }, "could not download"],
    ["it is missing itself", { files: { SHA256SUMS: sums(PROGRAM) } }, "could not download"],
    [
      "it is not the one that was asked for",
      { env: { HOOKSH_SHA256: sha256("another") } },
      `but HOOKSH_SHA256 says ${sha256("another")}`,
    ],
    [
      "it does not start",
      { files: { "hooksh-linux-x64.gz": broken, SHA256SUMS: sums(broken) } },
      "does not start here: is linux-x64 this machine's platform?\nno such library",
    ],
    [
      "it does not start on musl",
      {
        files: { "hooksh-linux-x64-musl.gz": broken, SHA256SUMS: sums(broken, "hooksh-linux-x64-musl.gz") },
        env: { HOOKSH_PLATFORM: "linux-x64-musl" },
      },
      "apk add libstdc++",
    ],
    [
      "it would come over plain http",
      { env: { HOOKSH_BASE_URL: "http://example.com/releases" } },
      "must start with https://",
    ],
    [
      "a host only looks like this machine",
      { env: { HOOKSH_BASE_URL: "http://127.0.0.1.example.com/releases" } },
      "must start with https://",
    ],
    [
      "without a URL",
      { text: withReleases(readFileSync(script, "utf8"), undefined), env: { HOOKSH_BASE_URL: "" } },
      "this installer names no releases page: set HOOKSH_BASE_URL to one, or build hooksh: npm run build",
    ],
  ];

  test.each(cases)("%s", async (_name, setting, message) => {
    const directory = tempDir({ hooksh: "the older one" });
    const { code, stderr, installed } = await install({ ...setting, directory });
    expect({ code, installed }).toEqual({ code: 1, installed: ["hooksh"] });
    expect(stderr).toContain("hooksh was not installed: ");
    expect(stderr).toContain(message);
    expect(readFileSync(join(directory, "hooksh"), "utf8")).toBe("the older one");
  });

  test("the script itself is cut off, at any position", async () => {
    const text = readFileSync(script, "utf8");
    for (const share of [0.3, 0.6, 0.9]) {
      expect((await install({ text: text.slice(0, text.length * share) })).installed).toEqual([]);
    }
    expect((await install({ text: text.slice(0, text.lastIndexOf("main")) })).installed).toEqual([]);
    expect((await install({ text })).installed).toEqual(["hooksh"]);
  });
});

describe("the platform is detected", () => {
  const glibc = "echo 'ldd (Debian GLIBC 2.36) 2.36'";
  const musl = "echo 'musl libc (x86_64)' >&2; exit 1";
  const machine = (system: string, processor: string) => `case $1 in -s) echo ${system};; -m) echo ${processor};; esac`;
  test.each([
    ["linux-x64", { uname: machine("Linux", "x86_64"), ldd: glibc }],
    ["linux-arm64", { uname: machine("Linux", "aarch64"), ldd: glibc }],
    ["linux-x64-musl", { uname: machine("Linux", "x86_64"), ldd: musl }],
    ["linux-arm64-musl", { uname: machine("Linux", "aarch64"), ldd: musl }],
    ["darwin-x64", { uname: machine("Darwin", "x86_64"), sysctl: "exit 1" }],
    ["darwin-arm64", { uname: machine("Darwin", "arm64"), sysctl: "exit 1" }],
    ["darwin-arm64", { uname: machine("Darwin", "x86_64"), sysctl: "echo 1" }],
  ])("%s (%#)", async (platform, scripts) => {
    const PATH = `${programs(scripts)}:${process.env["PATH"]}`;
    const { code, page } = await install({ env: { PATH, HOOKSH_PLATFORM: "" } });
    expect(page.asked[1] ?? page.asked).toBe(`/releases/download/v9.9.9/hooksh-${platform}.gz`);
    expect(code).toBe(platform === "linux-x64" ? 0 : 1);
  });

  test.each([
    [machine("Linux", "riscv64"), "there is no executable for riscv64"],
    [machine("FreeBSD", "amd64"), "there is no installer for FreeBSD"],
  ])("or refused (%#)", async (uname, message) => {
    const { code, stderr, page } = await install({
      env: { PATH: `${programs({ uname })}:${process.env["PATH"]}`, HOOKSH_PLATFORM: "" },
    });
    expect({ code, asked: page.asked }).toEqual({ code: 1, asked: [] });
    expect(stderr).toContain(message);
  });
});

test("bash, where it is /bin/sh, reads it too", async () => {
  const child = Bun.spawn(["bash", "-n", script], { stderr: "pipe" });
  expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
});
