import { note } from "../../find-in-words.ts";
import { HOLE, type Invocation, type StepWord } from "../invocation.ts";
import type { SplitWords } from "../parse-words.ts";
import { type KnownOptions, knownOption, optionsOf, syntaxOf } from "../programs/find-syntax.ts";
import type { Syntax } from "../programs/syntax.ts";

/** True, false, or undefined where an expansion decides. */
export type Holds = boolean | undefined;

/** A command as the rows of effects see it. */
export class CommandView {
  readonly program: string;
  readonly parsed: SplitWords;
  readonly invocation: Invocation;
  /** The verb and the operands, in lower case. */
  readonly path: readonly string[];
  /** The operands in which nothing expands to several words. */
  readonly operands: readonly string[];
  readonly #known: KnownOptions;
  readonly #syntax: Syntax;
  readonly #names: ReadonlySet<string>;
  #noted: Set<string> | undefined;

  constructor(program: string, parsed: SplitWords, invocation: Invocation) {
    this.program = program;
    this.parsed = parsed;
    this.invocation = invocation;
    this.path = [...(parsed.verb?.split(" ") ?? []), ...parsed.operands.map(({ text }) => text)].map((word) =>
      word.slice(0, 64).toLowerCase(),
    );
    this.operands = parsed.operands.flatMap(({ text, count }) => (count === "any" ? [] : [text]));
    this.#syntax = syntaxOf(program) ?? {};
    this.#known = optionsOf(this.#syntax, parsed.verb ?? "");
    this.#names = new Set(parsed.options.map(({ name }) => name));
  }

  /** True if the command has an option, by any of its names. */
  has(option: string): boolean {
    return this.#names.has(option) || this.#names.has(knownOption(this.#syntax, this.#known, option)?.name ?? option);
  }

  /** The values of an option. */
  valuesOf(option: string): string[] {
    const name = knownOption(this.#syntax, this.#known, option)?.name ?? option;
    return this.parsed.options.flatMap((one) =>
      (one.name === name || one.name === option) && one.value ? [one.value.text] : [],
    );
  }

  /** The words of the command and their marks, as labels see them. */
  get noted(): ReadonlySet<string> {
    if (this.#noted) return this.#noted;
    const noted = new Set<string>();
    const letters = new Set<string>();
    for (const { text } of this.invocation.words) note(text.replaceAll(HOLE, "$"), noted, letters);
    for (const text of this.invocation.given) noteText(text, noted);
    return (this.#noted = noted);
  }

  /** Operands and values of options. */
  get texts(): string[] {
    return this.parsed.args.map(({ text }) => text);
  }

  /** The words behind the program. */
  get words(): readonly StepWord[] {
    return this.invocation.words;
  }
}

/** Adds the marks of a text on standard input; such a text is no word. */
function noteText(text: string, noted: Set<string>): void {
  const marks = new Set<string>();
  note(text, marks, new Set());
  for (const mark of marks) if (mark.startsWith("@") && mark !== "@plain-file") noted.add(mark);
}
