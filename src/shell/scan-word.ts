import { decodeAnsi } from "./ansi.ts";
import { markOpaque, nest, type ScanState, takeMatch } from "./scan-state.ts";
import { expandBraces, outputOf, type Variables } from "./variables.ts";
import {
  ANY_NAME,
  ANY_TEXT,
  ANY_WORDS,
  type CommandRange,
  isMark,
  MORE_WORDS,
  makeWord,
  SPLIT,
  type Unit,
  type Word,
} from "./word.ts";

/** A word that is being read. */
interface Draft {
  units: Unit[];
  quoted: boolean;
  /** True if it holds a pattern of file names. */
  glob: boolean;
  /** True after an opening brace: a comma then makes alternatives. */
  brace: boolean;
  /** True if it cannot be followed in detail: it may become any words. */
  unknown: boolean;
  /** The commands of its substitutions. */
  inner?: CommandRange | undefined;
}

const WORD_END = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);

/** True if a word ends at the character; `undefined` is the end of the text. */
export function endsWord(char: string | undefined): boolean {
  return char === undefined || WORD_END.has(char);
}

/** Reads the word at the current position. */
export function takeWord(state: ScanState): Word {
  const braces = state.variables && expandBraces(state.text, state.at, state.variables);
  if (braces) {
    state.line.exact = false;
    state.at += braces.length;
    return braces.word;
  }
  const draft: Draft = { units: [], quoted: false, glob: false, brace: false, unknown: false };
  const from = state.at;
  for (;;) {
    const char = state.text[state.at];
    if (char === "<" || char === ">") {
      if (state.text[state.at + 1] !== "(") break;
      state.at += 2;
      takeSubstitution(state, draft);
      draft.units.push(ANY_TEXT);
    } else if (char === undefined || WORD_END.has(char)) break;
    else takePart(state, draft, char);
  }
  const units = draft.unknown ? [ANY_WORDS] : draft.glob ? [...draft.units, MORE_WORDS] : draft.units;
  const source = state.variables?.keepsPatterns ? state.text.slice(from, state.at) : undefined;
  return makeWord(units, draft.quoted, draft.inner, source);
}

function takePart(state: ScanState, draft: Draft, char: string): void {
  switch (char) {
    case "\\":
      return takeEscaped(state, draft);
    case "'":
      return takeSingleQuoted(state, draft);
    case '"':
      return takeDoubleQuoted(state, draft);
    case "`":
      return takeBackquoted(state, draft, false);
    case "$":
      return takeDollar(state, draft, false);
    case "*":
    case "?":
    case "[":
      return takeGlob(state, draft, char);
    default:
      return takePlain(state, draft, char);
  }
}

/** Other blanks and control characters, which shells treat differently. */
const UNSURE = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/u;

function takePlain(state: ScanState, draft: Draft, char: string): void {
  const code = state.text.codePointAt(state.at) ?? 0;
  const unit = String.fromCodePoint(code);
  if (char < " " || code > 0x7e) state.line.exact &&= !UNSURE.test(unit);
  if (char === "{") draft.brace = !state.variables?.keepsPatterns;
  else if (draft.brace && (char === "," || char === ".")) draft.unknown = true;
  draft.units.push(unit);
  state.at += unit.length;
}

function takeEscaped(state: ScanState, draft: Draft): void {
  if (state.text[state.at + 1] === "\n") {
    state.at += 2;
    return;
  }
  draft.quoted = true;
  state.at++;
  const code = state.text.codePointAt(state.at);
  // Some shells keep the backslash here, others drop it.
  if (code === undefined) return markOpaque(state);
  // fish decodes characters here: \x73 is an s.
  if (!state.variables?.keepsPatterns && /[xXuU][0-9A-Fa-f]|[0-7]/y.test(state.text.slice(state.at, state.at + 2))) {
    state.line.exact = false;
    draft.unknown = true;
  }
  const unit = String.fromCodePoint(code);
  draft.units.push(unit);
  state.at += unit.length;
}

function takeSingleQuoted(state: ScanState, draft: Draft): void {
  draft.quoted = true;
  const end = state.text.indexOf("'", state.at + 1);
  if (end < 0) {
    markOpaque(state);
    draft.units.push(...state.text.slice(state.at + 1));
    state.at = state.text.length;
    return;
  }
  const inside = state.text.slice(state.at + 1, end);
  // fish reads \' as a quote that does not close.
  if (/(?<!\\)(?:\\\\)*\\$/.test(inside)) state.line.exact = false;
  for (const unit of inside) draft.units.push(unit);
  state.at = end + 1;
}

