import { existsSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const root = join(import.meta.dir, "../..");

let current: string | undefined;

/**
 * The compiled executable: the one HOOKSH_TEST_BINARY names, else ours, built when missing or older than a source file.
 * Looks at the sources once per test file: that takes longer than to start the executable.
 */
export function binary(): string {
  current ??= process.env["HOOKSH_TEST_BINARY"] || builtBinary();
  return current;
}

function builtBinary(): string {
  const path = join(root, "dist", "hooksh");
  if (!existsSync(path) || statSync(path).mtimeMs < newestSource()) {
    const build = Bun.spawnSync([process.execPath, "scripts/build.ts"], { cwd: root, stdout: "pipe", stderr: "pipe" });
    if (build.exitCode !== 0) throw new Error(`build failed: ${build.stderr.toString()}`);
  }
  return path;
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

/** An environment in which nothing of the machine's user is seen: the home directory is `cwd`/.home. */
export function cleanEnv(cwd: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    // What install --project registers for a team is found on PATH.
    PATH: [process.env["PATH"] ?? "", dirname(binary())].join(delimiter),
    HOME: join(cwd, ".home"),
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
