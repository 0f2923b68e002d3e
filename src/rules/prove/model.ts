import { memoize, once } from "../../lib/once.ts";
import type { ToolClass } from "../../protocol/tool-class.ts";
import { FACT_TABLE } from "../fact-table.ts";
import {
  demandsOf,
  type FindWord,
  isHidden,
  type Literals,
  mayBeAbsent,
  numberValue,
  oneLanguage,
  oneValue,
  severalValues,
} from "./fact-values.ts";
import type { Literal } from "./formula.ts";
import { includes } from "./includes.ts";
import { both, EVERY, firstWord, glob, type Language, literal, not, whole } from "./language.ts";
import { ALL_PATHS } from "./path-language.ts";
import { HOSTS, PATHS } from "./rule-formula.ts";
import type { CallKind, ProgramRows, ProofTables } from "./tables.ts";

/** A call as a proof sees it: values of the facts that its literals are about. */
export interface Model {
  class: ToolClass;
  tools: readonly string[];
  opaque: boolean;
  /** Of facts with one or several values; a fact that is absent has none. */
  values: ReadonlyMap<string, readonly string[]>;
  numbers: ReadonlyMap<string, number>;
  free: ReadonlyMap<string, boolean>;
}

/** Facts of a step whose values the table of programs ties together. */
const OF_PROGRAM: ReadonlySet<string> = new Set(["program", "verb", "effect", "command"]);
const NUMBERS = ["depth", "cost", "calls"];
/** Facts that are looked at apart. */
const APART: ReadonlySet<string> = new Set(["class", "tool", ...OF_PROGRAM, ...NUMBERS]);

const SAFETY = once(() => whole("safe|destructive|unknown"));
const SOURCES = once(() => whole("user|schedule|agent|api"));
/** A word of a command line. */
const WORDS = once(() => whole("(?s:.+)"));

const PARTS = [
  ["reads", "paths"],
  ["writes", "paths"],
  ["sends", "hosts"],
] as const;

/**
 * Returns a call that makes all literals true; undefined if the tables allow none. It may return one that no tool can make,
 * never undefined where there is one: what is proved depends on the latter only.
 */
export function modelOf(literals: readonly Literal[], tables: ProofTables, find: FindWord): Model | undefined {
  const byFact = new Map<string, Literal[]>();
  const free = new Map<string, boolean>();
  for (const literal of literals) {
    const { atom } = literal;
    if (atom.kind === "free") free.set(atom.name, literal.holds);
    else byFact.set(atom.fact, [...(byFact.get(atom.fact) ?? []), literal]);
  }
  for (const [part, wholeFact] of PARTS) inherit(byFact, part, wholeFact);
  for (const kind of tables.kinds) {
    const model = modelOfKind(kind, { byFact, free, tables, find });
    if (model) return model;
  }
  return undefined;
}
/** What no value of the whole may be, no value of a part may be. */
function inherit(byFact: Map<string, Literal[]>, part: string, wholeFact: string): void {
  const passed = (byFact.get(wholeFact) ?? []).filter(
    ({ atom, holds }) => (atom.kind === "some" && !holds) || (atom.kind === "every" && holds),
  );
  if (passed.length > 0 && byFact.has(part)) byFact.set(part, [...(byFact.get(part) ?? []), ...passed]);
}

interface Question {
  byFact: ReadonlyMap<string, Literals>;
  free: ReadonlyMap<string, boolean>;
  tables: ProofTables;
  find: FindWord;
}

