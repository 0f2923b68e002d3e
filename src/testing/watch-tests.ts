import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { printError } from "../cli/print.ts";
import { scriptOfHook } from "../config/hooks/hook-script.ts";
import { processEnv } from "../lib/env.ts";
import { UserError } from "../lib/errors.ts";
import { settleWithin } from "../lib/settle-within.ts";
import type { FoundFiles } from "./find-test-files.ts";
import type { LoadedFiles } from "./run-files.ts";

/** The files to watch. */
export interface WatchedTests {
  find: () => FoundFiles;
  load: (found: FoundFiles) => Promise<LoadedFiles>;
  /** Ends the watch. */
  signal: AbortSignal;
}

/** In milliseconds: how often files are compared with their last state. */
const POLL_MS = 150;

/** The files of a folder that count: scripts and configuration, not what hooks may write there. */
const SOURCES = /\.(?:sh|bash|zsh|py|rb|pl|php|[cm]?[jt]s|ya?ml)$/;

/**
 * Runs tests, and again whenever a test file, a hooks file, a hook's script or a source file beside one of them changes.
 * A change stops the tests that run. Ends when the signal aborts. Compares the files themselves instead of asking the
 * system for events, which file systems of networks and containers do not have.
 */
export async function watchTests(
  { find, load, signal }: WatchedTests,
  run: (loaded: LoadedFiles, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  let watched: readonly string[] = [];
  while (!signal.aborted) {
    const state = new FileStates(watched);
    const stop = new AbortController();
    const found = find();
    state.add(found.tests.concat(found.hooks));
    const running = load(found).then(
      (loaded) => {
        watched = [...found.tests, ...found.hooks, ...filesOf(loaded)];
        state.add(watched);
        return run(loaded, stop.signal);
      },
      (error: unknown) => {
        if (!(error instanceof UserError)) throw error;
        printError(error.message);
      },
    );
    await untilChange(state, { find, found, signal });
    stop.abort();
    await running;
  }
}

/** The files and folders that the tests read, with their state when they were added. */
class FileStates {
  readonly #states = new Map<string, string>();

  constructor(files: readonly string[]) {
    this.add(files);
  }

  /** Adds files, and the source files beside them. A file that was added before keeps its state. */
  add(files: readonly string[]): void {
    for (const path of new Set([...files, ...files.map((file) => dirname(file))])) {
      if (!this.#states.has(path)) this.#states.set(path, stateOf(path));
    }
  }

  /** True if any of them is not as it was. */
  hasChanged(): boolean {
    return [...this.#states].some(([path, state]) => stateOf(path) !== state);
  }
}

async function untilChange(
  state: FileStates,
  { find, found, signal }: Pick<WatchedTests, "find" | "signal"> & { found: FoundFiles },
): Promise<void> {
  const foldersOf = () =>
    found.directories.map((folder) => statSync(folder, { throwIfNoEntry: false })?.mtimeMs).join();
  let folders = foldersOf();
  while (!signal.aborted && !state.hasChanged()) {
    await settleWithin(new Promise(() => {}), { ms: POLL_MS, signal });
    const now = foldersOf();
    if (now !== folders && find().tests.join("\n") !== found.tests.join("\n")) return;
    folders = now;
  }
}

/** The state of a file: its size and time; of a folder: those of the source files in it. */
function stateOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats ? `${stats.size} ${stats.mtimeMs}` : "missing";
  const names = readdirSync(path).filter((name) => SOURCES.test(name));
  return names.map((name) => `${name} ${fileState(join(path, name))}`).join("\n");
}

function fileState(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? `${stats.size} ${stats.mtimeMs}` : "";
}

/** The hooks files of tests, and the scripts of their hooks. */
function filesOf({ files }: LoadedFiles): string[] {
  return files.flatMap(({ hooks, path }) => [
    ...hooks.files,
    ...hooks.entries.flatMap((entry) => {
      const workingDir = entry.directory ?? dirname(path);
      return scriptOfHook(entry, { workingDir, env: processEnv() })?.path ?? [];
    }),
  ]);
}
