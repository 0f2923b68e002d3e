import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Env } from "../../lib/env.ts";
import { isObject } from "../../lib/json.ts";
import { readGitText } from "../../lib/process/git.ts";

/** What a directory shows about its project. Only `branch` is text from the repository. */
export interface Project {
  /** The branch that others build on; undefined outside of a git repository. */
  protectedBranch: string | undefined;
  /** Absent if no file says how the tests run. */
  tests: { command: string; file: string } | undefined;
}

const GIT_DEADLINE_MS = 2000;
const USUAL_BRANCH = "main";

/** A branch name that is safe in a file, a pattern and a message. */
const BRANCH = /^[A-Za-z0-9][\w./-]{0,99}$/;

/** Describes the project in a directory. Runs only read-only git commands. */
export async function findProject(cwd: string, env: Env): Promise<Project> {
  const tests = TESTS.find(({ file, when }) => isFile(join(cwd, file)) && (when?.(cwd) ?? true));
  return {
    protectedBranch: await findBranch(cwd, env),
    tests: tests && { command: tests.command(cwd), file: tests.file },
  };
}

/** Returns the default branch of `origin`, else `main` or `master` if there is one, else `main`. */
async function findBranch(cwd: string, env: Env): Promise<string | undefined> {
  const signal = AbortSignal.timeout(GIT_DEADLINE_MS);
  const ask = async (...args: string[]) => {
    const result = await readGitText({ args, cwd, env, signal });
    return result.kind === "read" ? result.output : undefined;
  };
  if ((await ask("rev-parse", "--is-inside-work-tree")) !== "true") return undefined;
  const origin = (await ask("symbolic-ref", "--short", "refs/remotes/origin/HEAD"))?.replace(/^origin\//, "");
  if (origin !== undefined) return BRANCH.test(origin) ? origin : USUAL_BRANCH;
  const branches =
    (await ask("for-each-ref", "--format=%(refname:short)", "refs/heads/main", "refs/heads/master")) ?? "";
  const current = await ask("symbolic-ref", "--short", "HEAD");
  return branches.split("\n").find(Boolean) ?? (current === "master" ? current : USUAL_BRANCH);
}

/** A file that says how the tests of a project run. */
interface TestRow {
  file: string;
  /** Another condition; true if absent. */
  when?: (cwd: string) => boolean;
  command: (cwd: string) => string;
}

/** The first row that matches counts. */
const TESTS: readonly TestRow[] = [
  { file: "package.json", when: hasTestScript, command: (cwd) => `${packageManager(cwd)} test` },
  { file: "deno.json", command: () => "deno test" },
  { file: "go.mod", command: () => "go test ./..." },
  { file: "Cargo.toml", command: () => "cargo test" },
  { file: "pyproject.toml", command: (cwd) => (isFile(join(cwd, "uv.lock")) ? "uv run pytest" : "python3 -m pytest") },
  { file: "pytest.ini", command: () => "python3 -m pytest" },
  { file: "pom.xml", command: () => "mvn test" },
  { file: "build.gradle", command: gradle },
  { file: "build.gradle.kts", command: gradle },
  { file: "mix.exs", command: () => "mix test" },
  { file: "Gemfile", when: (cwd) => existsSync(join(cwd, "spec")), command: () => "bundle exec rspec" },
  { file: "composer.json", when: hasTestScript, command: () => "composer test" },
  { file: "Makefile", when: (cwd) => /^test:/m.test(readStart(join(cwd, "Makefile"))), command: () => "make test" },
];

function gradle(cwd: string): string {
  return isFile(join(cwd, "gradlew")) ? "./gradlew test" : "gradle test";
}

const LOCK_FILES = {
  "bun.lock": "bun run",
  "bun.lockb": "bun run",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
} as const;

function packageManager(cwd: string): string {
  return Object.entries(LOCK_FILES).find(([file]) => isFile(join(cwd, file)))?.[1] ?? "npm";
}

/** True if package.json or composer.json has a script `test` other than the one that `npm init` writes. */
function hasTestScript(cwd: string): boolean {
  return ["package.json", "composer.json"].some((file) => {
    try {
      const content: unknown = JSON.parse(readStart(join(cwd, file)));
      const scripts = isObject(content) ? content["scripts"] : undefined;
      const script = isObject(scripts) ? scripts["test"] : undefined;
      return script !== undefined && !String(script).includes("no test specified");
    } catch {
      return false; // not JSON: the project's own problem
    }
  });
}

const MAX_BYTES = 1024 * 1024;

/** Returns the text of a file; empty if it cannot be read, or is larger than 1 MiB. */
function readStart(path: string): string {
  try {
    return isFile(path) && statSync(path).size <= MAX_BYTES ? readFileSync(path, "utf8") : "";
  } catch {
    return ""; // no permission
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // it does not exist
  }
}
