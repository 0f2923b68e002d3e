import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Env } from "../../src/lib/env.ts";
import { sha256 } from "../../src/lib/platform.ts";

const NAME = "hooksh-tool-results";

/**
 * Writes a text where only this user can read it and returns the file's path. The temporary directory is shared: a
 * directory there that is a link or somebody else's is not used. Throws when nothing can be written.
 *
 * Source: hooks 11.9.
 */
export async function storeResult(text: string, sessionId: string, env: Env): Promise<string> {
  const directory = join(await ownDirectory(env), directoryName(sessionId));
  await makeOurs(directory);
  const path = join(directory, `tool-result-${randomUUID()}.txt`);
  await writeFile(path, text, { mode: 0o600, flag: "wx" }); // wx: neither an existing file nor a link is written to
  return path;
}

/** Deletes what was stored for a session. Throws when something of it stays. */
export async function removeStoredResults(sessionId: string, env: Env): Promise<void> {
  for (const root of candidates(env)) {
    if (await isOurs(root)) await rm(join(root, directoryName(sessionId)), { recursive: true, force: true });
  }
}

/** The session id as one name that is no path: escaped, and shortened to a digest where it would be too long. */
export function directoryName(sessionId: string): string {
  if (sessionId === "") return "unknown";
  const name = encodeURIComponent(sessionId.toWellFormed()).replace(/^\.+$/, (dots) => "%2E".repeat(dots.length));
  return name.length <= 200 ? name : sha256(sessionId);
}

/** The usual directory, and one of this user's own for when another user of the machine was first. */
function candidates(env: Env): string[] {
  const temporary = env["TMPDIR"] || tmpdir();
  return [join(temporary, NAME), join(temporary, `${NAME}-${process.getuid?.() ?? "own"}`)];
}

async function ownDirectory(env: Env): Promise<string> {
  const [usual = "", own = ""] = candidates(env);
  return makeOurs(usual).catch(() => makeOurs(own));
}

async function makeOurs(directory: string): Promise<string> {
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  if (!(await isOurs(directory))) throw new Error(`${directory} is not a directory of this user`);
  return directory;
}

/** True for a directory, no link, of this user; what others may do there is taken away. */
async function isOurs(directory: string): Promise<boolean> {
  const found = await lstat(directory).catch(() => undefined);
  if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false;
  if (process.getuid && (found.mode & 0o077) !== 0) await chmod(directory, 0o700);
  return true;
}
