import { decodeAnsi } from "./ansi.ts";
import { isAssignment, programName } from "./launchers.ts";
import {
  ANY_TEXT,
  ANY_WORDS,
  type CommandRange,
  isMark,
  makeWord,
  type SimpleCommand,
  SPLIT,
  type Unit,
  type Word,
} from "./word.ts";

/** The value of a variable, and the commands that its substitutions run. */
interface Value {
  units: readonly Unit[];
  inner: CommandRange | undefined;
}

const CHANGED = /^\{(\w+)(?:: ?(\d{1,6})(?:: ?(\d{1,6}))?|(,,|\^\^)|(\/\/?)([^}/]+)\/?([^}]*))\}$/;

/** Words in front of an assignment with which the shell itself still assigns. */
const IN_FRONT = /^(?:time|-p|eval|command|builtin|--)$/;

/** Values that a command line assigns, as far as its text shows them. */
export class Variables {
  readonly #values = new Map<string, Value>();
  /** Characters that expansions may still insert: values that contain each other grow without bounds. */
  #left: number;
  /** True if file name patterns and braces keep their text, for code that compares them with paths. */
  readonly keepsPatterns: boolean;

  constructor(limit: number, { keepsPatterns = false } = {}) {
    this.#left = limit;
    this.keepsPatterns = keepsPatterns;
  }

  /** Returns the value if it is known and fits the remaining room. */
  get(name: string): Value | undefined {
    const value = this.#values.get(name);
    return value && this.spend(value.units.length + 1) ? value : undefined;
  }

  /** Uses up room for an expansion. Returns false if none is left. */
  spend(length: number): boolean {
    if (length > this.#left) return false;
    this.#left -= length;
    return true;
  }

  set(name: string, units: readonly Unit[], inner?: CommandRange): void {
    this.#values.set(name, { units, inner });
  }

  forget(name: string): void {
    this.#values.delete(name);
  }

  /** Records what a command assigns: `X=1`, `export X=1`, `set -- a b`, `read X <<< 1`, `printf -v X 1`. */
  assign({ words: written, redirects, fed }: SimpleCommand): void {
    const start = this.keepsPatterns ? written.findIndex(({ text }) => !IN_FRONT.test(text)) : 0;
    const words = start > 0 ? written.slice(start) : written;
    const name = programName(words[0]);
    if (name === "set") return this.#setArguments(words);
    if (name === "printf" && words[1]?.text === "-v") return this.#setFormatted(words.slice(2));
    if (name === "read") return this.#readLine(words.at(-1)?.text ?? "", redirects, fed);
    const declares = name !== undefined && /^(?:export|declare|local|typeset|readonly)$/.test(name);
    for (const word of declares ? words.slice(1) : words) {
      if (isAssignment(word)) this.#assignOne(word);
      else if (!declares || !word.text.startsWith("-")) return;
    }
  }

  #assignOne({ text, units, inner }: Word): void {
    const equals = text.indexOf("=");
    const adds = text.charAt(equals - 1) === "+";
    const name = text.slice(0, adds ? equals - 1 : equals);
    const before = adds ? (this.get(name)?.units ?? [ANY_WORDS]) : [];
    this.set(name, [...before, ...units.slice(units.indexOf("=") + 1)], inner);
  }

  /** Inserts a separator at every character at which a shell would split an unquoted value. */
  fields(units: readonly Unit[]): Unit[] {
    const separators = this.#values.get("IFS")?.units ?? [" ", "\t", "\n"];
    return units.map((unit) => (separators.includes(unit) ? SPLIT : unit));
  }

  /** The value of `{NAME:1:2}`, `{NAME,,}`, `{NAME^^}`, `{NAME/a/b}` and `{NAME//a/b}`, if it is known. */
  changed(braces: string): readonly Unit[] | undefined {
    const [, name = "", from, length, letters, all, pattern, replacement = ""] = CHANGED.exec(braces) ?? [];
    const text = this.get(name)?.units.join("");
    if (text === undefined) return undefined;
    if (from !== undefined)
      return [...text].slice(Number(from), length === undefined ? undefined : Number(from) + Number(length));
    if (letters !== undefined) return [...(letters === ",," ? text.toLowerCase() : text.toUpperCase())];
    return pattern
      ? [...(all === "//" ? text.replaceAll(pattern, () => replacement) : text.replace(pattern, () => replacement))]
      : undefined;
  }

