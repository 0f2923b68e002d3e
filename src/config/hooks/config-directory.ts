import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, errorText } from "../../lib/errors.ts";
import { isMissing } from "../../lib/files/paths.ts";

/** The hook sources in the user's configuration directory. */
export interface ConfigDirectory {
  /** The path of `config.yaml`; undefined if it does not exist. */
  config: string | undefined;
  /** The paths of the drop-ins in `hooks.d`, in byte order of their names. */
  dropIns: readonly string[];
  /** One line for each file or folder that looks like a hook source and is not read. */
  notices: readonly string[];
  /** The lines about those that have hooks under a wrong name, and are no backup or note. */
  misnamed: readonly string[];
}

/** Patterns of misspelt names, each with the name that hooksh reads. */
const MISNAMED: readonly (readonly [RegExp, string])[] = [
  [/^config\.ya?ml$/i, "config.yaml"],
  [/^hooks?\.d$/i, "hooks.d"],
];

/** Files that may lie in `hooks.d` without a notice: scripts of hooks, notes, and files such as `.gitkeep`. */
const COMPANION = /^\.[^.]*$|\.(?:md|sh|bash|zsh|fish|ps1|py|rb|pl|[cm]?[jt]s)$/i;

const YAML = /\.ya?ml$/;

/** Own hooks, which a drop-in names, and the modules they import. On their own they are not read. */
const SCRIPT = /^[^.].*\.[cm]?[jt]s$/;

/** Names in `hooks.d` that are not read, and were probably meant to be. */
const HOOK_LIKE = /^[^.].*\.(?:ya?ml|json|[cm]?[jt]s)$/i;

/**
 * Lists the configuration directory. Throws a {@link ConfigError} if it or `hooks.d` exists and cannot be listed:
 * otherwise unreadable guards would look like no guards.
 */
export function readConfigDirectory(directory: string): ConfigDirectory {
  const found = entriesOf(directory, isMissing);
  const names = found.map(({ name }) => name);
  const has = (name: string) =>
    names.includes(name) ||
    (names.some((other) => isSameIgnoringCase(other, name)) && !isMissing(join(directory, name)));
  const folder = has("hooks.d") ? readDropIns(join(directory, "hooks.d")) : undefined;
  const unreadLine = (unread: readonly string[] = []) =>
    unread.length === 0
      ? []
      : [
          `${join(directory, "hooks.d")}: not read: ${unread.join(", ")}; only regular files that end in .yaml or .yml are read`,
        ];
  const misspelt = names.flatMap((name) => misnamed(directory, name, has));
  return {
    config: has("config.yaml") ? join(directory, "config.yaml") : undefined,
    dropIns: folder?.dropIns ?? [],
    notices: [...misspelt, ...unreadLine(folder?.unread)],
    misnamed: [...misspelt, ...unreadLine(folder?.unread.filter((name) => HOOK_LIKE.test(name)))],
  };
}

/** True if both names mean one file on a file system that ignores case. */
function isSameIgnoringCase(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function misnamed(directory: string, name: string, has: (name: string) => boolean): string[] {
  const intended = MISNAMED.find(([pattern, right]) => name !== right && pattern.test(name))?.[1];
  if (intended === undefined || (isSameIgnoringCase(name, intended) && has(intended))) return [];
  return [`${join(directory, name)}: not read, because its name is not ${intended}`];
}

/** The drop-ins of a folder, and the names of entries that are not read, both in byte order. */
function readDropIns(directory: string): { dropIns: string[]; unread: string[] } {
  const dropIns: string[] = [];
  const scripts: string[] = [];
  const skipped: string[] = [];
  for (const entry of entriesOf(directory)) {
    const { name } = entry;
    const kind = kindOf(directory, entry);
    if (kind === "folder") {
      if (YAML.test(name) || mayHoldYaml(join(directory, name))) skipped.push(`${name}/`);
    } else if (kind === "file" && YAML.test(name)) dropIns.push(name);
    else if (kind === "file" && SCRIPT.test(name)) scripts.push(name);
    else if (!COMPANION.test(name)) skipped.push(name);
  }
  const paths = inByteOrder(dropIns).map((name) => join(directory, name));
  const unused = scripts.length > 0 && !paths.some((path) => namesAny(path, scripts)) ? scripts : [];
  return { dropIns: paths, unread: inByteOrder([...skipped, ...unused]) };
}

function inByteOrder(names: string[]): string[] {
  return names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** True if a drop-in names one of the scripts, or cannot be read. */
function namesAny(dropIn: string, scripts: readonly string[]): boolean {
  try {
    const text = readFileSync(dropIn, "utf8");
    return scripts.some((name) => text.includes(name));
  } catch {
    return true;
  }
}

/**
 * The kind of an entry after following links. An inaccessible entry counts as a file, so that reading it reports why.
 */
function kindOf(directory: string, entry: Dirent): "file" | "folder" | "other" {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  try {
    const found = statSync(join(directory, entry.name));
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  } catch {
    return "file";
  }
}

/** True if the folder contains a YAML file, or cannot be listed. */
function mayHoldYaml(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => YAML.test(name));
  } catch {
    return true;
  }
}

function entriesOf(directory: string, mayBeMissing: (path: string) => boolean = () => false): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (mayBeMissing(directory)) return [];
    throw new ConfigError(`${directory}: cannot be listed: ${errorText(error)}`, { cause: error });
  }
}
