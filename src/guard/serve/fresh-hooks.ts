import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { OpenHooks } from "../dispatch/open-hooks.ts";

/** The files that hooks come from. */
export interface HookFiles {
  /** The configuration directory. */
  config: string;
  /** Hooks files and env files, as named on the command line. */
  named: readonly string[];
  /** The base of relative names. */
  cwd: string;
}

/**
 * Two changes within this time can leave a file with the same times and the same size, because file systems keep time in
 * steps. Hooks from a file that is younger are read again by the next request.
 */
const RACY_MS = 100;

/**
 * Returns a function that loads hooks when a file that they come from has changed since the last call, and returns the
 * loaded ones otherwise. A load that fails is tried again by the next call.
 */
export function freshHooks(files: HookFiles | undefined, load: () => Promise<OpenHooks>): () => Promise<OpenHooks> {
  let last: { state: string; hooks: Promise<OpenHooks> } | undefined;
  return () => {
    if (files === undefined) return load();
    // Taken before the files are read: a change in between shows in the next call.
    const { state, isYoung } = stateOf(files);
    if (last?.state === state) return last.hooks;
    const hooks = load();
    const loaded = { state, hooks };
    last = isYoung ? undefined : loaded;
    hooks.catch(() => {
      if (last === loaded) last = undefined;
    });
    return hooks;
  };
}

/** Describes every file that hooks may come from, those that do not exist too. */
function stateOf({ config, named, cwd }: HookFiles): { state: string; isYoung: boolean } {
  const folder = join(config, "hooks.d");
  const paths = [
    config,
    ...["config.yaml", ".env"].map((name) => join(config, name)),
    folder,
    ...namesIn(folder).map((name) => join(folder, name)),
    ...named.map((name) => resolve(cwd, name)),
  ];
  let newest = 0;
  const lines = paths.map((path) => {
    const stats = statOf(path);
    if (typeof stats === "string") return `${path}\0${stats}`;
    newest = Math.max(newest, Number(stats.ctimeNs / 1_000_000n));
    return [path, stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs, stats.mode].join("\0");
  });
  return { state: lines.join("\n"), isYoung: Date.now() - newest < RACY_MS };
}

function statOf(path: string) {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    return String(error);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // missing, or unreadable: then loading reports it
  }
}
