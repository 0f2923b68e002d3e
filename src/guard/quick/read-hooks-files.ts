import { hasNoRepeatedKeys } from "../../config/yaml/repeated-keys.ts";
import { parseYaml } from "../../lib/platform.ts";
import type { FolderEntry, SystemCalls } from "../../lib/process/system-calls.ts";
import { type PlainHook, readPlainHooks } from "./plain-hooks.ts";

/** In bytes. A larger file is rare, and proving that it repeats no key takes long. */
const LARGEST_FILE = 1 << 20;

/**
 * Returns the hooks of the drop-ins in the user's configuration directory and of the hooks files, in this order.
 * Undefined unless all of them are plain and nothing else in the directory counts.
 */
export function readHooksFiles(
  system: SystemCalls,
  { config, files }: { config: string; files: readonly string[] },
): PlainHook[] | undefined {
  const dropIns = dropInsOf(system, config);
  if (dropIns === undefined) return undefined;
  const hooks: PlainHook[] = [];
  for (const path of [...dropIns, ...files]) {
    const read = readHooksFile(system, path);
    if (read === undefined) return undefined;
    hooks.push(...read);
  }
  return hooks;
}

function readHooksFile(system: SystemCalls, path: string): PlainHook[] | undefined {
  const bytes = system.readFile(path, LARGEST_FILE);
  if (bytes === undefined) return undefined;
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  if (!hasNoRepeatedKeys(text)) return undefined;
  const hooks = readPlainHooks(parseYaml(text), { path, directory: path.slice(0, path.lastIndexOf("/")) || "/" });
  return hooks?.length === 0 ? undefined : hooks;
}

/** Names that are read as settings or hooks, or that look as if they should be. */
const COUNTS = /^(?:config\.ya?ml|hooks?\.d)$/i;

/** Returns the paths of the drop-ins in byte order. Undefined if anything else in the directory counts. */
function dropInsOf(system: SystemCalls, config: string): string[] | undefined {
  const entries = system.list(config);
  if (entries === undefined) return isMissing(system, config) ? [] : undefined;
  const counting = entries.filter(({ name }) => COUNTS.test(name));
  const [folder] = counting;
  if (folder === undefined) return [];
  if (counting.length > 1 || folder.name !== "hooks.d" || folder.kind !== "folder") return undefined;
  const dropIns = system.list(`${config}/hooks.d`);
  if (!dropIns?.every((entry) => isDropIn(entry) || isCompanion(entry))) return undefined;
  const names = dropIns.filter(isDropIn).map(({ name }) => name);
  // The order of UTF-16 units is that of bytes only within ASCII.
  if (names.some((name) => /[^ -~]/.test(name))) return undefined;
  return names.sort().map((name) => `${config}/hooks.d/${name}`);
}

function isDropIn({ name, kind }: FolderEntry): boolean {
  return kind === "file" && /\.ya?ml$/.test(name);
}

/** True for a script of a hook, a note, or a file such as `.gitkeep`. */
function isCompanion({ name, kind }: FolderEntry): boolean {
  return kind === "file" && /^\.[^.]*$|\.(?:md|sh|bash|zsh|fish|ps1|py|rb|pl)$/i.test(name);
}

/** True if a directory does not exist and could be created: otherwise hooksh uses another one, or reports a broken link. */
function isMissing(system: SystemCalls, directory: string): boolean {
  for (let path = directory; ; ) {
    if (system.exists(path) !== false) return path !== directory && system.mayCreateIn(path);
    path = path.slice(0, path.lastIndexOf("/"));
    if (path === "") return false;
  }
}
