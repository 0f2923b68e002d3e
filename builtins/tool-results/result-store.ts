import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Env } from "../../src/lib/env.ts";
import { sha256 } from "../../src/lib/platform.ts";

const NAME = "hooksh-tool-results";

/**
 * Writes a text to a file that only this user can read, and returns its path. The temporary directory is shared, so a
 * directory there that is a link or belongs to another user is not used. Throws if the file cannot be written.
 */
export async function storeResult(text: string, sessionId: string, env: Env): Promise<string> {
  const directory = join(await ownDirectory(env), directoryName(sessionId));
  await makeOwned(directory);
  const path = join(directory, `tool-result-${randomUUID()}.txt`);
  await writeFile(path, text, { mode: 0o600, flag: "wx" }); // wx: neither an existing file nor a link is written to
  return path;
}

/** Deletes the files of a session. Throws if one cannot be deleted. */
export async function removeStoredResults(sessionId: string, env: Env): Promise<void> {
  for (const root of candidates(env)) {
    if (await isOwned(root)) await rm(join(root, directoryName(sessionId)), { recursive: true, force: true });
  }
}

/** The session id as the name of a directory: escaped, or its digest if that would be too long. */
export function directoryName(sessionId: string): string {
  if (sessionId === "") return "unknown";
  const name = encodeURIComponent(sessionId.toWellFormed()).replace(/^\.+$/, (dots) => "%2E".repeat(dots.length));
  return name.length <= 200 ? name : sha256(sessionId);
}

/** The usual directory, and this user's own for a machine on which another user has created the first. */
function candidates(env: Env): string[] {
  const temporary = env["TMPDIR"] || tmpdir();
  return [join(temporary, NAME), join(temporary, `${NAME}-${process.getuid?.() ?? "own"}`)];
}

async function ownDirectory(env: Env): Promise<string> {
  const [usual = "", own = ""] = candidates(env);
  return makeOwned(usual).catch(() => makeOwned(own));
}

async function makeOwned(directory: string): Promise<string> {
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  if (!(await isOwned(directory))) throw new Error(`${directory} is not a directory of this user`);
  return directory;
}

/** True for a directory of this user that is not a link. Removes the permissions of others. */
async function isOwned(directory: string): Promise<boolean> {
  const found = await lstat(directory).catch(() => undefined);
  if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false;
  if (process.getuid && (found.mode & 0o077) !== 0) await chmod(directory, 0o700);
  return true;
}