function modelOfKind(kind: CallKind, question: Question): Model | undefined {
  const { byFact, free, find } = question;
  const of = (fact: string): Literals => byFact.get(fact) ?? [];
  if (!includes(oneLanguage(of("class")).language, kind.class)) return undefined;
  const tools = toolOf(kind, of("tool"), find);
  if (tools === undefined) return undefined;
  const numbers = new Map<string, number>();
  for (const fact of NUMBERS) {
    const value = numberValue(of(fact));
    if (value === undefined) return undefined;
    if (value !== null) numbers.set(fact, value);
  }
  const isOpaque = free.get("opaque");
  const opaques = { never: [false], sometimes: [false, true], always: [true] }[kind.opaque];
  for (const hidden of opaques) {
    if (isOpaque !== undefined && isOpaque !== hidden) continue;
    const values = valuesOfFacts(kind, hidden, question);
    const ofProgram = values && programOf(kind, hidden, question);
    if (!ofProgram) continue;
    for (const [fact, texts] of [...ofProgram, ["class", [kind.class]], ["tool", tools]] as const)
      values.set(fact, texts);
    for (const [part, wholeFact] of PARTS)
      if (values.has(part)) values.set(wholeFact, [...(values.get(wholeFact) ?? []), ...(values.get(part) ?? [])]);
    return { class: kind.class, tools, opaque: hidden, values, numbers, free };
  }
  return undefined;
}

/** The names of a tool of this kind that satisfies the literals. */
function toolOf(kind: CallKind, literals: Literals, find: FindWord): readonly string[] | undefined {
  const known = kind.tools.find((names) =>
    literals.every(({ atom, holds }) => {
      if (atom.kind === "some") return names.some((name) => includes(atom.language, name)) === holds;
      return atom.kind !== "every" || names.every((name) => includes(atom.language, name)) === holds;
    }),
  );
  if (known || !kind.anyTool) return known;
  return severalValues(literals, { universe: WORDS(), hidden: false, mayBeUnknown: false }, find);
}

function valuesOfFacts(
  kind: CallKind,
  hidden: boolean,
  { byFact, find }: Question,
): Map<string, readonly string[]> | undefined {
  const found = new Map<string, readonly string[]>();
  for (const [fact, literals] of byFact) {
    if (APART.has(fact)) continue;
    const isOpen = hidden && isHidden(fact);
    if (!isThere(kind, fact)) {
      if (!mayBeAbsent(isOpen ? literals.filter(({ atom, holds }) => atom.kind !== "every" || holds) : literals))
        return undefined;
      continue;
    }
    const texts = valuesOfFact(fact, literals, { kind, hidden: isOpen, find });
    if (!texts) return undefined;
    found.set(fact, texts);
  }
  return found;
}

/** True if such a call can have the fact. */
function isThere(kind: CallKind, fact: string): boolean {
  if (fact.startsWith("input.") || kind.facts.has(fact)) return true;
  return fact !== "server" && FACT_TABLE[fact as keyof typeof FACT_TABLE].of !== "step";
}

function valuesOfFact(
  fact: string,
  literals: Literals,
  { kind, hidden, find }: { kind: CallKind; hidden: boolean; find: FindWord },
): readonly string[] | undefined {
  if (literals.some(({ atom }) => atom.kind === "one")) {
    if (fact === "safety") {
      const label = find(both([oneLanguage(literals).language, SAFETY()]));
      return label === undefined ? undefined : [label];
    }
    const value = oneValue(literals, fact === "source" ? SOURCES() : WORDS(), find);
    return value === undefined ? undefined : value === null ? [] : [value];
  }
  const isPlace = PATHS.includes(fact) || HOSTS.includes(fact);
  const universe = PATHS.includes(fact) ? whole(ALL_PATHS) : fact.startsWith("input.") ? EVERY : WORDS();
  const mayBeUnknown = isPlace && kind.class === "runs-commands";
  return severalValues(literals, { universe, hidden, mayBeUnknown }, find);
}

type ProgramValues = ReadonlyMap<string, readonly string[]>;

