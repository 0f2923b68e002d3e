import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../builtins/snapshot.ts";
import { type Env, processEnv } from "../../src/lib/env.ts";
import { runProcess } from "../../src/lib/process/process.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import { listCheckpoints, resetTo, type SnapshotOptions, undoLast } from "../../src/snapshot/controller.ts";

/** The environment of the tests: no configuration of the person who runs them. */
export const testEnv: Env = {
  PATH: processEnv()["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** Runs a program and returns what it wrote; throws when it fails. */
export async function sh(cwd: string, script: string): Promise<string> {
  const result = await runProcess({
    command: ["/bin/sh", "-ec", script],
    cwd,
    env: testEnv,
    deadlineMs: 250_000,
    stdoutLimit: 1 << 26,
    stderrLimit: 4096,
  });
  if (result.end.kind !== "exited" || result.end.code !== 0) throw new Error(`${script}: ${result.stderr}`);
  return result.stdout;
}

/** Runs snapshot-child.ts; aborting the signal kills it, without a word of warning. */
export function child(args: readonly string[], options: { cwd?: string; path?: string; signal?: AbortSignal } = {}) {
  return runProcess({
    command: [process.execPath, join(import.meta.dir, "snapshot-child.ts"), ...args],
    cwd: options.cwd ?? tmpdir(),
    env: { ...testEnv, PATH: options.path ?? testEnv["PATH"] ?? "" },
    deadlineMs: 250_000,
    signal: options.signal,
    graceMs: 0,
    stdoutLimit: 1 << 20,
    stderrLimit: 4096,
  });
}

/** Commits everything. */
export const COMMIT = "git add -A; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one";

/** A git repository with a data directory next to it, and the builtin that acts on it. */
export class TestRepository {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "hooksh-snapshot-")));
  readonly root = join(this.base, "repo");
  readonly data = join(this.base, "data");
  /** What the builtin has logged. */
  readonly log: string[] = [];
  env: Env = testEnv;

  /** A repository with the files committed. */
  static async create(files: Record<string, string> = {}): Promise<TestRepository> {
    const repository = new TestRepository();
    mkdirSync(repository.root);
    for (const [path, content] of Object.entries(files)) repository.write(path, content);
    await sh(repository.root, `git init -q; ${COMMIT}`);
    return repository;
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  read(path: string): string | undefined {
    try {
      return readFileSync(join(this.root, path), "utf8");
    } catch {
      return undefined;
    }
  }

  /** Every file outside `.git` with its content, and links and modes. */
  files(): Promise<string> {
    const sum = 'sh -c \'test -L "$1" || cksum < "$1"; echo\' - {}';
    return sh(this.root, `find . -path ./.git -prune -o ! -type d -printf '%p %M %l ' -exec ${sum} \\; | sort`);
  }

  /** Every file of `.git` with its checksum. */
  gitFiles(): Promise<string> {
    return sh(this.root, 'find "$(git rev-parse --git-common-dir)" -type f | sort | xargs cksum');
  }

  /** Dispatches an event to the builtin. */
  async event(name: BuiltinInput["hook_event_name"], extra: Partial<BuiltinInput> = {}): Promise<void> {
    const output = await run({ session_id: "s", cwd: this.root, hook_event_name: name, ...extra }, [], {
      signal: new AbortController().signal,
      memory: <T>(make: () => T) => make(),
      env: this.env,
      directories: { config: this.base, data: this.data, cache: this.base },
      log: (_level, message) => void this.log.push(message),
    });
    if (output !== undefined) throw new Error("the builtin has an output");
  }

  /** A turn in which something happens. */
  async turn(act: () => void | Promise<unknown>, extra: Partial<BuiltinInput> = {}): Promise<void> {
    await this.event("turn_start", extra);
    await act();
    await this.event("turn_end", extra);
  }

  /** A tool call in which something happens. */
  async call(id: string, act: () => void | Promise<unknown>): Promise<void> {
    await this.event("pre_tool_use", { tool_use_id: id });
    await act();
    await this.event("post_tool_use", { tool_use_id: id });
  }

  options(extra: Partial<SnapshotOptions> = {}): SnapshotOptions {
    return { dataDir: this.data, cwd: this.root, sessionId: "s", env: this.env, ...extra };
  }

  undo() {
    return undoLast(this.options());
  }

  reset(keep: number) {
    return resetTo(this.options(), keep);
  }

  /** The files of each checkpoint relative to the root, oldest first. */
  async checkpoints(sessionId = "s"): Promise<string[][]> {
    const { checkpoints } = await listCheckpoints(this.options({ sessionId }));
    return checkpoints.map(({ files }) => files.map((path) => path.slice(this.root.length + 1)).sort());
  }

  /** The shadow repository's directory; there must be exactly one. */
  shadow(): string {
    const [only, ...others] = readdirSync(join(this.data, "snapshot"));
    if (!only || others.length > 0) throw new Error("not exactly one shadow repository");
    return join(this.data, "snapshot", only);
  }
}
