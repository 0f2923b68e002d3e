import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { readText } from "../../config/yaml/document.ts";
import type { HostFile } from "../../dialects/host-file.ts";
import { type HostId, hostFiles } from "../../dialects/host-files.ts";
import { filesOnPlatform, type HostPlace, hostPath } from "../../dialects/host-paths.ts";
import type { ForeignFile } from "../../dialects/translate/foreign-hook.ts";
import { HOST_RULES } from "../../dialects/translate/host-rules.ts";
import {
  namedSource,
  parseJsonSource,
  parseTomlSource,
  type SourceText,
} from "../../dialects/translate/source-text.ts";
import { errorText } from "../../lib/errors.ts";
import { isInside } from "../../lib/files/paths.ts";
import { claudePluginFiles } from "./claude-plugins.ts";

/** Maximum number of files for one path with `*`. */
const MAX_FILES = 500;

/** Every file in which a host looks for hooks and that exists, in the order of its table, each once. */
export function existingFiles(host: HostId, place: HostPlace): { row: HostFile; path: string }[] {
  const files = hostFiles(host);
  const rows = [...filesOnPlatform(files, place), ...(HOST_RULES[host].files ?? [])];
  const found = rows.flatMap((row) => expand(hostPath(row.path, files, place)).map((path) => ({ row, path })));
  if (host === "claude") found.push(...claudePluginFiles(place).filter(({ path }) => isFile(path)));
  return found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);
}

/** Returns the existing files that a path with `*` in its segments names, in byte order; a file has to exist. */
function expand(path: string): string[] {
  const segments = path.split("/");
  const star = segments.findIndex((segment) => segment.includes("*"));
  if (star < 0) return isFile(path) ? [path] : [];
  const folder = segments.slice(0, star).join("/");
  const pattern = new RegExp(`^${(segments[star] ?? "").split("*").map(escaped).join("[^/]*")}$`);
  const names = namesIn(folder).filter(
    (name) => pattern.test(name) && (!name.startsWith(".") || segments[star] !== "*"),
  );
  return names.slice(0, MAX_FILES).flatMap((name) => expand([folder, name, ...segments.slice(star + 1)].join("/")));
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // no such folder: the host finds no hooks there either
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Reads and parses a file of a host, of at most 5 MiB. Throws a `UserError` that starts with the place. */
export async function readForeignFile(row: HostFile, path: string, place: HostPlace): Promise<ForeignFile> {
  const name = displayPath(path, place);
  return { row, path, source: await parseFile(row, path, name) };
}

async function parseFile({ format }: HostFile, path: string, name: string): Promise<SourceText> {
  if (format === "executable" || format === "module") return namedSource(name);
  const text = (await readText(path, name)).replace(/^\uFEFF/, "");
  return format === "toml" ? parseTomlSource(text, name) : parseJsonSource(text, name, { relaxed: format === "jsonc" });
}

/** Shortens a path for messages: relative inside the project, with `~` inside the home directory. */
export function displayPath(path: string, { home, project }: HostPlace): string {
  if (isInside(path, project)) return relative(project, path);
  return home !== "" && isInside(path, home) ? join("~", relative(home, path)) : path;
}

/** Returns why the host does not start an executable; undefined if it does. */
export function executableProblem(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    return `it is not executable (${errorText(error).replace(/,.*$/, "")})`;
  }
}

/** The name of a file without its ending, and the ending. */
export function nameAndEnding(path: string): [name: string, ending: string] {
  const [, name = "", ending = ""] = /^(.*?)(\.[^.]*)?$/.exec(basename(path)) ?? [];
  return [name, ending];
}

/** The folder of the plugin to which a `hooks/hooks.json` belongs; undefined for any other file. */
export function pluginFolder(path: string): string | undefined {
  return /[/\\]hooks[/\\]hooks\.json$/.test(path) ? dirname(dirname(path)) : undefined;
}
