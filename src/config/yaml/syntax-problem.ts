import { isNode, isPair, isScalar, type Node, type parseDocument, visit } from "yaml";

type Parsed = ReturnType<typeof parseDocument>;

/** What is wrong at an offset of a text. */
export interface SyntaxProblem {
  offset: number;
  message: string;
}

/** A line that git leaves where two versions conflict. */
const CONFLICT = /^(?:<{7}|>{7}) /m;

/**
 * Returns the first error of the parser in terms of the file, not of the grammar: where the mistake is, and what to
 * write. One mistake often causes several errors, and the parser notices an open bracket only at the end. Undefined if
 * there is no error.
 */
export function syntaxProblem(document: Parsed, text: string): SyntaxProblem | undefined {
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (!error) return undefined;
  const conflict = text.search(CONFLICT);
  if (conflict >= 0)
    return { offset: conflict, message: "A conflict that git left: choose one version, remove the marks" };
  const offset = error.pos[0];
  const at = offsetOfText(text, offset);
  const character = text[offset] ?? "";
  switch (error.code) {
    case "TAB_AS_INDENT":
      return { offset, message: "A tab in the indentation: indent with spaces" };
    case "MULTIPLE_DOCS":
      return { offset, message: "More than one YAML document in the file" };
    case "BAD_ALIAS":
      return { offset, message: "A text that begins with * needs quotes" };
    case "BAD_SCALAR_START":
      return { offset, message: `A text that begins with ${character} needs quotes` };
    case "BAD_DQ_ESCAPE":
      return {
        offset,
        message: `${error.message.replace("Invalid", "No")} here: write \\\\ for a backslash, or use single quotes`,
      };
    case "UNEXPECTED_TOKEN":
      if ("]}".includes(character)) return { offset, message: `This ${character} closes nothing: remove it` };
      break;
    case "BLOCK_AS_IMPLICIT_KEY":
      return /:(?:\s|$)/.test(restOfLine(text, offset))
        ? { offset, message: 'A text that contains ": " needs quotes' }
        : indentedTooFar(text, offset);
    case "MULTILINE_IMPLICIT_KEY":
      return lineWithoutKey(text, offset);
    case "BAD_INDENT":
    case "MISSING_CHAR":
      return (
        openBracket(document, text, error.message, at) ??
        openQuote(document, text) ??
        misplaced(error.message, text, at)
      );
  }
  return { offset, message: error.message };
}

/** A line that does not fit into the collection around it. */
function misplaced(message: string, text: string, offset: number): SyntaxProblem {
  if (message.startsWith("Implicit map keys")) return lineWithoutKey(text, offset);
  if (isBelowBlockText(text, offset)) return { offset, message: BLOCK_TEXT };
  return /same column|without - indicator/.test(message)
    ? { offset, message: "The indentation fits no line above: align this line with the keys that it belongs to" }
    : { offset, message };
}

const BLOCK_TEXT = "A text after | or > must be indented further than its key";

function isBelowBlockText(text: string, offset: number): boolean {
  return /[|>][-+\d]*$/.test(text.slice(0, lineStart(text, offset)).trimEnd());
}

/** A value that has ended goes on in the next line, which stands further right. */
function indentedTooFar(text: string, offset: number): SyntaxProblem {
  const above = restOfLine(text, lineStart(text, offset));
  const noSpace = /^\s*-(?=[^\s-])/.exec(above);
  if (noSpace) return { offset: lineStart(text, offset) + noSpace[0].length - 1, message: "Write a space after the -" };
  const next = offsetOfText(text, lineStart(text, offset) + above.length);
  const key = /^[\s-]*([^:]*):/.exec(above)?.[1];
  return {
    offset: next,
    message: `Indented too far: align this line with ${key ? JSON.stringify(key) : "the key"} above`,
  };
}

/** A line of a mapping that has no colon after its key. */
function lineWithoutKey(text: string, offset: number): SyntaxProblem {
  const line = restOfLine(text, offset);
  if (isBelowBlockText(text, offset)) return { offset, message: BLOCK_TEXT };
  const joined = /^[\w-]+:(?=\S)/.exec(line);
  return joined
    ? { offset: offset + joined[0].length - 1, message: `Write a space after the colon: ${JSON.stringify(joined[0])}` }
    : { offset, message: 'A key needs ": " after it, and a text of several lines needs quotes or |' };
}

/** Finds the innermost bracket that the parser missed the end of. */
function openBracket(document: Parsed, text: string, message: string, at: number): SyntaxProblem | undefined {
  const close = /end with a ([}\]])/.exec(message)?.[1];
  let offset: number | undefined;
  visit(document, {
    Collection(_key, node) {
      if (!node.flow || !node.range || text[node.range[0]] !== (close === "}" ? "{" : "[")) return;
      const last: unknown = node.items.at(-1);
      const inner = isPair(last) ? (last.value ?? last.key) : last;
      const innerEnd = isNode(inner) ? ((inner as Node).range?.[1] ?? 0) : node.range[0] + 1;
      const isClosed = text[node.range[1] - 1] === close && node.range[1] > innerEnd;
      if (!isClosed) [offset] = node.range;
    },
  });
  if (close === undefined || offset === undefined) return undefined;
  return text[at] === close
    ? { offset: at, message: `Indent this ${close} further than the key of its value` }
    : { offset, message: `This ${text[offset]} is not closed: add ${close}` };
}

/** Finds the text whose closing quote is missing: it reaches to the end. */
function openQuote(document: Parsed, text: string): SyntaxProblem | undefined {
  let offset: number | undefined;
  visit(document, (_key, node) => {
    if (!isScalar(node) || !node.range || !node.type?.startsWith("QUOTE")) return;
    const [start, end] = node.range;
    if (end - start < 2 || text[start] !== text[end - 1]) offset = start;
  });
  return offset === undefined
    ? undefined
    : { offset, message: `This ${text[offset]} is not closed: add another at the end of the text` };
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** The rest of the line from an offset. */
function restOfLine(text: string, offset: number): string {
  const end = text.indexOf("\n", offset);
  return text.slice(offset, end < 0 ? text.length : end);
}

/** The offset of the next character that is not blank; the given one if only blanks follow. */
function offsetOfText(text: string, offset: number): number {
  const found = text.slice(offset).search(/\S/);
  return found < 0 ? offset : offset + found;
}
