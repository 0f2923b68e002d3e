import { memoize, once } from "../../lib/once.ts";
import type { ToolClass } from "../../protocol/tool-class.ts";
import {
  type FindWord,
  type Literals,
  mayBeAbsent,
  numberValue,
  oneLanguage,
  oneValue,
  severalValues,
} from "./fact-values.ts";
import type { Literal } from "./formula.ts";
import { findAmong, includes } from "./includes.ts";
import { both, EVERY, firstWord, glob, type Language, literal, not, whole } from "./language.ts";
import { ALL_PATHS } from "./path-language.ts";
import { HOSTS, PATHS } from "./rule-formula.ts";
import type { CallKind, ProgramRows, ProofTables } from "./tables.ts";

/** A call as a proof sees it: values of the facts that its literals are about. */
export interface Model {
  class: ToolClass;
  tools: readonly string[];
  program: string | undefined;
  verb: string | undefined;
  opaque: boolean;
  /** Of facts with one or several values. */
  values: ReadonlyMap<string, readonly string[]>;
  numbers: ReadonlyMap<string, number>;
  free: ReadonlyMap<string, boolean>;
}

/** Facts of the call and the event, which every kind of call has. */
const COMMON_FACTS: ReadonlySet<string> = new Set(["branch", "agent", "source", "secrets", "safety", "text"]);
/** Facts about which hidden code leaves open what it does not show. */
const HIDDEN_FACTS: ReadonlySet<string> = new Set([
  "effect",
  "reads",
  "writes",
  "paths",
  "hosts",
  "sends",
  "target",
  "ref",
]);
/** Facts whose values the table of programs ties together. */
const OF_PROGRAM: ReadonlySet<string> = new Set(["program", "verb", "effect", "command"]);

const SAFETY = once(() => whole("safe|destructive|unknown"));
const SOURCES = once(() => whole("user|schedule|agent|api"));
/** A word of a command line. */
const WORDS = once(() => whole("(?s:.+)"));

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
  for (const [part, wholeFact] of [
    ["reads", "paths"],
    ["writes", "paths"],
    ["sends", "hosts"],
  ] as const)
    inherit(byFact, part, wholeFact);
  for (const { fact, language, effect } of tables.implied)
    if (!mayHave(byFact.get("effect") ?? [], effect)) forbid(byFact, fact, language);
  for (const kind of tables.kinds) {
    const model = modelOfKind(kind, { byFact, free, tables, find });
    if (model) return model;
  }
  return undefined;
}

/** True if the literals about effects leave room for one. */
function mayHave(literals: Literals, effect: string): boolean {
  const limits = literals.flatMap(({ atom, holds }) => {
    if (atom.kind === "some") return holds ? [] : [not(atom.language)];
    return atom.kind === "every" && holds ? [atom.language] : [];
  });
  return limits.every((limit) => includes(limit, effect));
}

function forbid(byFact: Map<string, Literal[]>, fact: string, language: Language): void {
  const known = byFact.get(fact);
  if (!known) return;
  const key = `implied ${fact} ${language.key}`;
  const atom = { key, kind: "some", fact, language, wide: language, unknownHits: false } as const;
  byFact.set(fact, [...known, { atom, holds: false }]);
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
  for (const fact of ["depth", "cost", "calls"]) {
    const value = numberValue(of(fact));
    if (value === undefined) return undefined;
    if (value !== null) numbers.set(fact, value);
  }
  const isOpaque = free.get("opaque");
  const opaques = { never: [false], sometimes: [false, true], always: [true] }[kind.opaque];
  for (const hidden of opaques) {
    if (isOpaque !== undefined && isOpaque !== hidden) continue;
    const values = valuesOfFacts(kind, hidden, question);
    const program = values && programOf(kind, hidden, question);
    if (!program) continue;
    for (const [fact, texts] of program.values) values.set(fact, texts);
    return { class: kind.class, tools, ...program, opaque: hidden, values, numbers, free };
  }
  return undefined;
}

/** The names of a tool of this kind that satisfies the literals; an empty list if any does. */
function toolOf(kind: CallKind, literals: Literals, find: FindWord): readonly string[] | undefined {
  if (literals.length === 0) return [];
  for (const names of kind.tools) {
    const isFit = literals.every(({ atom, holds }) => {
      if (atom.kind === "some") return names.some((name) => includes(atom.language, name)) === holds;
      return atom.kind !== "every" || names.every((name) => includes(atom.language, name)) === holds;
    });
    if (isFit) return names;
  }
  if (!kind.anyTool) return undefined;
  return severalValues(literals, { universe: WORDS(), hidden: false, mayBeUnknown: false }, find);
}

