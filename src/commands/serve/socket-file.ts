import { lstatSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";
import { type HttpListener, listenHttp } from "../../lib/platform.ts";

/**
 * Listens on a socket file that only its owner can open. Removes a file that a server left behind. Throws a
 * {@link UserError} if a server still listens there, or if the path cannot be used.
 */
export async function listenOnSocket(
  path: string,
  respond: (request: Request) => Promise<Response>,
): Promise<HttpListener> {
  if (process.platform === "win32") throw new UserError("--socket is not available on Windows: use --port");
  requireOwnFolder(path);
  await removeStale(path);
  const umask = process.umask(0o177); // no other user can open the socket, not even before chmod
  try {
    return listenHttp({ socket: path }, respond);
  } catch (error) {
    throw new UserError(`--socket ${path}: ${errorText(error)}`, { cause: error });
  } finally {
    process.umask(umask);
  }
}

/** In a folder that everyone can write, another user could replace the socket. */
function requireOwnFolder(path: string): void {
  const folder = dirname(path);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) throw new UserError(`--socket ${path}: no such directory: ${folder}`);
  const isOpen = (stats.mode & 0o002) !== 0 && (stats.mode & 0o1000) === 0;
  if (isOpen)
    throw new UserError(`--socket ${path}: every user can replace files in ${folder}: use a directory of your own`);
}

async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new UserError(`--socket ${path}: exists and is not a socket`);
  if (await isListening(path)) throw new UserError(`--socket ${path}: another process listens there`);
  try {
    rmSync(path);
  } catch (error) {
    throw new UserError(`--socket ${path}: cannot be removed: ${errorText(error)}`, { cause: error });
  }
}

/** True unless the system says that no process listens: in doubt, the file stays. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", (error) => resolve(!("code" in error) || error.code !== "ECONNREFUSED"));
  });
}
