import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "../../config/yaml/document.ts";
import type { HostFile, HostFiles } from "../../dialects/host-file.ts";
import { HOST_FILES, type HostId, hostFiles } from "../../dialects/host-files.ts";
import type { HostPlace } from "../../dialects/host-paths.ts";
import { readForeignHooks } from "../../dialects/translate/foreign-hook.ts";
import { HOST_RULES } from "../../dialects/translate/host-rules.ts";
import { parseJsonSource, parseTomlSource, type SourceText } from "../../dialects/translate/source-text.ts";
import { UsageError, UserError } from "../../lib/errors.ts";
import { displayPath, readForeignFile } from "./host-sources.ts";
import { type HostSources, importedHost } from "./import-hooks.ts";

/** Every host, in the order in which they are tried. */
const HOSTS = Object.keys(HOST_FILES) as HostId[];

/**
 * Returns the host of a file and the parsed file. The path tells the host, else the content; `dialect` overrides both.
 * Throws a `UserError` if the file cannot be read or parsed, or if no host has such files.
 */
export async function recognizeFile(path: string, dialect: HostId | undefined, place: HostPlace): Promise<HostSources> {
  const hosts = dialect === undefined ? HOSTS : [dialect];
  for (const host of hosts) {
    const row = rowsOf(host).find((candidate) => endsLike(path, candidate.path));
    if (row) return { host, files: [await readForeignFile(scoped(row, path, place), path, place)] };
  }
  const name = displayPath(path, place);
  const source = await parseByEnding(path, name);
  const found = dialect === undefined ? await byContent(source, path, place) : bestRow(dialect, source, path);
  if (!found && dialect !== undefined) throw new UserError(`${name}: no hooks of ${dialect} found in this file`);
  if (!found) throw new UsageError(`${name}: not the hooks of an agent that hooksh knows: name it with --dialect`);
  return { host: found.host, files: [{ row: found.row, path, source }] };
}

function rowsOf(host: HostId): HostFile[] {
  const { files }: HostFiles = hostFiles(host);
  return [...files, ...(HOST_RULES[host].files ?? [])];
}

/** True if a path ends as a template does: `x/.cursor/hooks.json` fits `<project>/.cursor/hooks.json`. */
function endsLike(path: string, template: string): boolean {
  const segments = template.replace(/^(~|<project>)\//, "").split("/");
  const own = path.split(/[/\\]/).slice(-segments.length);
  const isAbsolute = template.startsWith("/");
  if (isAbsolute && path.split("/").length !== segments.length) return false;
  return own.length === segments.length && segments.every((segment, index) => fits(segment, own[index] ?? ""));
}

function fits(segment: string, name: string): boolean {
  const star = segment.indexOf("*");
  if (star < 0) return segment === name;
  return (
    name.length > segment.length - 1 &&
    name.startsWith(segment.slice(0, star)) &&
    name.endsWith(segment.slice(star + 1))
  );
}

/** The row with the scope that follows from the file's folder: the templates of user and project have the same end. */
function scoped(row: HostFile, path: string, { home }: HostPlace): HostFile {
  if (row.scope !== "user" && row.scope !== "project") return row;
  const segments = row.path.split("/").length - 1;
  const root = path.split("/").slice(0, -segments).join("/");
  return { ...row, scope: root === home ? "user" : "project" };
}

async function parseByEnding(path: string, name: string): Promise<SourceText> {
  const text = (await readText(path, name)).replace(/^\uFEFF/, "");
  return path.endsWith(".toml") ? parseTomlSource(text, name) : parseJsonSource(text, name);
}

interface Found {
  host: HostId;
  row: HostFile;
}

/** Keys and names that only one host has, for files that several hosts could read. */
const MARKS: Partial<Record<HostId, RegExp>> = {
  copilot: /"(bash|powershell|timeoutSec)":/,
  cursor: /"(failClosed|loop_limit)":/,
  goose: /"on_failure":/,
  droid: /"(commandRegex|Execute\b)/,
  qwen: /"(failMode|run_shell_command)/,
  codex: /"(commandWindows|apply_patch)/,
  openhands: /"(terminal|file_editor)"/,
  vscode: /"(windows|osx|linux)":/,
};

/** Returns the host that knows most events of a file. With a tie a mark decides, else the first host of the table. */
async function byContent(source: SourceText, path: string, place: HostPlace): Promise<Found | undefined> {
  if (existsSync(join(dirname(path), "..", ".claude-plugin"))) return bestRow("claude", source, path);
  const text = JSON.stringify(source.value);
  let best: { found: Found; score: number } | undefined;
  for (const host of HOSTS) {
    const found = bestRow(host, source, path);
    if (!found) continue;
    const { dialect, rules } = await importedHost(host, place);
    const known = new Set(Object.keys(dialect.events));
    const names = rules.anyCase ? new Set([...known].map((name) => name.toLowerCase())) : known;
    const { hooks } = readForeignHooks({ row: found.row, path, source }, hostFiles(host));
    const events = hooks.map(({ event }) => (rules.anyCase ? event.toLowerCase() : event));
    const score = events.filter((event) => names.has(event)).length + (MARKS[host]?.test(text) ? 0.5 : 0);
    if (score >= 1 && score > (best?.score ?? 0)) best = { found, score };
  }
  return best?.found;
}

/** Returns the kind of the host's files as which this one has most hooks. */
function bestRow(host: HostId, source: SourceText, path: string): Found | undefined {
  const isToml = path.endsWith(".toml");
  const rows = rowsOf(host).filter(({ format }) =>
    isToml ? format === "toml" : format === "json" || format === "jsonc",
  );
  const counted = rows.map((row) => ({
    row,
    count: readForeignHooks({ row, path, source }, hostFiles(host)).hooks.length,
  }));
  const best = counted.reduce((one, other) => (other.count > one.count ? other : one), { row: rows[0], count: 0 });
  return best.row && best.count > 0 ? { host, row: { ...best.row, scope: "project" } } : undefined;
}