  #setFormatted([name, ...operands]: readonly Word[]): void {
    if (!name || name.dynamic) return;
    if (operands.some(({ dynamic }) => dynamic)) this.forget(name.text);
    else this.set(name.text, [...formatted(operands.map(({ text }) => text))]);
  }

  #readLine(name: string, redirects: SimpleCommand["redirects"], fed: CommandRange | undefined): void {
    if (this.keepsPatterns && (fed || redirects.some(({ target }) => target.inner)))
      this.set(name, [ANY_TEXT], fed ?? redirects.find(({ target }) => target.inner)?.target.inner);
    for (const { operator, target, document } of redirects) {
      if (document !== undefined) this.set(name, [...(document.split("\n", 1)[0] ?? "")]);
      else if (operator === "<<<") this.set(name, target.units, target.inner);
    }
  }

  #setArguments(words: readonly Word[]): void {
    const dashes = words.findIndex(({ text }) => text === "--");
    if (dashes < 0) return;
    const given = words.slice(dashes + 1);
    if (this.keepsPatterns) given.slice(0, 9).forEach(({ units }, at) => void this.set(String(at + 1), units));
    const units = given.flatMap(({ units }) => [...units, SPLIT]);
    this.set("@", units);
    this.set("*", units);
  }
}

const MAX_COMMANDS = 16;
const MAX_PIPES = 8;
/** Characters after which `printf` does not repeat its format for further values. */
const MAX_OUTPUT = 8192;

/** How {@link outputOf} reads `echo`, of which some shells decode escapes even without its option. */
interface Printing {
  decodes: boolean;
}

/** The output of commands if their text shows it: `echo`, `printf`, and `cat` of a here-document or pipe. */
export function outputOf(
  { of, from, to }: CommandRange,
  pipes = 0,
  how: Printing = { decodes: true },
): string | undefined {
  if (to - from > MAX_COMMANDS || pipes > MAX_PIPES) return undefined;
  let output = "";
  for (const command of of.slice(from, to)) {
    if (command.words.length === 0 || command.words.every(isAssignment)) continue;
    const text = printed(command, pipes, how);
    if (text === undefined) return undefined;
    output += text;
  }
  return output;
}

function printed({ words, redirects, fed }: SimpleCommand, pipes: number, how: Printing): string | undefined {
  const name = programName(words[0]);
  const operands = words.slice(1);
  if (operands.some(({ units }) => units.some(isMark))) return undefined;
  const texts = operands.map(({ text }) => text);
  if (name === "echo") return echoed(texts, how);
  if (name === "printf") return formatted(texts);
  if (name === "which" || /^(?:command|type) -/.test(`${name} ${texts[0] ?? ""}`))
    return texts.length > 0 ? `${texts.at(-1)}\n` : undefined;
  if (name !== "cat" && name !== "tee") return undefined;
  if (name === "cat" && texts.some((text) => text !== "-")) return undefined;
  const given = redirects.map(
    ({ document, operator, target }) => document ?? (operator === "<<<" && !target.dynamic ? target.text : undefined),
  );
  if (redirects.length > 0) return given.length === 1 ? given[0] : undefined;
  return fed && outputOf(fed, pipes + 1, how);
}

function echoed(texts: readonly string[], { decodes }: Printing): string {
  const options = /^-[neE]+$/.exec(texts[0] ?? "")?.[0] ?? "";
  const text = texts.slice(options === "" ? 0 : 1).join(" ");
  return `${decodes && text.includes("\\") ? decodeAnsi(text) : text}\n`;
}

function formatted([format = "", ...values]: readonly string[]): string {
  const left = [...values];
  const put = (kind: string | undefined) =>
    kind === undefined ? "%" : kind === "b" ? decodeAnsi(left.shift() ?? "") : (left.shift() ?? "");
  const once = () =>
    decodeAnsi(format).replace(/%(?:%|[-+ #\d.]{0,16}([a-zA-Z]))/g, (_all, kind?: string) => put(kind));
  let text = once();
  for (
    let round = 0;
    left.length > 0 && round < 64 && text.length < MAX_OUTPUT && /%[-+ #\d.]*[a-zA-Z]/.test(format);
    round++
  )
    text += once();
  return text;
}

/** `{a,b}` in a word of plain characters: the text before, the alternatives, the text after. */
const BRACES =
  /([^\s;&|<>()'"\\$`{}*?[\]~]*)\{([^\s;&|<>()'"\\$`{}*?[\],]*,[^\s;&|<>()'"\\$`{}*?[\]]*)\}([^\s;&|<>()'"\\$`{}*?[\]]*)(?![^\s;&|<>()])/y;

/** The words that `{a,b}` at a position makes, and its length in the text. */
export function expandBraces(
  text: string,
  at: number,
  variables: Variables,
): { word: Word; length: number } | undefined {
  BRACES.lastIndex = at;
  const [whole, before = "", inside = "", behind = ""] = BRACES.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const alternatives = inside.split(",");
  if (!variables.spend(alternatives.length * (before.length + behind.length + 1) + inside.length)) return undefined;
  const units = alternatives.flatMap((one) => [SPLIT, ...before, ...one, ...behind]);
  return { word: makeWord(units, true), length: whole.length };
}
