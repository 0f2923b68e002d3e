import { CommandView } from "./effects/command-view.ts";
import { effectsOf } from "./effects/effects.ts";
import { isOpaque } from "./effects/opaque.ts";
import { HOLE, type Invocation, type StepWord } from "./invocation.ts";
import { parseWords, type SplitWords } from "./parse-words.ts";
import { NO_VALUES, type ProgramFacts, type Value, type Values } from "./program-facts.ts";
import { programNamed } from "./programs/program-name.ts";

/** Operands of an unknown program that may be its verb. */
const MAX_VERBS = 4;

const NO_WORDS: SplitWords = { verb: undefined, options: [], operands: [], args: [], open: false, loose: false };

/** Reads what a command is, apart from the paths, hosts, refs and targets that it touches. */
export function readProgram(invocation: Invocation): ProgramFacts & { parsed: SplitWords } {
  const views = invocation.programs.map((program) => {
    return new CommandView(programNamed(program).name, parseWords(program, invocation.words), invocation);
  });
  const env = { values: invocation.assigns.map(({ name }) => ({ text: name, sure: true })), open: false };
  let effects: Values | undefined;
  const facts = {
    env,
    get effects(): Values {
      return (effects ??= effectsOf(invocation, views));
    },
  };
  const [first] = views;
  if (!first)
    return Object.assign(facts, {
      program: [],
      verb: [],
      flags: NO_VALUES,
      args: NO_VALUES,
      command: { text: "", sure: true },
      opaque: invocation.runsHidden,
      parsed: NO_WORDS,
    });
  return Object.assign(facts, {
    program: either(views.map(({ program }) => [valueOf(program)])),
    verb: either(views.map(verbsOf)),
    flags: flagsOf(views),
    args: argsOf(first.parsed),
    command: commandOf(first),
    opaque: views.some(isOpaque),
    parsed: first.parsed,
  });
}

function valueOf(text: string): Value {
  return { text, sure: !text.includes(HOLE) };
}

/** Alternatives: certain only if all are the same. */
function either(alternatives: readonly (readonly Value[])[]): Value[] {
  const values = new Map<string, Value>();
  for (const value of alternatives.flat()) {
    const everywhere = alternatives.every((one) => one.some(({ text, sure }) => sure && text === value.text));
    values.set(value.text, { ...value, sure: everywhere });
  }
  return [...values.values()];
}

/** The verb; of a program that an expansion decides, each of the first operands and each pair of them. */
function verbsOf({ program, parsed }: CommandView): Value[] {
  if (parsed.verb !== undefined) return [valueOf(parsed.verb)];
  if (!program.includes(HOLE)) return [];
  const texts = parsed.operands.slice(0, MAX_VERBS).map(({ text }) => text);
  return texts.flatMap((text, at) => {
    const next = texts[at + 1];
    return [text, ...(next === undefined ? [] : [`${text} ${next}`])].map((verb) => ({ text: verb, sure: false }));
  });
}

function flagsOf(views: readonly CommandView[]): Values {
  const values = either(views.map(({ parsed }) => parsed.options.map(({ name }) => valueOf(name))));
  return { values, open: views.some(({ parsed }) => parsed.open) };
}

function argsOf({ args }: SplitWords): Values {
  return {
    values: args.map(({ text, count }) => ({ text, sure: count === "one" && !text.includes(HOLE) })),
    open: args.some(({ count }) => count !== "one"),
  };
}

function commandOf({ program, invocation: { programs, words, spelled } }: CommandView): Value {
  const { verb } = programNamed(programs[0] ?? "");
  const texts = [program, ...verb, ...words.map(({ text }) => text)];
  const shown = [shownName(program, spelled), ...verb, ...words.map(shownWord)].join(" ");
  const sure = words.every(({ count }) => count === "one") && !texts.some((text) => text.includes(HOLE));
  return { text: texts.join(" "), sure, ...(sure ? {} : { shown }) };
}

function shownName(program: string, spelled: string): string {
  return program.includes(HOLE) ? spelled.replaceAll(HOLE, "$...") : program;
}

function shownWord({ text, source }: StepWord): string {
  return text.includes(HOLE) ? source : text;
}
