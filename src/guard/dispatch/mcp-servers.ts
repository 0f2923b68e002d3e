import { dirname } from "node:path";
import type { HostFiles, McpFile } from "../../dialects/host-file.ts";
import { hostFiles, isHostId } from "../../dialects/host-files.ts";
import { hostPath } from "../../dialects/host-paths.ts";
import { parseJsonSource, parseTomlSource } from "../../dialects/translate/source-text.ts";
import { homeDirectory, processEnv } from "../../lib/env.ts";
import { readUserFileSync } from "../../lib/files/read-file.ts";
import { isObject } from "../../lib/json.ts";
import { parseYaml } from "../../lib/platform.ts";

/** The largest file of MCP servers that is read, in bytes. */
const LIMIT = 4 << 20;

/** How many folders above the working directory are searched for files of the project. */
const MAX_ABOVE = 30;

/**
 * Returns the names of the MCP servers that a host's files configure for a directory. A file that is not there or cannot
 * be read adds none: names that cannot be split are then matched as any server's.
 */
export function mcpServersOf(host: string, cwd: string | undefined): string[] {
  if (!isHostId(host)) return [];
  const files = hostFiles(host);
  const names = files.mcp.flatMap((file) => placesOf(file, files, cwd).flatMap((path) => serversIn(path, file)));
  return [...new Set(names)].filter((name) => name !== "");
}

/** A host started in a folder of a project reads the files of the project's root. */
function placesOf({ path }: McpFile, files: HostFiles, cwd: string | undefined): string[] {
  const at = (project: string) =>
    hostPath(path, files, { home: homeDirectory(), project, env: processEnv(), platform: process.platform });
  if (!path.startsWith("<project>/")) return [at(cwd ?? "/")];
  if (cwd === undefined) return [];
  const folders = [cwd];
  for (let folder = dirname(cwd); folder !== folders.at(-1) && folders.length <= MAX_ABOVE; folder = dirname(folder))
    folders.push(folder);
  return folders.map(at);
}

function serversIn(path: string, { format, at }: McpFile): string[] {
  try {
    const text = readUserFileSync(path, { limit: LIMIT })
      .toString("utf8")
      .replace(/^\uFEFF/, "");
    return namesAt(parse(text, format, path), at);
  } catch {
    return [];
  }
}

function parse(text: string, format: McpFile["format"], path: string): unknown {
  if (format === "yaml") return parseYaml(text);
  return (format === "toml" ? parseTomlSource(text, path) : parseJsonSource(text, path)).value;
}

function namesAt(value: unknown, [key, ...rest]: readonly string[]): string[] {
  if (key === undefined) {
    if (Array.isArray(value)) return value.map((item: unknown) => (isObject(item) ? String(item["name"] ?? "") : ""));
    return isObject(value) ? Object.keys(value) : [];
  }
  if (!isObject(value)) return [];
  return key === "*" ? Object.values(value).flatMap((each) => namesAt(each, rest)) : namesAt(value[key], rest);
}
