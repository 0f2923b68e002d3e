import { dirname, resolve } from "node:path";
import { ConfigError } from "../../lib/errors.ts";
import { readFileInside, readUserFile, readUserFileSync, UnreadableFileError } from "../../lib/files/read-file.ts";
import { isObject } from "../../lib/json.ts";
import { parseYaml as parseYamlFast } from "../../lib/platform.ts";
import { hasNoRepeatedKeys } from "./repeated-keys.ts";
import type { YamlText } from "./yaml-text.ts";

/** A way into a document: keys and list indexes. */
export type Path = readonly (string | number)[];

/** Something wrong at a place of a document. */
export interface Problem {
  path: Path;
  /** The path to print, where it differs from the one to look up. */
  shown?: Path;
  /** Says what is wrong there, without the place. */
  message: string;
  /** Whether the key or the value is to be shown. */
  at?: "key" | "value";
}

/** A parsed YAML or JSON text that can still say where a value stood. */
export interface Document {
  /** The file's name as the user knows it. */
  file: string;
  text: string;
  value: unknown;
  /** The folder of the file, absolute; absent for a text that is not from a file of this machine. */
  directory?: string;
  /** What the top level stands for in the paths of messages: `["hooks"]` for a bare hooks block. */
  root?: Path;
}

/** The largest file that is read, in bytes. */
export const MAX_DOCUMENT_BYTES = 5 * 1024 * 1024;

const parsed = new WeakMap<Document, Promise<YamlText>>();

/** A path as the specification writes it: `hooks.pre_tool_use[0].hooks[1]`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text ? `${text}.${step}` : step),
    "",
  );
}

/** Reads and parses a file of at most 5 MiB. Throws a {@link ConfigError} that names it as `shownName`. */
export async function readDocument(path: string, shownName: string = path): Promise<Document> {
  return parseDocument(await readText(path, shownName), shownName, dirname(resolve(path)));
}

/** Reads the text of a file that the user named, of at most 5 MiB. Throws a {@link ConfigError}. */
export async function readText(path: string, shownName: string = path): Promise<string> {
  return decode(await readUserFile(path, BOUND).catch(rethrow(shownName)), shownName);
}

/** {@link readText} at once, for callers that cannot wait. */
export function readTextSync(path: string, shownName: string = path): string {
  return decodeFrom(() => readUserFileSync(path, BOUND), shownName);
}

/** Reads the text of a file of at most 5 MiB that must be inside `folder`. Throws a {@link ConfigError}. */
export function readTextInside(folder: string, path: string, shownName: string): string {
  return decodeFrom(() => readFileInside(folder, path, BOUND), shownName);
}

/**
 * Parses one YAML 1.2 or JSON document; `<<` merges. Throws a {@link ConfigError} that names file, line and column of
 * every error, a repeated key among them. `directory` is the folder of the file, where there is one.
 */
export async function parseDocument(source: string, file: string, directory?: string): Promise<Document> {
  const place = { file, ...(directory === undefined ? {} : { directory }) };
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  if (hasNoRepeatedKeys(text)) {
    try {
      return { ...place, text, value: parseYamlFast(text) };
    } catch {
      // the parser below says what is wrong, and where
    }
  }
  const { parseYaml } = await import("./yaml-text.ts");
  const yaml = parseYaml(text);
  if (yaml.errors.length > 0) {
    throw new ConfigError(yaml.errors.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`));
  }
  if (isCyclic(yaml.value)) throw new ConfigError(`${file}: an alias refers to the node that it stands in`);
  const document: Document = { ...place, text, value: yaml.value };
  parsed.set(document, Promise.resolve(yaml));
  return document;
}

/** One line a problem: `file:line:column: path: message`. Loads the parser that knows positions. */
export async function renderProblems(document: Document, problems: readonly Problem[]): Promise<string[]> {
  if (problems.length === 0) return [];
  const yaml = await yamlOf(document);
  return problems.map((problem) => {
    const { line, column } = yaml.locate(problem.path, problem.at ?? "value");
    const path = pathText([...(document.root ?? []), ...(problem.shown ?? problem.path)]);
    return `${document.file}:${line}:${column}: ${path ? `${path}: ` : ""}${problem.message}`;
  });
}

/** `file:line` of a value, as `dispatch --details` and `hooks list` show it. */
export async function sourceOf(document: Document, path: Path): Promise<string> {
  return `${document.file}:${(await yamlOf(document)).locate(path, "value").line}`;
}

/**
 * The keys of a mapping in the order the file has them; a JavaScript object puts those that look like numbers first.
 * Empty when no mapping stands at the path. Source: config-and-cli 2.2.
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

const BOUND = { limit: MAX_DOCUMENT_BYTES };

function decodeFrom(read: () => Uint8Array, shownName: string): string {
  let bytes: Uint8Array;
  try {
    bytes = read();
  } catch (error) {
    return rethrow(shownName)(error);
  }
  return decode(bytes, shownName);
}

function decode(bytes: Uint8Array, shownName: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ConfigError(`${shownName}: not UTF-8 text`, { cause: error });
  }
}

/** Names the file as the user knows it. */
function rethrow(shownName: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new ConfigError(`${shownName}: ${error.reason}`, { cause: error });
  };
}
