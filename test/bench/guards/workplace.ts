import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where the judged calls would run. Nothing runs them. */
export interface Workplace {
  project: string;
  env: Record<string, string>;
  remove(): void;
}

/**
 * Makes a home with a repository in it that has a branch, a remote and uncommitted work. It lies in the real home: below a
 * directory for temporary files everything might be deleted.
 */
export function makeWorkplace(): Workplace {
  const home = mkdtempSync(join(homedir(), ".hooksh-bench-"));
  const project = join(home, "project");
  const env = { HOME: home, PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", GIT_CONFIG_NOSYSTEM: "1" };
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "src", "app.ts"), "export {};\n");
  writeFileSync(join(project, ".gitignore"), ".env\n");
  const git = (...words: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(["git", ...words], { cwd: project, env, stderr: "pipe" });
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  };
  git("init", "--quiet", "--initial-branch=feature");
  git("remote", "add", "origin", "https://github.com/example/project.git");
  git("add", ".");
  git("-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "--quiet", "--message=first");
  writeFileSync(join(project, "src", "app.ts"), "export const changed = true;\n");
  for (const name of [".env", ".env.example"]) writeFileSync(join(project, name), "API_KEY=example\n");
  return { project, env, remove: () => rmSync(home, { recursive: true, force: true }) };
}
