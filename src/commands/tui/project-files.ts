import { readdirSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../lib/env.ts";
import { readGit, splitNames } from "../../lib/process/git.ts";

const MAX_FILES = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** A listing is used for this long: a name is completed letter by letter. */
const FRESH_MS = 5_000;

let last: { directory: string; at: number; files: readonly string[] } | undefined;

/**
 * Returns the files under a directory, relative to it, at most 20,000: those that git does not ignore, or if it is no
 * repository all except hidden ones and `node_modules`. Names with a control character or white space are left out.
 */
export async function projectFiles(directory: string, signal: AbortSignal): Promise<readonly string[]> {
  if (last?.directory === directory && Date.now() - last.at < FRESH_MS) return last.files;
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listed = await readGit({ args, cwd: directory, env: processEnv(), signal, limit: MAX_BYTES });
  const names = listed.kind === "read" ? splitNames(listed.output) : walk(directory);
  const files = names.filter((name) => !/[\s\p{Cc}]/u.test(name)).slice(0, MAX_FILES);
  if (!signal.aborted) last = { directory, at: Date.now(), files };
  return files;
}

/** Lists files breadth first, so that a limit cuts off the deepest. */
function walk(directory: string): string[] {
  const files: string[] = [];
  const pending = [""];
  for (let at = 0; at < pending.length && files.length < MAX_FILES && at < MAX_FILES; at++) {
    for (const entry of entriesOf(join(directory, pending[at] ?? ""))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = pending[at] ? `${pending[at]}/${entry.name}` : entry.name;
      if (entry.isDirectory()) pending.push(path);
      else files.push(path);
    }
  }
  return files;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // it cannot be read, so there is nothing to complete
  }
}