/** Program, verb, effects and command together, as the rows of the table tie them. */
function programOf(kind: CallKind, hidden: boolean, { byFact, tables, find }: Question): ProgramValues | undefined {
  const of = (fact: string): Literals => byFact.get(fact) ?? [];
  const effectsIn = effectsFor(of("effect"), hidden);
  if (["program", "verb", "command"].every((fact) => mayBeAbsent(of(fact)))) {
    const effects = effectsIn(kind.effects);
    if (effects) return new Map([["effect", effects]]);
  }
  if (!kind.facts.has("program")) return undefined;
  const { language } = oneLanguage(of("program"));
  const verbs = oneLanguage(of("verb"));
  for (const rows of tables.programs) {
    if (!includes(language, rows.program)) continue;
    const found = knownProgram(rows, { kind, of, effectsIn, verbs, find });
    if (found) return found;
  }
  // A program that no table knows has the effects that any command can have, by its redirections and variables.
  const effects = effectsIn(kind.effects);
  const others = both([language, not(namesOf(tables))]);
  const program = effects && find(both([others, PROGRAM_NAMES()]));
  const texts = program !== undefined && textsFor(program, others, of, find);
  return effects && texts ? new Map([["effect", effects], ...texts]) : undefined;
}

/** Returns what chooses effects that satisfy literals, among those that a program can have. */
function effectsFor(
  literals: Literals,
  hidden: boolean,
): (effects: readonly string[]) => readonly string[] | undefined {
  const demands = demandsOf(literals, { universe: EVERY, hidden }, false);
  if (!demands) return () => undefined;
  const { every, wanted } = demands;
  const fitting = new Map<string, readonly boolean[]>();
  const fitsOf = (effect: string): readonly boolean[] => {
    let fits = fitting.get(effect);
    if (!fits) {
      const isAllowed = includes(every, effect);
      fitting.set(effect, (fits = wanted.map((language) => isAllowed && includes(language, effect))));
    }
    return fits;
  };
  return (effects) => {
    const found = wanted.map((_, at) => effects.find((effect) => fitsOf(effect)[at]));
    return found.includes(undefined) ? undefined : [...new Set(found.filter((effect) => effect !== undefined))];
  };
}

const namesOf = memoize((tables: ProofTables): Language => {
  return whole(tables.programs.map(({ program }) => literal(program)).join("|"));
});

const PROGRAM_NAMES = once(() => whole("[^\\s/A-Z]+"));

interface OfProgram {
  kind: CallKind;
  of: (fact: string) => Literals;
  effectsIn: (effects: readonly string[]) => readonly string[] | undefined;
  verbs: { language: Language; mayMiss: boolean };
  find: FindWord;
}

function knownProgram(
  { program, effects, verbs }: ProgramRows,
  { kind, of, effectsIn, verbs: asked, find }: OfProgram,
): ProgramValues | undefined {
  const most = effectsIn([...kind.effects, ...effects, ...Object.values(verbs).flat()]);
  if (!most) return undefined;
  const language = whole(literal(program));
  const general = effectsIn([...kind.effects, ...effects]);
  const texts = general && textsFor(program, language, of, find);
  if (texts) return new Map([["effect", general], ...texts]);
  // Without a known verb the words of a row may be operands.
  const rest = textsFor(program, language, (fact) => (fact === "verb" ? [] : of(fact)), find);
  if (!rest) return undefined;
  if (asked.mayMiss) return new Map([["effect", most], ...rest]);
  for (const [verb, more] of Object.entries(verbs)) {
    const found = effectsIn([...kind.effects, ...effects, ...more]);
    const shown = found && (includes(asked.language, verb) ? verb : find(both([asked.language, glob(`${verb} *`)])));
    if (found && shown !== undefined) return new Map([["effect", found], ...rest, ["verb", [shown]]]);
  }
  return undefined;
}

/** A program, with a verb and a command that fit the programs of a language. */
function textsFor(
  program: string,
  programs: Language,
  of: (fact: string) => Literals,
  find: FindWord,
): [string, readonly string[]][] | undefined {
  const verb = oneValue(of("verb"), WORDS(), find);
  // A step with a program has a command, so that its absence cannot satisfy a literal.
  const asked = of("command");
  const command = asked.length === 0 ? program : find(both([oneLanguage(asked).language, firstWord(programs)]));
  if (verb === undefined || command === undefined) return undefined;
  return [
    ["program", [program]],
    ["command", [command]],
    ["verb", verb === null ? [] : [verb]],
  ];
}
