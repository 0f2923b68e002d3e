import { isFunction } from "./functions.ts";
import { TemplateError } from "./template-error.ts";
import type { Body, Command, Operand, Pipe, Step } from "./template-syntax.ts";
import { cutPieces, type Piece, type Token } from "./tokens.ts";

/** Maximum nesting of actions and parentheses. */
const MAX_DEPTH = 200;

const UNSUPPORTED = ["define", "template", "block"];

/** The state of parsing: the next piece, and the variables in scope. */
interface Parser {
  readonly pieces: readonly Piece[];
  at: number;
  variables: string[];
  loops: number;
  depth: number;
}

/** The remaining words of one action. */
interface Words {
  readonly tokens: Token[];
  readonly line: number;
}

/** The end of a body: `else` with the words after it, `end`, or the end of the template. */
type Ending = { kind: "else"; words: Words } | { kind: "end" } | { kind: "eof" };

/** Parses a template. Throws a {@link TemplateError}. */
export function parseBody(source: string): Body {
  const parser: Parser = { pieces: cutPieces(source), at: 0, variables: ["$"], loops: 0, depth: 0 };
  const { body, ending } = takeBody(parser);
  if (ending.kind === "eof") return body;
  const line = lineOf(parser.pieces[parser.at - 1]);
  throw new TemplateError(`unexpected {{${ending.kind}}}`, line);
}

function lineOf(piece: Piece | undefined): number {
  return piece?.kind === "action" ? piece.line : 1;
}

function takeBody(parser: Parser): { body: Body; ending: Ending } {
  const body: Step[] = [];
  for (let piece = parser.pieces[parser.at]; piece; piece = parser.pieces[parser.at]) {
    parser.at++;
    if (piece.kind === "text") {
      body.push(piece);
      continue;
    }
    const words: Words = { tokens: [...piece.tokens], line: piece.line };
    const ending = takeEnding(words);
    if (ending) return { body, ending };
    body.push(takeAction(parser, words));
  }
  return { body, ending: { kind: "eof" } };
}

function takeEnding(words: Words): Ending | undefined {
  if (takeWord(words, "else")) return { kind: "else", words };
  if (!takeWord(words, "end")) return undefined;
  finish(words);
  return { kind: "end" };
}

function takeWord(words: Words, text: string): boolean {
  const [first] = words.tokens;
  if (first?.kind !== "word" || first.text !== text) return false;
  words.tokens.shift();
  return true;
}

/** Throws if words remain. */
function finish(words: Words): void {
  const [next] = words.tokens;
  if (next) throw unexpected(next);
}

function unexpected(token: Token): TemplateError {
  return new TemplateError(`unexpected ${JSON.stringify(token.text)}`, token.line);
}

function takeAction(parser: Parser, words: Words): Step {
  const [first] = words.tokens;
  if (first?.kind === "word" && UNSUPPORTED.includes(first.text)) {
    throw new TemplateError(`{{${first.text}}} is not supported`, first.line);
  }
  for (const kind of ["break", "continue"] as const) {
    if (!takeWord(words, kind)) continue;
    finish(words);
    if (parser.loops === 0) throw new TemplateError(`{{${kind}}} outside {{range}}`, words.line);
    return { kind };
  }
  for (const kind of ["if", "with", "range"] as const) {
    if (takeWord(words, kind)) return nested(parser, words.line, () => takeBlock(parser, kind, words));
  }
  const pipe = takePipe(parser, words, 1);
  finish(words);
  return { kind: "print", pipe };
}

function nested<T>(parser: Parser, line: number, take: () => T): T {
  if (parser.depth >= MAX_DEPTH) throw new TemplateError("actions nest too deeply", line);
  parser.depth++;
  const result = take();
  parser.depth--;
  return result;
}

/** Parses a block. Its variables are in scope until its end. */
function takeBlock(parser: Parser, kind: "if" | "with" | "range", words: Words): Step {
  const outer = parser.variables;
  parser.variables = [...outer];
  const loop = kind === "range";
  const pipe = takePipe(parser, words, loop ? 2 : 1);
  finish(words);
  const known = [...parser.variables];
  if (loop) parser.loops++;
  const main = takeBody(parser);
  if (loop) parser.loops--;
  parser.variables = known;
  const otherwise = main.ending.kind === "else" ? takeElse(parser, kind, main.ending.words) : [];
  parser.variables = outer;
  if (main.ending.kind === "eof") throw new TemplateError(`{{${kind}}} without {{end}}`, words.line);
  return { kind, pipe, body: main.body, otherwise };
}

