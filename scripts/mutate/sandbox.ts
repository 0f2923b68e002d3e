import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Mutant } from "./mutants.ts";

/** How one test file ended. */
export type TestEnd = "passed" | "failed" | "timed out" | "out of memory";

/** The memory in bytes beyond which a test counts as failed: a mutant may collect values without end. */
const MEMORY_LIMIT = 4_000_000_000;

/** A copy of the working tree in which one mutant at a time is tried. The working tree itself is never changed. */
export class Sandbox {
  readonly root: string;
  readonly #scratch: string;
  readonly #program: string;

  /** Copies every file that git tracks or would track. */
  constructor(tree: string, directory: string) {
    this.root = join(directory, "tree");
    this.#scratch = join(directory, "scratch");
    this.#program = join(directory, "hooksh");
    const listed = Bun.spawnSync(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: tree,
    });
    for (const file of listed.stdout.toString().split("\0").filter(Boolean)) {
      const target = join(this.root, file);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(tree, file), target, { verbatimSymlinks: true });
    }
    symlinkSync(join(tree, "node_modules"), join(this.root, "node_modules"));
    // Replaces the compiled executable, which would take half a minute to build for each mutant.
    writeFileSync(this.#program, `#!/bin/sh\nexec '${process.execPath}' '${join(this.root, "src/main.ts")}' "$@"\n`, {
      mode: 0o755,
    });
    this.#emptyScratch();
  }

  /** Changes a file of the copy, does the work, and puts the file back. */
  async with<T>(mutant: Mutant, work: () => Promise<T>): Promise<T> {
    const path = join(this.root, mutant.file);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, before.slice(0, mutant.start) + mutant.replacement + before.slice(mutant.end));
    try {
      return await work();
    } finally {
      writeFileSync(path, before);
    }
  }

  /** Runs one test file to its first failure. At the time limit, kills it and every process that it started. */
  async run(test: string, limitMs: number, coverage?: string): Promise<TestEnd> {
    const measured = coverage ? ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${coverage}`] : [];
    const child = Bun.spawn([process.execPath, "test", "--bail", ...measured, test], {
      cwd: this.root,
      env: { ...process.env, HOOKSH_TEST_BINARY: this.#program, HOME: this.#scratch, TMPDIR: this.#scratch },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
    let stopped: TestEnd | undefined;
    const stop = (reason: TestEnd) => {
      stopped = reason;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => stop("timed out"), limitMs);
    const watch = setInterval(() => {
      if (memoryOf(child.pid) > MEMORY_LIMIT) stop("out of memory");
    }, 500);
    const code = await child.exited;
    clearTimeout(timer);
    clearInterval(watch);
    this.#endLeftovers(child.pid);
    this.#emptyScratch();
    return stopped ?? (code === 0 ? "passed" : "failed");
  }

  /**
   * Kills the test's process group and, on Linux, every process that still has this copy's scratch directory in its
   * environment.
   */
  #endLeftovers(group: number): void {
    kill(-group);
    for (const pid of processes()) if (environmentOf(pid).includes(this.#scratch)) kill(pid);
  }

  #emptyScratch(): void {
    rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 3 });
    mkdirSync(this.#scratch, { recursive: true });
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has already ended
  }
}

/** The running processes; none on a system without /proc. */
function processes(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

/** The resident memory of a process in bytes; 0 if it cannot be read. */
function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
