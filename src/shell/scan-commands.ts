import { markOpaque, nest, type ParsedLine, type PendingDocument, type ScanState, takeMatch } from "./scan-state.ts";
import { endsWord, takeExpansion, takeWord } from "./scan-word.ts";
import type { Variables } from "./variables.ts";
import {
  type CommandRange,
  makeWord,
  type Redirect,
  type SimpleCommand,
  SPLIT,
  splitFields,
  type Unit,
  type Word,
} from "./word.ts";

/** Words of the grammar after which a command starts; each closes or opens a group that needs no further checks. */
const KEYWORDS = new Set(["{", "}", "!", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "esac"]);
/** Keywords of one shell only; in others they are programs. */
const FOREIGN_KEYWORDS = new Set(["coproc", "and", "or", "not", "begin", "end"]);

const TIME = new Set(["time", "-p", "--"]);

/** Files that do not store what is written to them. */
const SINKS = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

/**
 * Parses a command line, in time linear in its length. What a shell could run and is not in `commands` makes the line
 * `opaque`; what shells may read differently makes it inexact. With `variables`, expansions are replaced where the line
 * shows their values, and values that it assigns are recorded there.
 */
export function parseCommandLine(text: string, variables?: Variables): ParsedLine {
  const line: ParsedLine = {
    commands: [],
    variables: new Set(),
    exact: true,
    opaque: false,
    functions: new Map(),
    compound: false,
  };
  const state: ScanState = {
    text,
    at: 0,
    depth: 0,
    line,
    documents: [],
    fed: undefined,
    defining: [],
    arithmetic: false,
    shell: {},
    ...(variables && { variables }),
    takeCommands,
  };
  takeCommands(state);
  return line;
}

/** The part between two separators that is being read, and the `case` statements around it. */
interface Place {
  command: SimpleCommand;
  /** One entry for each open `case`: true while a pattern is read. */
  cases: boolean[];
  /** Index of the first command of this stage of the pipeline. */
  stage: number;
  /** One entry for each open compound command: its first command, and what feeds it. */
  compounds: { stage: number; fed: CommandRange | undefined; from: number }[];
  /** The last operator. */
  after: string | undefined;
}

function takeCommands(state: ScanState, close?: ")", fed?: CommandRange): void {
  const place: Place = {
    command: { words: [], redirects: [] },
    cases: [],
    stage: state.line.commands.length,
    compounds: [{ stage: 0, fed, from: 0 }],
    after: undefined,
  };
  for (;;) {
    takeMatch(state, /(?:[ \t]|\\\n)+/y);
    const char = state.text[state.at];
    if (char === undefined) {
      if (close || place.cases.length > 0 || state.documents.length > 0) markOpaque(state);
      return finish(state, place);
    }
    if (char === ")" && close && !place.cases.at(-1)) {
      state.at++;
      return finish(state, place);
    }
    takeNext(state, place, char);
  }
}

