import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, errorText } from "../../lib/errors.ts";
import { isMissing } from "../../lib/files/is-missing.ts";

/** The hook sources in the configuration directory. */
export interface ConfigDirectory {
  /** The path of `config.yaml`; undefined if it does not exist. */
  config: string | undefined;
  /** The paths of the drop-ins of `hooks.d`, in byte order of their names. */
  dropIns: readonly string[];
  /** One line for every file and folder that looks like a source of hooks and is not read. */
  notices: readonly string[];
}

/** Names that are close to one that is read. */
const MISNAMED: readonly (readonly [RegExp, string])[] = [
  [/^config\.ya?ml$/i, "config.yaml"],
  [/^hooks?\.d$/i, "hooks.d"],
];

/** Endings of the files that keep drop-ins company: scripts of hooks, notes, and files such as `.gitkeep`. */
const COMPANION = /^\.[^.]*$|\.(?:md|sh|bash|zsh|fish|ps1|py|rb|pl|[cm]?[jt]s)$/i;

const YAML = /\.ya?ml$/;

/**
 * Lists the configuration directory once. Throws a {@link ConfigError} if it, or `hooks.d`, is there and cannot be
 * listed: guards that cannot be read must not pass for guards that are not configured.
 */
export function readConfigDirectory(directory: string): ConfigDirectory {
  const found = entriesOf(directory, isMissing);
  const names = found.map(({ name }) => name);
  const has = (name: string) =>
    names.includes(name) ||
    (names.some((other) => isSameIgnoringCase(other, name)) && !isMissing(join(directory, name)));
  const folder = has("hooks.d") ? readDropIns(join(directory, "hooks.d")) : undefined;
  return {
    config: has("config.yaml") ? join(directory, "config.yaml") : undefined,
    dropIns: folder?.dropIns ?? [],
    notices: [...names.flatMap((name) => misnamed(directory, name, has)), ...(folder?.notices ?? [])],
  };
}

/** True if a file system that ignores case could open the one name by the other. */
function isSameIgnoringCase(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function misnamed(directory: string, name: string, has: (name: string) => boolean): string[] {
  const meant = MISNAMED.find(([pattern, right]) => name !== right && pattern.test(name))?.[1];
  if (meant === undefined || (isSameIgnoringCase(name, meant) && has(meant))) return [];
  return [`${join(directory, name)}: not read, because its name is not ${meant}`];
}

function readDropIns(directory: string): Pick<ConfigDirectory, "dropIns" | "notices"> {
  const dropIns: string[] = [];
  const skipped: string[] = [];
  for (const entry of entriesOf(directory)) {
    const { name } = entry;
    const kind = kindOf(directory, entry);
    if (kind === "folder") {
      if (YAML.test(name) || holdsYaml(join(directory, name))) skipped.push(`${name}/`);
    } else if (kind === "file" && YAML.test(name)) dropIns.push(name);
    else if (!COMPANION.test(name)) skipped.push(name);
  }
  const inOrder = (names: string[]) => names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return {
    dropIns: inOrder(dropIns).map((name) => join(directory, name)),
    notices:
      skipped.length === 0
        ? []
        : [
            `${directory}: not read: ${inOrder(skipped).join(", ")}; only regular files that end in .yaml or .yml are read`,
          ],
  };
}

/** What an entry is once links are followed. One that cannot be looked at is a file: reading it reports the error. */
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

/** True too for a folder that cannot be listed. */
function holdsYaml(folder: string): boolean {
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
