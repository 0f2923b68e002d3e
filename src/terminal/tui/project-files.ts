import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { processEnv } from "../../lib/env.ts";
import { readGit, splitNames } from "../../lib/process/git.ts";

const MAX_FILES = 100_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Files and directories that are read where there is no repository, which takes much longer than asking git. */
const MAX_WALKED = 20_000;

/** Git may wait for ever, for example for an ignore file that is a FIFO. */
const GIT_MS = 2_000;

/** Control and formatting characters, line separators and quotation marks: such names cannot be written in a line. */
const UNWRITABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"\uFFFD]/u;

/** A listing is used for this long: a name is completed letter by letter. */
const FRESH_MS = 5_000;

/** Returns a {@link projectFiles} that keeps its last listing for some seconds. */
export function freshListing(): typeof projectFiles {
  let last: { directory: string; at: number; files: readonly string[] } | undefined;
  return async (directory, signal) => {
    if (last?.directory === directory && Date.now() - last.at < FRESH_MS) return last.files;
    const files = await projectFiles(directory, signal);
    if (!signal.aborted) last = { directory, at: Date.now(), files };
    return files;
  };
}

/**
 * Returns the files under a directory, relative to it: those that git does not ignore, at most 100,000; or if it is no
 * repository, or git takes too long, all except hidden ones and `node_modules`, at most 20,000. If there are more, the
 * deepest are left out, and so are names with control or formatting characters or quotation marks.
 */
export async function projectFiles(directory: string, signal: AbortSignal): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const limited = AbortSignal.any([signal, AbortSignal.timeout(GIT_MS)]);
  const listed = await readGit({ args, cwd: directory, env: processEnv(), signal: limited, limit: MAX_BYTES });
  const names = listed.kind === "read" ? namesIn(listed) : await walk(directory, signal);
  return shallowest(names.filter((name) => !UNWRITABLE.test(name)));
}

/** Returns the files in a list of git's. A name with a slash at the end is another repository. */
function namesIn({ output, complete }: { output: string; complete: boolean }): string[] {
  const whole = complete ? output : output.slice(0, output.lastIndexOf("\0"));
  return splitNames(whole).filter((name) => !name.endsWith("/"));
}

/** Cuts a list of too many files; the deepest go first. */
function shallowest(files: readonly string[]): readonly string[] {
  if (files.length <= MAX_FILES) return files;
  const byDepth = files.map((file) => ({ file, depth: file.split("/").length }));
  return byDepth
    .sort((a, b) => a.depth - b.depth)
    .slice(0, MAX_FILES)
    .map(({ file }) => file);
}

/** Lists files breadth first, so that a limit cuts off the deepest. Follows no symbolic link. */
async function walk(directory: string, signal: AbortSignal): Promise<string[]> {
  const files: string[] = [];
  const pending = [""];
  for (let at = 0; at < pending.length && files.length < MAX_WALKED && at < MAX_WALKED; at++) {
    if (signal.aborted) return files;
    for (const entry of await entriesOf(join(directory, pending[at] ?? ""))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = pending[at] ? `${pending[at]}/${entry.name}` : entry.name;
      if (entry.isDirectory()) pending.push(path);
      else files.push(path);
    }
  }
  return files.slice(0, MAX_WALKED);
}

async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch {
    return []; // it cannot be read, so there is nothing to complete
  }
}
