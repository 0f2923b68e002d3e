import { join } from "node:path";
import { readRegularFileSync, UnreadableFileError } from "../../lib/files/read-file.ts";
import { isObject } from "../../lib/json.ts";
import { sha256 } from "../../lib/platform.ts";
import { writeOnce } from "./store-folder.ts";

/** Delegations deeper than this are none that hooksh makes. */
const MOST_LEVELS = 32;
const MOST_LINK_BYTES = 1024;

/** The name of a session in the store: a digest, because an id may be no file name. */
export function storedName(session: string): string {
  return sha256(session).slice(0, 32);
}

/**
 * Returns the stored name of the root of a session. A sub-agent's session names its parent; the folder remembers its root in
 * a file, for later events that name only the session, and for its own sub-agents. Throws if the folder cannot be used.
 */
export function rootOf(folder: string, session: string, parent: string | undefined): string {
  const own = storedName(session);
  if (parent === undefined || parent === session) return follow(folder, own);
  const root = follow(folder, storedName(parent));
  if (root !== own) writeOnce(folder, `${own}.root`, JSON.stringify({ root }));
  return root;
}

function follow(folder: string, name: string): string {
  let at = name;
  for (let level = 0; level < MOST_LEVELS; level++) {
    const next = linkOf(folder, at);
    if (next === undefined || next === at) return at;
    at = next;
  }
  return at;
}

/** Returns where the file of a sub-agent's session leads. Throws if it is damaged. */
function linkOf(folder: string, name: string): string | undefined {
  const path = join(folder, `${name}.root`);
  let text: string;
  try {
    text = readRegularFileSync(path, { limit: MOST_LINK_BYTES }).toString("utf8");
  } catch (error) {
    if (error instanceof UnreadableFileError && error.kind === "missing") return undefined;
    throw error;
  }
  const link = rootIn(text);
  if (link === undefined) throw new UnreadableFileError(path, "is damaged");
  return link;
}

function rootIn(text: string): string | undefined {
  try {
    const read: unknown = JSON.parse(text);
    const root = isObject(read) ? read["root"] : undefined;
    return typeof root === "string" && /^[0-9a-f]{32}$/.test(root) ? root : undefined;
  } catch {
    return undefined;
  }
}
