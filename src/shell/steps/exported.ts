import { ShellStates } from "../shell-states.ts";
import type { SimpleCommand } from "../word.ts";
import type { StepAssignment, StepWord } from "./invocation.ts";
import { madeWord } from "./step-word.ts";

/** More variables of a line are not kept. */
const MAX_VARIABLES = 64;

/** A command that may set variables. */
export interface SettingCommand {
  /** The name of its program; undefined for assignments alone. */
  name: string | undefined;
  /** The program and its words. */
  words: readonly StepWord[];
  assigns: readonly StepAssignment[];
}

interface Environment {
  exported: readonly StepAssignment[];
  /** Variables of the shell alone, which a later `export NAME` passes on. */
  own: readonly StepAssignment[];
  /** Names that `export NAME` marks before they have a value. */
  marked: readonly string[];
  /** After `set -a`. */
  exportsAll: boolean;
}

/**
 * Follows the variables that a line puts into the environment of the programs behind it: `export X=1`, `declare -x X=1`,
 * `set -gx X 1` of fish, `setenv X 1` of csh, `$env:X = 1` of PowerShell.
 */
export class Exported {
  readonly #states = new ShellStates<Environment>((outer) =>
    outer ? { ...outer } : { exported: [], own: [], marked: [], exportsAll: false },
  );

  /** Returns the variables that are set when a command starts, and follows it if it sets some. */
  enter(command: SimpleCommand, setting: SettingCommand, depth: number): readonly StepAssignment[] {
    const state = this.#states.at(command, setting.name, depth);
    const { exported } = state;
    follow(state, setting);
    return exported;
  }
}

function follow(state: Environment, { name, words, assigns }: SettingCommand): void {
  if (words.length === 0) {
    for (const one of assigns) assign(state, one);
    return;
  }
  const [first, ...rest] = words;
  const [, variable] = /^\$env[:.](\w+)/i.exec(first?.source ?? "") ?? [];
  if (variable !== undefined) return powerShell(state, variable, words);
  switch (name) {
    case "export":
      return declare(
        state,
        rest,
        rest.some(({ text }) => text === "-n"),
      );
    case "declare":
    case "typeset":
    case "local":
    case "readonly":
      if (rest.some(({ text }) => /^-\w*x/.test(text))) return declare(state, rest, false);
      for (const one of assignmentsIn(rest)) assign(state, one);
      return;
    case "setenv":
      if (rest[0]) set(state, rest[0].text, rest.slice(1));
      return;
    case "set": {
      const [option] = rest;
      if (/^-\w*x\w*$|^--export$/.test(option?.text ?? "")) {
        // `set -x` alone shows what a POSIX shell runs.
        const [variable, ...values] = rest.filter(({ text }) => !text.startsWith("-"));
        if (variable) set(state, variable.text, values);
      } else if (/^-\w*a\w*$/.test(option?.text ?? "") || (option?.text === "-o" && rest[1]?.text === "allexport"))
        state.exportsAll = true;
      return;
    }
    case "unset":
      for (const { text } of rest) state.exported = without(state.exported, text);
  }
}

/** An assignment without a program: it changes what is exported already, or is kept for an `export` of its name. */
function assign(state: Environment, one: StepAssignment): void {
  if (state.exportsAll || state.marked.includes(one.name) || state.exported.some(({ name }) => name === one.name))
    add(state, one);
  else state.own = kept(state.own, one);
}

function declare(state: Environment, words: readonly StepWord[], takesBack: boolean): void {
  for (const { text } of words) {
    if (takesBack) state.exported = without(state.exported, text);
    else {
      const known = state.own.find(({ name }) => name === text);
      if (known) add(state, known);
      else if (state.marked.length < MAX_VARIABLES) state.marked = [...state.marked, text];
    }
  }
  if (!takesBack) for (const one of assignmentsIn(words)) add(state, one);
}

function assignmentsIn(words: readonly StepWord[]): StepAssignment[] {
  return words.flatMap((word) => {
    const [start, name] = /^(\w+)\+?=/.exec(word.text) ?? [];
    if (start === undefined || name === undefined) return [];
    return [{ name, value: { ...word, text: word.text.slice(start.length), count: "one" as const } }];
  });
}

/** `$env:X = "v"` and `$env:X="v"`. */
function powerShell(state: Environment, name: string, [first, ...rest]: readonly StepWord[]): void {
  const text = first?.text ?? "";
  const equals = text.indexOf("=");
  if (equals >= 0) add(state, { name, value: madeWord(text.slice(equals + 1)) });
  else if (rest[0]?.text === "=") set(state, name, rest.slice(1));
}

function set(state: Environment, name: string, values: readonly StepWord[]): void {
  const [only] = values;
  const text = values.map((value) => value.text).join(" ");
  add(state, { name, value: only && values.length === 1 ? { ...only, count: "one" } : madeWord(text) });
}

function add(state: Environment, one: StepAssignment): void {
  state.exported = kept(state.exported, one);
}

function kept(all: readonly StepAssignment[], one: StepAssignment): readonly StepAssignment[] {
  const others = without(all, one.name);
  return others.length >= MAX_VARIABLES ? all : [...others, one];
}

function without(all: readonly StepAssignment[], name: string): readonly StepAssignment[] {
  return all.filter((one) => one.name !== name);
}
