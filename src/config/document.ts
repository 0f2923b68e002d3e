import { ConfigError, errorText } from "../lib/errors.ts";

/** A way into a document: keys and list indexes. */
export type Path = readonly (string | number)[];

/** Something wrong at a place of a document. */
export interface Problem {
  path: Path;
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
}

/** A path as the specification writes it: `hooks.pre_tool_use[0].hooks[1]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => (typeof step === "number" ? `${text}[${step}]` : text ? `${text}.${step}` : step), "");
}

/** Parses a document. Throws a {@link ConfigError} that names file, line and column. */
export async function parseDocument(text: string, file: string): Promise<Document> {
  try {
    return { file, text, value: Bun.YAML.parse(text) };
  } catch (error) {
    throw new ConfigError(`${file}: ${errorText(error)}`);
  }
}

/** One line a problem: `file:line:column: path: message`. Loads the parser that knows positions. */
export async function renderProblems(document: Document, problems: readonly Problem[]): Promise<string[]> {
  return problems.map((problem) => `${document.file}: ${pathText(problem.path)}: ${problem.message}`);
}

/** `file:line` of a value, as `dispatch --details` and `hooks list` show it. */
export async function sourceOf(document: Document, path: Path): Promise<string> {
  void path;
  return document.file;
}
