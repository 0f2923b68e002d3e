import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { type AST, getStaticTOMLValue, parseTOML, ParseError as TomlError } from "toml-eslint-parser";
import { UserError } from "../../lib/errors.ts";

/** Keys and list indexes from the root of a file to a value. */
export type Path = readonly (string | number)[];

export interface SourceText {
  /** The name of the file in messages. */
  file: string;
  value: unknown;
  /** Returns `file:line:column` of a value; that of its deepest existing parent if there is none. */
  place: (path: Path) => string;
}

/** A configuration file of another agent that is not valid. The message starts with `file:line:column`. */
export class SourceError extends UserError {}

/** The maximum depth of a file; the parsers are recursive. */
const MAX_DEPTH = 200;

/**
 * Parses JSON. `relaxed` also accepts comments and trailing commas, as most agents do in their settings. Throws a
 * {@link SourceError} at the first syntax error.
 */
export function parseJsonSource(text: string, file: string, { relaxed = true } = {}): SourceText {
  const lines = lineIndex(text);
  checkDepth(text, file, lines);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: !relaxed, allowTrailingComma: relaxed });
  const [error] = errors;
  if (error) throw new SourceError(`${file}:${lines(error.offset)}: ${jsonProblem(error)}`);
  if (!root) throw new SourceError(`${file}:1:1: the file is empty`);
  const repeated = repeatedKey(root);
  if (repeated)
    throw new SourceError(`${file}:${lines(repeated.offset)}: repeated key ${JSON.stringify(repeated.key)}`);
  return { file, value: getNodeValue(root), place: (path) => `${file}:${lines(jsonOffset(root, path))}` };
}

/** Parses TOML. Throws a {@link SourceError} at the first syntax error. */
export function parseTomlSource(text: string, file: string): SourceText {
  checkDepth(text, file, lineIndex(text));
  try {
    const program = parseTOML(text);
    return { file, value: getStaticTOMLValue(program), place: (path) => `${file}:${tomlPlace(program, path)}` };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new SourceError(`${file}:${error.lineNumber}:${error.column + 1}: ${lowerFirst(error.message)}`);
  }
}

/** The source of a file that is not parsed, such as an executable. */
export function namedSource(file: string): SourceText {
  return { file, value: undefined, place: () => file };
}

/** Returns a function from an offset to `line:column`, both from 1. */
function lineIndex(text: string): (offset: number) => string {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return `${low + 1}:${offset - (starts[low] ?? 0) + 1}`;
  };
}

/** Counts brackets, those in strings too: no real configuration has a string with that many. */
function checkDepth(text: string, file: string, lines: (offset: number) => string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "[" || char === "{") depth++;
    else if (char === "]" || char === "}") depth--;
    if (depth > MAX_DEPTH) throw new SourceError(`${file}:${lines(at)}: nested more than ${MAX_DEPTH} levels deep`);
  }
}

function jsonProblem({ error }: ParseError): string {
  const words = printParseErrorCode(error).replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `not valid JSON: ${lowerFirst(words)}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Agents keep the last of two equal keys, some the first; a guard in the other one would be lost. */
function repeatedKey(node: Node): { key: string; offset: number } | undefined {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const [key] = child.type === "property" ? (child.children ?? []) : [];
    if (key) {
      if (seen.has(key.value)) return { key: key.value, offset: key.offset };
      seen.add(key.value);
    }
    const below = repeatedKey(child);
    if (below) return below;
  }
  return undefined;
}

function jsonOffset(root: Node, path: Path): number {
  let node = root;
  for (const step of path) {
    const child = jsonChild(node, step);
    if (!child) break;
    node = child;
  }
  return node.offset;
}

function jsonChild(node: Node, step: string | number): Node | undefined {
  if (typeof step === "number") return node.type === "array" ? node.children?.[step] : undefined;
  const property = node.children?.find((child) => child.children?.[0]?.value === step);
  return node.type === "object" ? property?.children?.[1] : undefined;
}

function tomlPlace(program: AST.TOMLProgram, path: Path): string {
  const { line, column } = tomlNode(program.body[0], path).loc.start;
  return `${line}:${column + 1}`;
}

/** Returns the table, array or value at a path, or its deepest parent that exists. */
function tomlNode(root: AST.TOMLTopLevelTable, path: Path): AST.TOMLNode {
  let best: { node: AST.TOMLNode; depth: number } = { node: root, depth: 0 };
  const visit = (node: AST.TOMLNode, at: Path): void => {
    if (!at.every((step, index) => step === path[index])) return;
    if (at.length > best.depth) best = { node, depth: at.length };
    if (node.type === "TOMLKeyValue") return visit(node.value, at);
    if (node.type === "TOMLArray") node.elements.forEach((element, index) => void visit(element, [...at, index]));
    if (node.type === "TOMLTopLevelTable" || node.type === "TOMLTable" || node.type === "TOMLInlineTable") {
      for (const child of node.body) {
        if (child.type === "TOMLTable") visit(child, child.resolvedKey);
        else visit(child, [...at, ...child.key.keys.map(keyText)]);
      }
    }
  };
  visit(root, []);
  return best.node;
}

function keyText(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === "TOMLBare" ? key.name : key.value;
}