function takeDoubleQuoted(state: ScanState, draft: Draft): void {
  draft.quoted = true;
  state.at++;
  for (;;) {
    const char = state.text[state.at];
    if (char === undefined) return markOpaque(state);
    if (char === '"') {
      state.at++;
      return;
    }
    if (char === "$") takeDollar(state, draft, true);
    else if (char === "`") takeBackquoted(state, draft, true);
    else if (char === "\\") takeQuotedEscape(state, draft);
    else {
      const unit = String.fromCodePoint(state.text.codePointAt(state.at) ?? 0);
      draft.units.push(unit);
      state.at += unit.length;
    }
  }
}

function takeQuotedEscape(state: ScanState, draft: Draft): void {
  const next = state.text[state.at + 1];
  if (next === undefined) {
    state.at++;
    return;
  }
  if (next === "\n") {
    state.at += 2;
    return;
  }
  const escapes = next === '"' || next === "\\" || next === "$" || next === "`";
  draft.units.push(...(escapes ? [next] : ["\\"]));
  state.at += escapes ? 2 : 1;
}

/** A bracket expression that holds neither quotes nor expansions. */
const BRACKETS = /\[[!^]?\]?[^\]\s'"\\$`;&|<>()]*\]/y;

function takeGlob(state: ScanState, draft: Draft, char: string): void {
  if (state.variables?.keepsPatterns) {
    draft.units.push(char);
    state.at++;
    return;
  }
  if (char === "[") {
    // For a rule, [[ stays a word that may be any word.
    const literal = state.variables && draft.units.length === 0 ? takeMatch(state, /\[\[(?=\s)/y) : undefined;
    if (literal !== undefined) {
      draft.units.push(...literal);
      return;
    }
    if (endsWord(state.text[state.at + 1])) {
      draft.units.push("[");
      state.at++;
      return;
    }
    if (draft.unknown || takeMatch(state, BRACKETS) === undefined) {
      draft.unknown = true;
      state.at++;
      return;
    }
  } else state.at++;
  draft.glob = true;
  if (draft.units.at(-1) !== ANY_NAME) draft.units.push(ANY_NAME);
}

/** Reads `$(...)` after its opening. */
function takeSubstitution(state: ScanState, draft: Draft): void {
  state.line.compound = true;
  const { documents, fed, arithmetic } = state;
  state.documents = [];
  state.fed = undefined;
  state.arithmetic = state.text.startsWith("((", state.at - 1);
  const from = state.line.commands.length;
  nest(state, () => state.takeCommands(state, ")"));
  draft.inner = { of: state.line.commands, from, to: state.line.commands.length };
  // Shells disagree on where the text of such a document is.
  if (state.documents.length > 0) markOpaque(state);
  Object.assign(state, { documents, fed, arithmetic });
}

/** Adds the output of a substitution: what its text shows, or anything. */
function pushOutput(state: ScanState, { units, inner }: Draft, inQuotes: boolean): void {
  const output = state.variables && inner ? outputOf(inner)?.replace(/\n+$/, "") : undefined;
  if (output === undefined || !state.variables?.spend(output.length)) units.push(inQuotes ? ANY_TEXT : ANY_WORDS);
  else for (const unit of inQuotes ? output : state.variables.fields([...output])) units.push(unit);
}

/** Reads `...` in backquotes, whose text loses one level of backslashes first. */
function takeBackquoted(state: ScanState, draft: Draft, inQuotes: boolean): void {
  state.line.compound = true;
  const whole = takeMatch(state, /`(?:[^`\\]|\\[^])*`/y);
  if (whole === undefined) {
    markOpaque(state);
    state.at++;
    return;
  }
  const inside = whole.slice(1, -1);
  if (inside.includes("\\")) state.line.exact = false;
  const text = inside.replace(inQuotes ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1");
  const from = state.line.commands.length;
  nest(state, () => state.takeCommands({ ...state, text, at: 0, documents: [], fed: undefined, arithmetic: false }));
  draft.inner = { of: state.line.commands, from, to: state.line.commands.length };
  pushOutput(state, draft, inQuotes);
}

/** A plain variable, and nothing that makes zsh evaluate its value (`$~x`, `$x[...]`). */
const PLAIN_VARIABLE = /(?:(\w+)(?!\[)\b|\{(\w+)\}|([-?#@*!$])(?![\w[{]))/y;

function takeDollar(state: ScanState, draft: Draft, inQuotes: boolean): void {
  const { text, line } = state;
  state.at++;
  const next = text[state.at];
  const found = takeMatch(state, PLAIN_VARIABLE);
  if (found !== undefined) {
    const name = found.replace(/[{}]/g, "");
    line.variables.add(name);
    pushValue(state, draft, name, inQuotes);
  } else if (next === "(") {
    if (takeArithmetic(state)) {
      draft.units.push(inQuotes ? ANY_TEXT : ANY_WORDS);
      return;
    }
    state.at++;
    takeSubstitution(state, draft);
    pushOutput(state, draft, inQuotes);
  } else if (next === "'" && !inQuotes) takeAnsiQuoted(state, draft);
  else if (next === '"' && !inQuotes) line.exact = false;
  else if (next === "{") {
    if (state.variables && pushDefault(state, draft, state.variables, inQuotes)) return;
    takeBraced(state, inQuotes);
    draft.units.push(ANY_WORDS);
  } else if (next !== undefined && /[\w[~^=+@*#?!$-]/.test(next)) {
    line.exact = false;
    if (next === "[") markOpaque(state);
    takeMatch(state, /\w+|[~^=+@*#?!$-]+\w*/y);
    draft.units.push(ANY_WORDS);
  } else draft.units.push("$");
}

/** Inserts the value of a variable if the line shows it. */
function pushValue({ variables }: ScanState, draft: Draft, name: string, inQuotes: boolean): void {
  const value = variables?.get(name);
  if (variables && value) {
    for (const unit of inQuotes ? value.units : variables.fields(value.units)) draft.units.push(unit);
    draft.inner ??= value.inner;
  } else if (variables && name === "IFS" && !inQuotes) draft.units.push(SPLIT);
  else draft.units.push(inQuotes && name !== "@" ? ANY_TEXT : ANY_WORDS);
}

/** Reads `${IFS...}`, `${NAME:-default}` and `${NAME:1:2}` with plain characters, and inserts their values. */
function pushDefault(state: ScanState, draft: Draft, variables: Variables, inQuotes: boolean): boolean {
  if (!inQuotes && takeMatch(state, /\{IFS[^\w}"'`\\$][^}"'`\\$]*\}/y) !== undefined) {
    draft.units.push(SPLIT);
    return true;
  }
  const from = state.at;
  const found = takeMatch(state, /\{\w+[:,^/][^{}"'`\\$\n]{1,256}\}|\{\w+[-=][^{}"'`\\$\n]{1,256}\}/y);
  if (found === undefined) return false;
  const [, name = "", fallback] = /^\{(\w+)(?::?[-=](.*)\})?/.exec(found) ?? [];
  const units = fallback === undefined ? variables.changed(found) : (variables.get(name)?.units ?? [...fallback]);
  if (units === undefined) {
    state.at = from;
    return false;
  }
  state.line.exact = false;
  for (const unit of inQuotes ? units : variables.fields(units)) draft.units.push(unit);
  return true;
}

/**
 * Reads `$((...))` if it is at the current position. Only digits and operators are exact: shells evaluate the value of
 * a name, and a substitution in it.
 */
function takeArithmetic(state: ScanState): boolean {
  const plain = takeMatch(state, /\(\([\d\s+\-*/%<>=!&|^~?:]*\)\)/y);
  if (plain !== undefined) return true;
  if (state.text[state.at + 1] === "(") markOpaque(state);
  return false;
}

/** Reads `${...}` with more than a name. */
function takeBraced(state: ScanState, inQuotes: boolean): void {
  state.line.exact = false;
  state.at++;
  if (/[\s|]/.test(state.text[state.at] ?? "")) markOpaque(state);
  const ignored: Draft = { units: [], quoted: false, glob: false, brace: false, unknown: false };
  nest(state, () => {
    for (;;) {
      const char = state.text[state.at];
      if (char === undefined) return markOpaque(state);
      if (char === "}") {
        state.at++;
        return;
      }
      // Shells disagree on quotes in a braced expansion that is itself quoted.
      if (inQuotes && (char === "'" || char === '"')) markOpaque(state);
      if (char === "$") takeDollar(state, ignored, true);
      else if (char === "`") takeBackquoted(state, ignored, inQuotes);
      else if (char === "\\") state.at += 2;
      else if (char === "'" && !inQuotes) takeSingleQuoted(state, ignored);
      else if (char === '"') takeDoubleQuoted(state, ignored);
      else state.at++;
    }
  });
}

/** Reads `'...'` after a dollar sign. Some shells do not know it, and end it elsewhere. */
function takeAnsiQuoted(state: ScanState, draft: Draft): void {
  state.line.exact = false;
  draft.quoted = true;
  const whole = takeMatch(state, /'(?:[^'\\]|\\[^])*'/y);
  if (whole === undefined || whole.includes("\\'")) markOpaque(state);
  draft.units.push(...decodeAnsi(whole === undefined ? "" : whole.slice(1, -1)));
}

/** Reads one `$...` or `` `...` `` of a here-document, in which quotes have no meaning. */
export function takeExpansion(state: ScanState): void {
  const ignored: Draft = { units: [], quoted: false, glob: false, brace: false, unknown: false };
  if (state.text[state.at] === "$") takeDollar(state, ignored, true);
  else takeBackquoted(state, ignored, false);
}

/** True if the word is only an expansion that may be no word at all. */
export function mayVanish({ units, quoted }: Word): boolean {
  return !quoted && units.length > 0 && units.every((unit) => isMark(unit) && unit !== ANY_TEXT && unit !== ANY_NAME);
}
