import { isAbsolute, join, relative, resolve } from "node:path";
import { ConfigError } from "../../lib/errors.ts";
import { readTextSync } from "../yaml/document.ts";

const LINE = /^([A-Za-z_]\w*)\s*=(.*)$/;

/**
 * Parses an env file: one `KEY=VALUE` per line, with optional double quotes around the value. The first of several
 * equal names wins. Throws a {@link ConfigError} with the line number for anything else. Messages never contain
 * values.
 */
export function parseEnvFile(text: string, displayName: string): Map<string, string> {
  const variables = new Map<string, string>();
  text.split("\n").forEach((line, index) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return;
    const [, name, value = ""] = LINE.exec(trimmed) ?? [];
    if (name === undefined) throw new ConfigError(`${displayName}:${index + 1}: expected KEY=VALUE`);
    if (!variables.has(name)) variables.set(name, unquote(value.trim()));
  });
  return variables;
}

/**
 * Reads a file given with `--env-from-file`. Expands `~`. Throws a {@link ConfigError} if the file is invalid, or if a
 * relative path leaves the working directory.
 */
export function readEnvFile(path: string, { cwd, home }: { cwd: string; home: string }): Map<string, string> {
  return parseEnvFile(readTextSync(locate(path, cwd, home), path), path);
}

function locate(path: string, cwd: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  if (isAbsolute(path)) return path;
  const fromCwd = relative(cwd, resolve(cwd, path));
  if (fromCwd === ".." || /^\.\.[/\\]/.test(fromCwd))
    throw new ConfigError(`${path}: outside the working directory; pass an absolute path`);
  return join(cwd, path);
}

function unquote(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