function takeNext(state: ScanState, place: Place, char: string): void {
  if (place.cases.at(-1)) return takeCasePattern(state, place);
  if (char === "\n" || char === ";" || char === "&" || char === "|") return takeSeparator(state, place, char);
  if (char === "#") return void takeMatch(state, /#[^\n]*/y);
  if (char === "(") return takeGroup(state, place);
  if (char === ")") {
    markOpaque(state);
    state.at++;
    return finish(state, place);
  }
  const descriptor = takeMatch(state, /(?:\d+|\{\w+\})(?=[<>])/y);
  if (descriptor?.startsWith("{")) state.line.exact = false;
  const next = state.text[state.at];
  if ((next === "<" || next === ">") && state.text[state.at + 1] !== "(") return takeRedirect(state, place);
  for (const word of splitFields(takeWord(state))) {
    // An empty value is not a word.
    if (state.variables === undefined || word.units.length > 0 || word.quoted) addWord(state, place, word);
  }
}

function finish(state: ScanState, place: Place): void {
  const { command } = place;
  if (command.words.length > 0 || command.redirects.length > 0) {
    if (state.fed) command.fed = state.fed;
    if (state.arithmetic) command.arithmetic = true;
    if (state.variables?.keepsPatterns)
      command.place = { shell: state.shell, after: place.after, nesting: place.compounds.length - 1 };
    state.line.commands.push(command);
    state.variables?.assign(command);
  }
  place.command = { words: [], redirects: [] };
}

/** Records what feeds the commands after a separator. */
function startStage(state: ScanState, place: Place, isPipe: boolean): void {
  const { commands } = state.line;
  state.fed = isPipe ? { of: commands, from: place.stage, to: commands.length } : place.compounds.at(-1)?.fed;
  place.stage = commands.length;
}

const OPENING = new Set(["{", "if", "while", "until", "for", "select", "case"]);
const CLOSING = new Set(["}", "fi", "done", "esac"]);

/** Records where compound commands start and end: they are fed, and feed, as one. */
function noteCompound(state: ScanState, place: Place, keyword: string): void {
  if (OPENING.has(keyword))
    place.compounds.push({ stage: place.stage, fed: state.fed, from: state.line.commands.length });
  if (!CLOSING.has(keyword)) return;
  const compound = place.compounds.pop();
  if (!compound) return;
  place.stage = compound.stage;
  state.fed = compound.fed;
  noteClosed(state, place, compound.from);
}

/** Records which commands the redirections behind a group belong to, and whether it is the body of a function. */
function noteClosed({ text, at, variables, defining, line }: ScanState, place: Place, from: number): void {
  if (!variables?.keepsPatterns) return;
  place.command.closes = { of: line.commands, from, to: line.commands.length };
  const open = defining.at(-1);
  if (open?.from !== from) return;
  defining.pop();
  line.functions.set(open.name, text.slice(open.start, at));
}

function noteFunction({ at, variables, defining, line }: ScanState, name: string): void {
  if (variables?.keepsPatterns) defining.push({ name, start: at, from: line.commands.length });
}

function takeSeparator(state: ScanState, place: Place, char: string): void {
  const { command } = place;
  finish(state, place);
  state.line.compound = true;
  const operator = char === "\n" ? char : (takeMatch(state, /;;&|;;|;&|;|&&|&|\|\||\|&|\|/y) ?? "");
  if (command.place) command.place.before = operator;
  place.after = operator;
  if (operator === "\n") {
    state.at++;
    startStage(state, place, false);
    return takeDocuments(state);
  }
  startStage(state, place, operator === "|" || operator === "|&");
  if (operator.length > 1 && operator.startsWith(";")) {
    if (place.cases.length === 0) markOpaque(state);
    else place.cases[place.cases.length - 1] = true;
  }
}

function takeGroup(state: ScanState, place: Place): void {
  const { words, redirects } = place.command;
  const [name] = words;
  state.line.compound = true;
  if (words.length === 1 && redirects.length === 0 && name && takeMatch(state, /\([ \t]*\)/y) !== undefined) {
    // A function: its body follows, and its name now runs that body.
    state.line.exact = false;
    noteFunction(state, name.text);
    place.command = { words: [], redirects: [] };
    return;
  }
  if (words.length > 0 || redirects.length > 0 || state.text[state.at + 1] === "(") markOpaque(state);
  const { fed, arithmetic } = state;
  state.arithmetic ||= state.text[state.at + 1] === "(";
  state.at++;
  const from = state.line.commands.length;
  nest(state, () => takeCommands(state, ")", fed));
  state.fed = fed;
  state.arithmetic = arithmetic;
  noteClosed(state, place, from);
}

function addWord(state: ScanState, place: Place, word: Word): void {
  const { words, redirects } = place.command;
  const plain = plainText(word);
  // bash also reads keywords after `time`.
  if (redirects.length > 0 || words.length > TIME.size || !words.every((before) => TIME.has(plainText(before) ?? ""))) {
    // zsh ends a group at such a word, and starts another command after it.
    if (plain === "{" || plain === "}") markOpaque(state);
    words.push(word);
    return;
  }
  if (plain !== undefined && (KEYWORDS.has(plain) || FOREIGN_KEYWORDS.has(plain))) {
    state.line.compound = true;
    if (FOREIGN_KEYWORDS.has(plain)) state.line.exact = false;
    noteCompound(state, place, plain);
    if (plain === "esac") place.cases.pop();
    return;
  }
  if (plain !== undefined) noteCompound(state, place, plain);
  switch (plain) {
    case "for":
    case "select":
      return takeLoopHead(state);
    case "case":
      return takeCaseHead(state, place);
    case "function":
      return takeFunctionHead(state);
    case "[[":
      state.line.exact = false;
  }
  words.push(word);
}

function takeFunctionHead(state: ScanState): void {
  state.line.exact = false;
  const head = takeMatch(state, /[ \t]+[^\s;&|<>(){}]+[ \t]*(?:\([ \t]*\))?/y);
  if (head !== undefined) noteFunction(state, head.replace("(", " ").trim().split(/\s/, 1)[0] ?? "");
}

/** The text of a word that may be a keyword. */
function plainText(word: Word): string | undefined {
  return word.quoted || word.dynamic ? undefined : word.text;
}

/** Reads `for NAME in WORDS` to its end; the words may hold substitutions. */
function takeLoopHead(state: ScanState): void {
  state.line.exact = false;
  const name = takeMatch(state, /[ \t]+\w+/y)?.trim();
  if (name === undefined) return markOpaque(state);
  if (takeMatch(state, /\s+in(?=[\s;])/y) === undefined) return;
  const words = takeWords(state);
  const [only] = words;
  if (words.length === 1 && only) state.variables?.set(name, only.units, only.inner);
  else if (state.variables?.keepsPatterns && words.length > 1) state.variables.set(name, alternatives(words));
  else state.variables?.forget(name);
}

/** The words as one pattern: `{a,b}`. */
function alternatives(words: readonly Word[]): Unit[] {
  return ["{", ...words.flatMap(({ units }, at) => [...(at > 0 ? [","] : []), ...units]), "}"];
}

function takeCaseHead(state: ScanState, place: Place): void {
  state.line.exact = false;
  takeMatch(state, /[ \t]+/y);
  takeWord(state);
  if (takeMatch(state, /\s+in(?=[\s])/y) === undefined) return markOpaque(state);
  place.cases.push(true);
}

/** Reads the patterns before the commands of a `case`, or its `esac`. */
function takeCasePattern(state: ScanState, place: Place): void {
  takeMatch(state, /\s+/y);
  if (takeMatch(state, /esac(?![^\s;&|<>()])/y) !== undefined) {
    place.cases.pop();
    return;
  }
  takeMatch(state, /\([ \t]*/y);
  takeWords(state);
  while (takeMatch(state, /\|/y) !== undefined) takeWords(state);
  if (takeMatch(state, /\)/y) === undefined) {
    markOpaque(state);
    state.at++;
  }
  place.cases[place.cases.length - 1] = false;
}

function takeWords(state: ScanState): Word[] {
  const words: Word[] = [];
  for (;;) {
    takeMatch(state, /(?:[ \t]|\\\n)+/y);
    const from = state.at;
    if (endsWord(state.text[from]) && !/[<>]\(/y.test(state.text.slice(from, from + 2))) return words;
    for (const word of splitFields(takeWord(state))) words.push(word);
    if (state.at === from) return words;
  }
}

function takeRedirect(state: ScanState, place: Place): void {
  const operator = takeMatch(state, /<<<|<<-?|<>|<&|<|>>|>\||>&|>/y) ?? "";
  if (operator === "<<" || operator === "<<-") return takeDocumentHead(state, operator, place);
  takeMatch(state, /(?:[ \t]|\\\n)+/y);
  if (operator.endsWith("&") && takeMatch(state, /(?:\d+-?|-)(?![^\s;&|<>()])/y) !== undefined) return;
  if (endsWord(state.text[state.at]) && !/[<>]/.test(state.text[state.at] ?? "")) return markOpaque(state);
  const written = takeWord(state);
  const target = written.units.includes(SPLIT)
    ? makeWord(
        written.units.map((unit) => (unit === SPLIT ? " " : unit)),
        true,
        written.inner,
        written.source,
      )
    : written;
  if (target.units.length === 0 && !target.quoted) return markOpaque(state);
  const writes = operator.includes(">") && !(SINKS.has(target.text) && !target.dynamic);
  const canonical = operator === ">|" || operator === ">&" ? ">" : operator === "<&" ? "<" : operator;
  const { words, redirects } = place.command;
  const compares = words[0]?.text === "[[" && words.at(-1)?.text !== "]]";
  redirects.push({ operator: canonical, target, writes, ...(compares && { compares }) });
}

function takeDocumentHead(state: ScanState, operator: string, place: Place): void {
  takeMatch(state, /[ \t]+/y);
  const spelled = takeMatch(state, /(?:'[\w.-]+'|"[\w.-]+"|\\?[\w.-]+)(?![^\s;&|<>()])/y);
  if (spelled === undefined) return markOpaque(state);
  const delimiter = spelled.replace(/['"\\]/g, "");
  const redirect: Redirect = { operator: "<<", target: makeWord([...delimiter], false), writes: false };
  state.documents.push({
    delimiter,
    strips: operator === "<<-",
    quoted: delimiter !== spelled,
    redirect,
    command: place.command,
  });
  place.command.redirects.push(redirect);
}

/** Reads the here-documents that start on this line; substitutions in them run. */
function takeDocuments(state: ScanState): void {
  const documents = state.documents;
  state.documents = [];
  for (const document of documents) {
    const from = state.at;
    const body = takeBody(state, document);
    // Shells warn about a document without an end, and use the rest of the text.
    document.redirect.document = body ?? state.text.slice(from);
    if (body === undefined) return markOpaque(state);
    state.variables?.assign(document.command);
    if (document.quoted) continue;
    takeExpansions({ ...state, text: body, at: 0, fed: undefined });
  }
}

function takeBody(state: ScanState, { delimiter, strips, quoted }: PendingDocument): string | undefined {
  const from = state.at;
  let continued = false;
  while (state.at < state.text.length) {
    const lineStart = state.at;
    const end = state.text.indexOf("\n", lineStart);
    state.at = end < 0 ? state.text.length : end + 1;
    const line = state.text.slice(lineStart, end < 0 ? undefined : end);
    if (!continued && (strips ? line.replace(/^\t+/, "") : line) === delimiter)
      return state.text.slice(from, lineStart);
    // A backslash joins two lines, so that the second does not end the document.
    continued = !quoted && /(?<!\\)(?:\\\\)*\\$/.test(line);
    if (continued) state.line.exact = false;
  }
  return undefined;
}

/** Reads the substitutions of a text in which quotes have no meaning. */
function takeExpansions(state: ScanState): void {
  while (state.at < state.text.length) {
    takeMatch(state, /(?:[^$`\\]|\\[^])+/y);
    const char = state.text[state.at];
    if (char !== "$" && char !== "`") return;
    takeExpansion(state);
  }
}