function valuesOfFacts(
  kind: CallKind,
  hidden: boolean,
  question: Question,
): Map<string, readonly string[]> | undefined {
  const { byFact, find } = question;
  const found = new Map<string, readonly string[]>();
  for (const [fact, literals] of byFact) {
    if (["class", "tool", "depth", "cost", "calls"].includes(fact) || OF_PROGRAM.has(fact)) continue;
    const isThere = COMMON_FACTS.has(fact) || fact.startsWith("input.") || kind.facts.has(fact);
    const isHidden = hidden && HIDDEN_FACTS.has(fact);
    if (!isThere) {
      if (!mayBeAbsent(isHidden ? literals.filter(({ atom, holds }) => atom.kind !== "every" || holds) : literals))
        return undefined;
      continue;
    }
    const texts = valuesOfFact(fact, literals, { kind, hidden: isHidden, find });
    if (!texts) return undefined;
    found.set(fact, texts);
  }
  return found;
}

function valuesOfFact(
  fact: string,
  literals: Literals,
  { kind, hidden, find }: { kind: CallKind; hidden: boolean; find: FindWord },
): string[] | undefined {
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

type ProgramModel = Pick<Model, "program" | "verb"> & { values: ReadonlyMap<string, readonly string[]> };

/** Program, verb, effects and command together, as the rows of the table tie them. */
function programOf(kind: CallKind, hidden: boolean, { byFact, tables, find }: Question): ProgramModel | undefined {
  const of = (fact: string): Literals => byFact.get(fact) ?? [];
  const options = { hidden, mayBeUnknown: false };
  const effectsIn = (effects: readonly string[]): string[] | undefined =>
    severalValues(of("effect"), { ...options, universe: EVERY }, findAmong(effects));
  const withoutProgram = (): ProgramModel | undefined => {
    if (!["program", "verb", "command"].every((fact) => mayBeAbsent(of(fact)))) return undefined;
    const effects = effectsIn(kind.effects);
    return effects && { program: undefined, verb: undefined, values: new Map([["effect", effects]]) };
  };
  const bare = withoutProgram();
  if (bare || !kind.facts.has("program")) return bare;
  for (const rows of tables.programs) {
    const found = knownProgram(rows, kind, of, effectsIn, find);
    if (found) return found;
  }
  // A program that no table knows has the effects that any command can have, by its redirections and variables.
  const names = namesOf(tables);
  const { language } = oneLanguage(of("program"));
  const effects = effectsIn(kind.effects);
  const program = effects && find(both([language, not(names), PROGRAM_NAMES()]));
  const texts = program !== undefined && textsFor(both([language, not(names)]), of, find);
  if (!effects || program === undefined || !texts) return undefined;
  return { program, verb: texts.verb, values: new Map([["effect", effects], ...texts.values]) };
}

const namesOf = memoize((tables: ProofTables): Language => {
  return whole(tables.programs.map(({ program }) => literal(program)).join("|"));
});

const PROGRAM_NAMES = once(() => whole("[^\\s/A-Z]+"));

function knownProgram(
  { program, effects, verbs }: ProgramRows,
  kind: CallKind,
  of: (fact: string) => Literals,
  effectsIn: (effects: readonly string[]) => string[] | undefined,
  find: FindWord,
): ProgramModel | undefined {
  if (!includes(oneLanguage(of("program")).language, program)) return undefined;
  const language = whole(literal(program));
  const most = effectsIn([...kind.effects, ...effects, ...Object.values(verbs).flat()]);
  if (!most) return undefined;
  const general = effectsIn([...kind.effects, ...effects]);
  const texts = general && textsFor(language, of, find);
  if (texts) return { program, verb: texts.verb, values: new Map([["effect", general], ...texts.values]) };
  const { language: verbLanguage, mayMiss } = oneLanguage(of("verb"));
  // Without a known verb the words of a row may be operands.
  const rest = textsFor(language, (fact) => (fact === "verb" ? [] : of(fact)), find);
  if (!rest) return undefined;
  if (mayMiss) return { program, verb: undefined, values: new Map([["effect", most], ...rest.values]) };
  for (const [verb, more] of Object.entries(verbs)) {
    const found = effectsIn([...kind.effects, ...effects, ...more]);
    const shown = found && (includes(verbLanguage, verb) ? verb : find(both([verbLanguage, glob(`${verb} *`)])));
    if (found && shown !== undefined)
      return { program, verb: shown, values: new Map([["effect", found], ...rest.values]) };
  }
  return undefined;
}

/** A verb and a command that fit a program. */
function textsFor(
  program: Language,
  of: (fact: string) => Literals,
  find: FindWord,
): { verb: string | undefined; values: [string, string[]][] } | undefined {
  const verb = oneValue(of("verb"), WORDS(), find);
  if (verb === undefined) return undefined;
  const commands = of("command");
  const command = commands.length === 0 ? null : oneValue(commands, firstWord(program), find);
  // A step with a program has a command, so that its absence cannot satisfy a literal.
  const line =
    command === null && commands.length > 0
      ? find(both([oneLanguage(commands).language, firstWord(program)]))
      : command;
  if (line === undefined) return undefined;
  return { verb: verb ?? undefined, values: line === null ? [] : [["command", [line]]] };
}
