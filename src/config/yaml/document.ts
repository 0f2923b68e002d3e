import { readdirSync } from "node:fs";
import { dirname, parse, resolve } from "node:path";
import { ConfigError, type Help } from "../../lib/errors.ts";
import { readFileInside, readUserFile, readUserFileSync, UnreadableFileError } from "../../lib/files/read-file.ts";
import { isObject } from "../../lib/json.ts";
import { parseYaml as parseYamlFast } from "../../lib/platform.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { hasNoRepeatedKeys } from "./repeated-keys.ts";
import type { YamlText } from "./yaml-text.ts";

/** The path to a value in a document: keys and list indexes. */
export type Path = readonly (string | number)[];

/** A problem at one place in a document. */
export interface Problem {
  path: Path;
  /** The path in the message, if it differs from `path`, which determines line and column. */
  printedPath?: Path;
  /** The message without the position and the path. */
  message: string;
  help?: Help | undefined;
  /** Whether the position is that of the key or of the value. Default: the value. */
  at?: "key" | "value";
}

/** A parsed YAML or JSON text. Positions of its values are computed on demand. */
export interface Document {
  /** The name of the file in messages. */
  file: string;
  text: string;
  value: unknown;
  /** The absolute folder of the file. Absent for a text that is not from a local file. */
  directory?: string;
  /** The prefix of paths in messages: `["hooks"]` for a bare hooks block. */
  root?: Path;
}

/** The maximum size of a file in bytes. */
export const MAX_DOCUMENT_BYTES = 5 * 1024 * 1024;

const parsed = new WeakMap<Document, Promise<YamlText>>();

/** Formats a path: `hooks.pre_tool_use[0].hooks[1]`. */
export function pathText(path: Path): string {
  let text = "";
  // A loop: cold start.
  for (const step of path) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}

/** Reads and parses a file of at most 5 MiB. Throws a {@link ConfigError} that names it as `displayName`. */
export async function readDocument(path: string, displayName: string = path): Promise<Document> {
  return parseDocument(await readText(path, displayName), displayName, dirname(resolve(path)));
}

/** Reads the text of a file that the user named, of at most 5 MiB. Throws a {@link ConfigError}. */
export async function readText(path: string, displayName: string = path): Promise<string> {
  return decode(await readUserFile(path, SIZE_LIMIT).catch(rethrow(displayName, path)), displayName);
}

/** The synchronous {@link readText}. */
export function readTextSync(path: string, displayName: string = path): string {
  return decodeFrom(() => readUserFileSync(path, SIZE_LIMIT), displayName, path);
}

/** Reads the text of a file of at most 5 MiB that must be inside `folder`. Throws a {@link ConfigError}. */
export function readTextInside(folder: string, path: string, displayName: string): string {
  return decodeFrom(() => readFileInside(folder, path, SIZE_LIMIT), displayName);
}

/**
 * Parses one YAML 1.2 or JSON document with `<<` merge keys. Throws a {@link ConfigError} with file, line and column
 * of each error; repeated keys are errors. `directory` is the folder of the file, if it is a local one.
 */
export async function parseDocument(source: string, file: string, directory?: string): Promise<Document> {
  const place = { file, ...(directory === undefined ? {} : { directory }) };
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  if (hasNoRepeatedKeys(text)) {
    try {
      return { ...place, text, value: parseYamlFast(text) };
    } catch {
      // the parser below reports the errors with their positions
    }
  }
  const { NOT_VALID_YAML, parseYaml } = await import("./yaml-text.ts");
  const yaml = parseYaml(text);
  if (yaml.errors.length > 0) {
    const lines = yaml.errors.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
    throw new ConfigError(lines, { help: NOT_VALID_YAML });
  }
  if (isCyclic(yaml.value)) throw new ConfigError(`${file}: an alias refers to a node that contains the alias`);
  const document: Document = { ...place, text, value: yaml.value };
  parsed.set(document, Promise.resolve(yaml));
  return document;
}

