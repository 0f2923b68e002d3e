import { readdirSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../src/lib/env.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const root = join(import.meta.dir, "../..");

/** Every platform with HOOKSH_TEST_RELEASE=all; else only the one that needs no download. */
export const everyPlatform: boolean = processEnv()["HOOKSH_TEST_RELEASE"] === "all";

/** The outcome of `npm run release`. */
export interface Release {
  directory: string;
  files: string[];
  stdout: string;
}

/** Builds a release as `npm run release` does. Throws with its output when it fails. */
export async function buildRelease(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Release> {
  const directory = join(tempDir(), "release");
  const build = await runScript(["--out", directory, ...args], env);
  if (build.code !== 0) throw new Error(build.stderr);
  return { directory, files: readdirSync(directory).sort(), stdout: build.stdout };
}

/** Runs the script and waits for its end. */
export async function runScript(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([process.execPath, join(root, "scripts", "release.ts"), ...args], {
    env: { ...processEnv(), ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, stdout, stderr };
}
