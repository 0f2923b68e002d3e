import { lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";
import { type HttpListener, type HttpRequest, listenHttp } from "./listen-http.ts";

/**
 * Listens on a socket file that only its owner can open. Removes a file that a server left behind. Throws a
 * {@link UserError} if a server still listens there, or if the path cannot be used.
 */
export async function listenOnSocket(
  path: string,
  respond: (request: HttpRequest) => Promise<Response>,
): Promise<HttpListener> {
  if (process.platform === "win32") throw new UserError("--socket is not available on Windows: use --port");
  requireOwnFolder(path);
  await removeStale(path);
  const umask = process.umask(0o177); // no other user can open the socket, not even before chmod
  try {
    return await listenHttp({ socket: path }, respond);
  } catch (error) {
    throw new UserError(`--socket ${path}: ${errorText(error)}`, { cause: error });
  } finally {
    process.umask(umask);
  }
}

/**
 * Throws a {@link UserError} if another user could replace the socket, or a folder or link on the way to it: one who
 * owns a folder, or every user if all can write to a folder without the sticky bit.
 */
function requireOwnFolder(path: string): void {
  const folder = dirname(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UserError(`--socket ${path}: no such directory: ${folder}`);
  for (const each of new Set([...foldersAbove(path), ...foldersAbove(join(realpathSync(folder), "socket"))])) {
    const found = lstatSync(each);
    const isOpen = found.isDirectory() && (found.mode & 0o002) !== 0 && (found.mode & 0o1000) === 0;
    const who = isOpen
      ? "every user"
      : found.uid === 0 || found.uid === process.getuid?.()
        ? undefined
        : "another user";
    if (who !== undefined)
      throw new UserError(`--socket ${path}: ${who} can replace files in ${each}: use a directory of your own`);
  }
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
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
