import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { tryLock } from "../../src/lib/process/descriptors.ts";
import { tempDir } from "./temp-dir.ts";

const root = join(import.meta.dir, "../..");

/**
 * Built here, not by the first test that needs it: a build takes longer than a test may. Once per test file, because a
 * look at all sources takes longer than to start the executable.
 */
const executable = process.env["HOOKSH_TEST_BINARY"] || builtExecutable();

/** The compiled executable: the one HOOKSH_TEST_BINARY names, else ours, built when missing or older than a source file. */
export function binary(): string {
  return executable;
}

function builtExecutable(): string {
  const path = join(root, "dist", "hooksh");
  const isCurrent = () => existsSync(path) && statSync(path).mtimeMs >= newestSource();
  if (isCurrent()) return path;
  mkdirSync(dirname(path), { recursive: true });
  const lock = openSync(join(root, "dist", ".test-build-lock"), "w");
  try {
    while (!tryLock(lock)) Bun.sleepSync(100); // another process that runs tests builds it
    if (isCurrent()) return path;
    console.error("dist/hooksh is missing or older than its sources: building it ...");
    const build = Bun.spawnSync([process.execPath, "scripts/build.ts"], {
      cwd: root,
      stdout: "inherit",
      stderr: "inherit",
    });
    if (!build.success) throw new Error("dist/hooksh cannot be built: run `npm run build`");
    return path;
  } finally {
    closeSync(lock);
  }
}

function newestSource(): number {
  const files = [
    "src/**/*.{ts,css}",
    "builtins/**/*.ts",
    "package.json",
    "scripts/{build,build-flags,compile}.ts",
    "examples/guarded-cleanup/*",
  ].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  return Math.max(...files.map((file) => statSync(join(root, file)).mtimeMs));
}

/** The result of a run of the executable. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** Every line of standard output parsed. */
  lines: () => Record<string, unknown>[];
}

/** How the executable is run. */
export interface RunOptions {
  cwd: string;
  input?: string | Uint8Array;
  env?: Readonly<Record<string, string>>;
}

/** The home directory of programs that run in a directory of the project, where they must leave nothing. */
let homeOfProject: string | undefined;

function homeFor(cwd: string): string {
  if (`${cwd}/`.startsWith(`${root}/`)) return (homeOfProject ??= tempDir());
  const home = join(cwd, ".home");
  mkdirSync(home, { recursive: true });
  return home;
}

/**
 * An environment in which nothing of the machine's user is seen: the home directory is `cwd`/.home, or a temporary one if
 * `cwd` is in the project.
 */
export function cleanEnv(cwd: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    // What install --project registers for a team is found on PATH.
    PATH: [process.env["PATH"] ?? "", dirname(binary())].join(delimiter),
    HOME: homeFor(cwd),
    SHELL: "/bin/sh",
    TMPDIR: process.env["TMPDIR"] ?? "/tmp",
    LC_ALL: "C",
    ...extra,
  };
}

/** Runs the compiled executable to its end. */
export async function hooksh(args: readonly string[], { cwd, input = "", env }: RunOptions): Promise<Ran> {
  const child = Bun.spawn([binary(), ...args], {
    cwd,
    env: cleanEnv(cwd, env),
    stdin: typeof input === "string" ? Buffer.from(input) : input,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return {
    code,
    stdout,
    stderr,
    lines: () =>
      stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}

/** Dispatches one event with a hooks block, through the compiled executable, with `--output result`. */
export async function dispatch(
  hooks: unknown,
  event: unknown,
  options: { cwd: string; args?: string[]; env?: Record<string, string> },
): Promise<Ran> {
  const file = join(options.cwd, "hooks.yaml");
  await Bun.write(file, typeof hooks === "string" ? hooks : JSON.stringify(hooks));
  const args = ["dispatch", "--hooks-file", file, "--output", "result", ...(options.args ?? [])];
  return hooksh(args, { cwd: options.cwd, input: JSON.stringify(event), ...(options.env ? { env: options.env } : {}) });
}
