import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { errorText, type Help } from "../../lib/errors.ts";
import { type SyntaxProblem, syntaxProblem } from "./syntax-problem.ts";

export const NOT_VALID_YAML: Help = {
  cause: "The text breaks a rule of YAML 1.2, repeats a key, or holds a construct that could hide a key.",
  cure: "Correct the named line. Quote texts with `: `, `#` or a leading `*`, `&`, `!`, `{`, `[`.",
};

/** A position in a text. Both numbers start at 1. */
export interface Position {
  line: number;
  column: number;
}

/** A YAML text with the positions of its values. */
export interface YamlText {
  /** Undefined if there are errors. */
  value: unknown;
  errors: (Position & { message: string })[];
  /** Returns the position of a value or its key. If the path does not exist, that of its deepest existing value. */
  locate: (path: Path, at: "key" | "value") => Position;
  /** Returns the keys of the mapping at a path, in the order of the text. */
  keysAt: (path: Path) => string[];
}

type Path = readonly (string | number)[];

type Parsed = ReturnType<typeof parseDocument>;

/** The maximum number of reported errors. One mistake often causes many. */
const MAX_ERRORS = 10;

/** The maximum depth. The parser's time grows with its square, and its stack is limited. */
const MAX_DEPTH = 500;

/** The tags of YAML's core schema. Parsers disagree about all others. */
const CORE_TAGS = ["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`);

/** The start of the parser's warning about a tag that is unknown or does not fit its value. */
const UNRESOLVED = "Unresolved tag: ";

/** A line end in YAML, but not to every parser. */
const LONE_CARRIAGE_RETURN = /\r(?!\n)/;

/** Characters that neither YAML 1.2 nor JSON allows. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\u{10FFFF}]/u;

/** Parses one document as YAML 1.2 with merge keys. Never throws; problems are in `errors`. */
export function parseYaml(text: string): YamlText {
  const lines = new LineCounter();
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const { document, problems, value } = read(text, lines);
  return {
    value,
    errors: withoutRepeats(problems.map(({ offset, message }) => ({ ...position(offset), message }))).slice(
      0,
      MAX_ERRORS,
    ),
    locate: (path, at) => position(document ? offsetOf(document, path, at) : 0),
    keysAt: (path) => (document ? keysOf(document, path) : []),
  };
}

/** Drops equal errors: the parser reports each collection that is open at the end. */
function withoutRepeats(errors: YamlText["errors"]): YamlText["errors"] {
  const seen = new Set<string>();
  return errors.filter(({ line, column, message }) => {
    const key = `${line}:${column}:${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

function read(text: string, lines: LineCounter): { document?: Parsed; problems: SyntaxProblem[]; value?: unknown } {
  if (mayNestDeeply(text)) return { problems: [{ offset: 0, message: "Nested too deeply" }] };
  const character = characterProblem(text);
  try {
    const document = parseDocument(text, {
      merge: true,
      version: "1.2",
      uniqueKeys: false,
      lineCounter: lines,
      prettyErrors: false,
    });
    if (character) return { document, problems: [character] };
    const broken = syntaxProblem(document, text);
    if (broken) return { document, problems: [broken] };
    const problems = [
      ...document.warnings.map(({ pos, message }) => ({ offset: pos[0], message: tagMessage(message) })),
      ...versionProblems(document),
      ...nodeProblems(document, lines),
    ];
    if (problems.length > 0) return { document, problems: problems.sort((a, b) => a.offset - b.offset) };
    return { document, problems, value: document.toJS() };
  } catch (error) {
    const message = error instanceof RangeError ? "Nested too deeply" : errorText(error);
    return { problems: [{ offset: 0, message }] };
  }
}

read.help = NOT_VALID_YAML;

/** Replaces the parser's message about a tag with one that says what to do. */
function tagMessage(message: string): string {
  if (!message.startsWith(UNRESOLVED)) return message;
  const tag = message.slice(UNRESOLVED.length);
  const written = tag.replace(/^tag:yaml\.org,2002:/, "!!");
  return CORE_TAGS.includes(tag)
    ? `The value does not fit its tag ${written}`
    : `The tag ${written} is not supported: remove it`;
}

/** Finds the first character that parsers read differently or that YAML forbids. */
function characterProblem(text: string): SyntaxProblem | undefined {
  const lone = text.search(LONE_CARRIAGE_RETURN);
  if (lone >= 0) return { offset: lone, message: "A carriage return without a line feed: end lines with a line feed" };
  const forbidden = text.search(FORBIDDEN);
  if (forbidden < 0) return undefined;
  const code = (text.codePointAt(forbidden) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return { offset: forbidden, message: `The character U+${code} is not allowed in YAML` };
}

/** `%YAML 1.1` would give words such as `yes` and `on` another meaning. */
function versionProblems({ directives }: Parsed): SyntaxProblem[] {
  const version = directives?.yaml.version ?? "1.2";
  return version === "1.2"
    ? []
    : [{ offset: 0, message: `%YAML ${version} is not supported: files are read as YAML 1.2` }];
}

/** Estimates the depth from open brackets and the indentation of lines; never too low. */
function mayNestDeeply(text: string): boolean {
  let open = 0;
  let column = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\n") column = 0;
    else if (column >= 0) column = " -?:".includes(char) ? column + 1 : -1;
    if (char === "[" || char === "{") open++;
    else if ((char === "]" || char === "}") && open > 0) open--;
    if (open > MAX_DEPTH || column > MAX_DEPTH) return true;
  }
  return false;
}

/**
 * Finds keys that are equal as strings (`1` and `"1"`), of which an object would keep only the last, keys that are
 * collections, aliases without an anchor, and tags outside the core schema. The parser's own check of keys compares
 * values and takes quadratic time.
 */
function nodeProblems(document: Parsed, lines: LineCounter): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  const checkTag = (node: Scalar | YAMLMap | YAMLSeq) => {
    const { tag } = node;
    if (tag === undefined || tag === "!" || CORE_TAGS.includes(tag)) return;
    const unresolved = UNRESOLVED + tag;
    if (document.warnings.some(({ message }) => message === unresolved)) return; // already reported at the tag itself
    problems.push({ offset: start(node) ?? 0, message: tagMessage(unresolved) });
  };
  visit(document, {
    Scalar: (_key, scalar) => checkTag(scalar),
    Seq: (_key, seq) => checkTag(seq),
    Alias(_key, alias) {
      if (alias.resolve(document) === undefined) {
        problems.push({
          offset: start(alias) ?? 0,
          message: `No anchor ${JSON.stringify(alias.source)} before this alias: quote a text that begins with *`,
        });
      }
    },
    Map(_key, map) {
      checkTag(map);
      const first = new Map<string, number>();
      for (const pair of map.items) {
        const offset = start(pair.key) ?? start(map) ?? 0;
        const name = keyName(document, pair);
        const earlier = name === undefined ? undefined : first.get(name);
        if (name === undefined) problems.push({ offset, message: "A key must be a string, not a collection" });
        else if (earlier === undefined) first.set(name, offset);
        else
          problems.push({
            offset,
            message: `Repeated key ${JSON.stringify(name)}, first on line ${lines.linePos(earlier).line}`,
          });
      }
    },
  });
  return problems;
}

/** Returns the string that a key becomes in an object, or undefined for a collection. */
function keyName(document: Parsed, pair: Pair): string | undefined {
  const key = resolve(document, pair.key);
  if (!isScalar(key)) return undefined;
  if (typeof key.value === "symbol") return key.value.description; // a merge key
  return key.value === null ? "" : String(key.value);
}

function resolve(document: Parsed, node: unknown): unknown {
  return isAlias(node) ? (node as Alias).resolve(document) : node;
}

function start(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}

function offsetOf(document: Parsed, path: Path, at: "key" | "value"): number {
  let node: unknown = document.contents;
  let offset = start(node) ?? 0;
  let key: number | undefined;
  for (const step of path) {
    const child = childOf(document, node, step);
    if (child === undefined) return offset;
    key = isPair(child) ? start(child.key) : undefined;
    node = isPair(child) ? child.value : child;
    const empty = node === null || (isScalar(node) && node.value === null && !node.source);
    offset = (empty ? key : start(node)) ?? key ?? offset;
  }
  return at === "key" ? (key ?? offset) : offset;
}

/** Returns the pair or item at a step of a path. A value that is not a list counts as a list of itself. */
function childOf(document: Parsed, node: unknown, step: string | number): unknown {
  const collection = resolve(document, node);
  if (isMap(collection) && typeof step === "string") return pairOf(document, collection, step, new Set());
  if (isSeq(collection))
    return typeof step === "number" ? collection.items[step] : pairInItems(document, collection, step);
  return step === 0 && collection !== null ? node : undefined;
}

/** Finds a pair by name in a list of mappings, which commands may use instead of one mapping. */
function pairInItems(document: Parsed, list: YAMLSeq, name: string): Pair | undefined {
  for (const item of list.items) {
    const map = resolve(document, item);
    const found = isMap(map) ? pairOf(document, map, name, new Set()) : undefined;
    if (found) return found;
  }
  return undefined;
}

function pairOf(document: Parsed, map: YAMLMap, name: string, seen: Set<unknown>): Pair | undefined {
  if (seen.has(map)) return undefined;
  seen.add(map);
  const own = map.items.find((pair) => keyName(document, pair) === name);
  if (own) return own;
  for (const pair of map.items) {
    if (keyName(document, pair) !== "<<") continue;
    const source = resolve(document, pair.value);
    for (const merged of isSeq(source) ? source.items : [source]) {
      const target = resolve(document, merged);
      const found = isMap(target) ? pairOf(document, target, name, seen) : undefined;
      if (found) return found;
    }
  }
  return undefined;
}

function keysOf(document: Parsed, path: Path): string[] {
  let node: unknown = document.contents;
  for (const step of path) {
    const child = childOf(document, node, step);
    node = isPair(child) ? child.value : child;
  }
  const map = resolve(document, node);
  return isMap(map) ? map.items.flatMap((pair) => keyName(document, pair) ?? []) : [];
}
