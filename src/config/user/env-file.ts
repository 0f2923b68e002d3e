import { isAbsolute, join, relative, resolve } from "node:path";
import { ConfigError } from "../../lib/errors.ts";
import { readTextSync } from "../yaml/document.ts";

const LINE = /^([A-Za-z_]\w*)\s*=(.*)$/;

/**
 * The variables of an env file: `KEY=VALUE` a line, double quotes around a value taken off, the first of two equal
 * names kept. Throws a {@link ConfigError} with the line number of anything else; values never stand in a message.
 *
 * Source: config-and-cli 8.5.
 */
export function parseEnvFile(text: string, shownName: string): Map<string, string> {
  const variables = new Map<string, string>();
  text.split("\n").forEach((line, index) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return;
    const [, name, value = ""] = LINE.exec(trimmed) ?? [];
    if (name === undefined) throw new ConfigError(`${shownName}:${index + 1}: expected KEY=VALUE`);
    if (!variables.has(name)) variables.set(name, unquote(value.trim()));
  });
  return variables;
}

/**
 * Reads a file given with `--env-from-file`: `~` is the home directory, a relative path stays inside the working
 * directory. Throws a {@link ConfigError}.
 */
export function readEnvFile(path: string, { cwd, home }: { cwd: string; home: string }): Map<string, string> {
  return parseEnvFile(readTextSync(locate(path, cwd, home), path), path);
}

function locate(path: string, cwd: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  if (isAbsolute(path)) return path;
  const way = relative(cwd, resolve(cwd, path));
  if (way === ".." || /^\.\.[/\\]/.test(way)) throw new ConfigError(`${path}: leads out of the working directory`);
  return join(cwd, path);
}

function unquote(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