function takeElse(parser: Parser, kind: "if" | "with" | "range", words: Words): Body {
  // A chain of `else if` shares one `end`.
  if (kind !== "range") {
    for (const inner of ["if", "with"] as const) {
      if (takeWord(words, inner)) return [nested(parser, words.line, () => takeBlock(parser, inner, words))];
    }
  }
  finish(words);
  const { body, ending } = takeBody(parser);
  if (ending.kind === "eof") throw new TemplateError(`{{${kind}}} without {{end}}`, words.line);
  if (ending.kind === "else") throw new TemplateError("unexpected {{else}}", ending.words.line);
  return body;
}

/** Parses a pipeline that may declare up to `maxVariables`. */
function takePipe(parser: Parser, words: Words, maxVariables: number): Pipe {
  const declared = takeDeclaration(parser, words, maxVariables);
  const commands: Command[] = [];
  do {
    const command = takeCommand(parser, words);
    if (commands.length > 0 && command[0].kind !== "call") {
      throw new TemplateError(`stage ${commands.length + 1} of the pipeline is not a function`, words.line);
    }
    commands.push(command);
  } while (takeKind(words, "|"));
  if (!declared.assigns) parser.variables.push(...declared.variables);
  return { line: words.line, ...declared, commands };
}

function takeKind(words: Words, kind: Token["kind"]): boolean {
  if (words.tokens[0]?.kind !== kind) return false;
  words.tokens.shift();
  return true;
}

function takeDeclaration(parser: Parser, words: Words, maxVariables: number): Pick<Pipe, "variables" | "assigns"> {
  const [first, second, third, fourth] = words.tokens;
  const pair = second?.kind === "," && third?.kind === "variable";
  const sign = pair ? fourth : second;
  if (first?.kind !== "variable" || (sign?.kind !== ":=" && sign?.kind !== "=")) {
    return { variables: [], assigns: false };
  }
  if (pair && maxVariables < 2) throw new TemplateError("two variables are for {{range}} only", first.line);
  const variables = pair ? [first.text, third.text] : [first.text];
  words.tokens.splice(0, pair ? 4 : 2);
  const assigns = sign.kind === "=";
  if (assigns) for (const name of variables) checkVariable(parser, name, first.line);
  return { variables, assigns };
}

function checkVariable(parser: Parser, name: string, line: number): void {
  if (!parser.variables.includes(name)) throw new TemplateError(`undefined variable ${JSON.stringify(name)}`, line);
}

function takeCommand(parser: Parser, words: Words): Command {
  const operands: Operand[] = [];
  for (let next = words.tokens[0]; next && next.kind !== "|" && next.kind !== ")"; next = words.tokens[0]) {
    if (operands.length > 0 && !next.spaced) throw unexpected(next);
    operands.push(takeOperand(parser, words));
  }
  const [first, ...rest] = operands;
  if (!first) throw new TemplateError("missing value", words.line);
  if (first.kind === "constant" && first.value === null) throw new TemplateError("nil is not a command", words.line);
  if (first.kind !== "call" && rest.length > 0) {
    throw new TemplateError("arguments given to something that is not a function", words.line);
  }
  return [first, ...rest];
}

function takeOperand(parser: Parser, words: Words): Operand {
  const token = words.tokens.shift();
  if (!token) throw new TemplateError("missing value", words.line);
  switch (token.kind) {
    case "string":
    case "number":
      return { kind: "constant", value: token.value ?? "" };
    case "word":
      return wordOperand(token);
    case "dot":
      return { kind: "dot", names: takeNames(words) };
    case "field":
      return { kind: "dot", names: [token.text, ...takeNames(words)] };
    case "variable":
      checkVariable(parser, token.text, token.line);
      return { kind: "variable", name: token.text, names: takeNames(words) };
    case "(": {
      const pipe = nested(parser, token.line, () => takePipe(parser, words, 1));
      if (!takeKind(words, ")")) throw new TemplateError("unclosed left parenthesis", token.line);
      return { kind: "pipe", pipe, names: takeNames(words) };
    }
    default:
      throw unexpected(token);
  }
}

const WORDS: Record<string, boolean | null> = { true: true, false: false, nil: null };

function wordOperand({ text, line }: Token): Operand {
  const value = Object.hasOwn(WORDS, text) ? WORDS[text] : undefined;
  if (value !== undefined) return { kind: "constant", value };
  if (!isFunction(text)) throw new TemplateError(`function ${JSON.stringify(text)} not defined`, line);
  return { kind: "call", name: text };
}

function takeNames(words: Words): string[] {
  const names: string[] = [];
  for (let next = words.tokens[0]; next?.kind === "field" && !next.spaced; next = words.tokens[0]) {
    names.push(next.text);
    words.tokens.shift();
  }
  return names;
}