/** Formats each problem as one line: `file:line:column: path: message`. Loads the parser that knows positions. */
export async function renderProblems(document: Document, problems: readonly Problem[]): Promise<string[]> {
  if (problems.length === 0) return [];
  const yaml = await yamlOf(document);
  return problems.map((problem) => {
    const { line, column } = yaml.locate(problem.path, problem.at ?? "value");
    const path = pathText([...(document.root ?? []), ...(problem.printedPath ?? problem.path)]);
    return `${document.file}:${line}:${column}: ${path ? `${path}: ` : ""}${problem.message}`;
  });
}

/** Returns the error of problems in a document: each line once, and the help of the first problem that has one. */
export async function problemsError(document: Document, problems: readonly Problem[]): Promise<ConfigError> {
  const help = problems.find((problem) => problem.help)?.help;
  return new ConfigError([...new Set(await renderProblems(document, problems))], { help });
}

/** Returns `file:line` of a value, for `dispatch --details` and `hooks list`. */
export async function sourceOf(document: Document, path: Path): Promise<string> {
  return `${document.file}:${(await yamlOf(document)).locate(path, "value").line}`;
}

/** Returns line and column of a value, or of its key; both start at 1. */
export async function positionOf(
  document: Document,
  path: Path,
  at: "key" | "value" = "value",
): Promise<{ line: number; column: number }> {
  return (await yamlOf(document)).locate(path, at);
}

/**
 * Returns the keys of a mapping in the order of the file; a JavaScript object would list keys that look like numbers
 * first. Empty if there is no mapping at the path.
 */
export async function keysInOrder(document: Document, path: Path): Promise<string[]> {
  const value = path.reduce<unknown>(
    (inner, step) => (isObject(inner) || Array.isArray(inner) ? Reflect.get(inner, step) : undefined),
    document.value,
  );
  const keys = isObject(value) ? Object.keys(value) : [];
  if (!keys.some((key) => /^\d+$/.test(key))) return keys;
  const written = (await yamlOf(document)).keysAt(path);
  return [...new Set([...written.filter((key) => keys.includes(key)), ...keys])];
}

function yamlOf(document: Document): Promise<YamlText> {
  let yaml = parsed.get(document);
  if (!yaml) {
    yaml = import("./yaml-text.ts").then(({ parseYaml }) => parseYaml(document.text));
    parsed.set(document, yaml);
  }
  return yaml;
}

function isCyclic(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return false;
  } catch {
    return true;
  }
}

const SIZE_LIMIT = { limit: MAX_DOCUMENT_BYTES };

function decodeFrom(read: () => Uint8Array, displayName: string, path?: string): string {
  let bytes: Uint8Array;
  try {
    bytes = read();
  } catch (error) {
    return rethrow(displayName, path)(error);
  }
  return decode(bytes, displayName);
}

function decode(bytes: Uint8Array, displayName: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ConfigError(`${displayName}: not UTF-8 text`, { cause: error });
  }
}

/** Converts a read error to a {@link ConfigError} that names the file as messages do, and a file like a missing one. */
function rethrow(displayName: string, path?: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof UnreadableFileError)) throw error;
    const like = path !== undefined && error.reason === "no such file" ? fileLike(path) : undefined;
    throw new ConfigError(`${displayName}: ${error.reason}${like === undefined ? "" : `; did you mean ${like}?`}`, {
      cause: error,
    });
  };
}

/** Returns the name of a file beside a missing one that was probably meant: one with another ending, or a mistyped one. */
function fileLike(path: string): string | undefined {
  const { base, name: stem } = parse(path);
  try {
    const entries = readdirSync(dirname(resolve(path)), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const other = names.find((name) => parse(name).name === stem && /\.(?:ya?ml|json)$/.test(name));
    // Most short names are one letter away from another.
    return other ?? (stem.length > 3 ? nearest(base, names) : undefined);
  } catch {
    return undefined; // the folder is missing or cannot be listed
  }
}
