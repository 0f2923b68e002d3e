import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { BUILD_FLAGS, ENTRY_POINTS } from "./build-flags.ts";

/** The directory of the project. */
export const root: string = join(import.meta.dir, "..");

/** The options of a build. */
export interface Compilation {
  outfile: string;
  /** Bun's name of the platform (default: this one). */
  target?: string;
  /** The Bun executable to embed (default: the running one). */
  runtime?: string;
}

/**
 * Builds the executable. The build is reproducible: the embedded name is always `hooksh`, and apart from sources and
 * runtime the only input is the commit. Throws with the compiler's messages.
 */
export function compile({ outfile, target, runtime }: Compilation): void {
  mkdirSync(dirname(outfile), { recursive: true });
  const scratch = mkdtempSync(join(dirname(outfile), ".build-"));
  // Bun adds .exe for Windows if it is missing.
  const built = join(scratch, target?.includes("windows") ? "hooksh.exe" : "hooksh");
  const build = Bun.spawnSync(
    [
      process.execPath,
      "build",
      ...BUILD_FLAGS,
      "--define",
      `HOOKSH_COMMIT=${JSON.stringify(commit())}`,
      ...(target === undefined ? [] : ["--target", target]),
      ...(runtime === undefined ? [] : ["--compile-executable-path", runtime]),
      ...ENTRY_POINTS,
      "--outfile",
      built,
    ],
    { cwd: root, stdout: "pipe", stderr: "pipe" },
  );
  try {
    if (build.exitCode !== 0) throw new Error(`${outfile}: ${build.stdout}${build.stderr}`);
    renameSync(built, outfile);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Returns the commit of the sources, with a `+` if they have changes; HOOKSH_COMMIT if git is not available. */
export function commit(): string {
  const given = process.env["HOOKSH_COMMIT"];
  if (given) return given;
  const git = (...args: string[]) => {
    try {
      const { exitCode, stdout } = Bun.spawnSync(["git", ...args], { cwd: root, stdout: "pipe", stderr: "ignore" });
      return exitCode === 0 ? stdout.toString().trim() : undefined;
    } catch {
      return undefined; // no git
    }
  };
  const head = git("rev-parse", "HEAD");
  if (head === undefined) return "unknown";
  return git("status", "--porcelain", "--untracked-files=no", "--", "src", "builtins", "package-lock.json")
    ? `${head}+`
    : head;
}
