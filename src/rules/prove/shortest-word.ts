import type { CharSet } from "../../pattern/character-sets.ts";
import { alphabetOf, type CharClass, classOf } from "./alphabet.ts";
import { type Automaton, automatonOf } from "./automaton.ts";
import { includes } from "./includes.ts";
import { both, type Language, lettersOf } from "./language.ts";

/** Thrown when a question needs more states or time than it has. */
export class LimitReached extends Error {}

/** What one question may use. */
export interface Budget {
  /** Counts a state; throws {@link LimitReached} when too many are used, or the time is over. */
  spend(): void;
}

/** States after which a search for the shortest text is given up for one of a longer text. */
const MAX_SHORTEST = 1000;

/**
 * Returns what finds the shortest text of a language, of those with the plainest characters; undefined if it has none. It
 * keeps answers and automata, because a proof asks about the same languages again.
 *
 * Of many languages that a text has to be in, it looks into those that the shortest text of the others is not in: most say
 * nothing about it. If this takes long, it tries to extend that text to one of the next language too.
 */
export function wordFinder(budget: Budget): (language: Language) => string | undefined {
  const answers = new Map<string, string | undefined>();
  const automata = new Map<string, Automaton>();
  const automatonFor: AutomatonFor = ({ key, program, contains }) => {
    let automaton = automata.get(key);
    if (!automaton) automata.set(key, (automaton = automatonOf(program, contains, () => budget.spend())));
    return automaton;
  };
  const firsts = new Map<string, string | "many" | undefined>();
  const first = (language: Language): string | "many" | undefined => {
    const { key } = language;
    if (!firsts.has(key)) firsts.set(key, searchIn(language, automatonFor, budget).shortest("", MAX_SHORTEST));
    return firsts.get(key);
  };
  const wordIn = (parts: readonly Language[]): string | undefined => {
    let used: readonly Language[] = [];
    let text = "";
    let isHard = false;
    for (;;) {
      const missing = parts.find((part) => !used.includes(part) && !includes(part, text));
      if (!missing) return text;
      used = [...used, missing];
      const language = both(used);
      let word = isHard ? "many" : first(language);
      if (word === "many") {
        isHard = true;
        const search = searchIn(language, automatonFor, budget);
        word = search.shortest(text, Number.POSITIVE_INFINITY) ?? search.shortest("", Number.POSITIVE_INFINITY);
      }
      if (word === undefined) return undefined;
      text = word;
    }
  };
  return (language) => {
    const { key } = language;
    if (!answers.has(key)) answers.set(key, wordIn(language.kind === "both" ? language.of : [language]));
    return answers.get(key);
  };
}

type AutomatonFor = (leaf: Extract<Language, { kind: "leaf" }>) => Automaton;

/** Searches for texts of a language, level by level. */
function searchIn(language: Language, automatonFor: AutomatonFor, budget: Budget) {
  const codes = new Set<number>();
  const sets = new Set<CharSet>();
  lettersOf(language, codes, sets);
  const letters = alphabetOf(codes, [...sets]);
  const automata: Automaton[] = [];
  const { accepts, settled } = judgeOf(language, false, automatonFor, automata);
  const step = (states: States, letter: CharClass): States =>
    automata.map((one, at) => one.step(states[at] ?? 0, letter));
  return {
    /** The shortest text of those that begin with another text; `many` if that takes more states than it may. */
    shortest(begin: string, most: number): string | "many" | undefined {
      let start: States = automata.map((one) => one.start);
      for (const char of begin) start = step(start, classOf(char));
      const seen = new Set([start.join()]);
      let level = [{ states: start, text: begin }];
      while (level.length > 0) {
        const next: typeof level = [];
        for (const { states, text } of level) {
          if (accepts(states)) return text;
          for (const letter of letters) {
            const to = step(states, letter);
            const key = to.join();
            if (seen.has(key) || settled(to) === false) continue;
            if (seen.size >= most) return "many";
            budget.spend();
            seen.add(key);
            next.push({ states: to, text: text + letter.char });
          }
        }
        level = next;
      }
      return undefined;
    },
  };
}

/** The states of all automata of a language after a text. */
type States = readonly number[];

/** What the states of the automata say about a text. */
interface StatesJudge {
  accepts(states: States): boolean;
  /** True, false, or undefined if it depends on what follows. */
  settled(states: States): boolean | undefined;
}

/** Adds the automata of a language. `isWord`: they read the first word of a text only. */
function judgeOf(language: Language, isWord: boolean, automatonFor: AutomatonFor, automata: Automaton[]): StatesJudge {
  switch (language.kind) {
    case "leaf": {
      const inner = automatonFor(language);
      const automaton = isWord ? ofFirstWord(inner) : inner;
      const at = automata.push(automaton) - 1;
      return {
        accepts: (states) => automaton.accepts(states[at] ?? 0),
        settled: (states) => automaton.settled(states[at] ?? 0),
      };
    }
    case "not": {
      const { accepts, settled } = judgeOf(language.of, isWord, automatonFor, automata);
      return {
        accepts: (states) => !accepts(states),
        settled(states) {
          const value = settled(states);
          return value === undefined ? undefined : !value;
        },
      };
    }
    case "word":
      return judgeOf(language.of, true, automatonFor, automata);
    default: {
      const parts = language.of.map((one) => judgeOf(one, isWord, automatonFor, automata));
      const all = language.kind === "both";
      return {
        accepts: (states) =>
          all ? parts.every(({ accepts }) => accepts(states)) : parts.some(({ accepts }) => accepts(states)),
        settled(states) {
          let open = false;
          for (const { settled } of parts) {
            const value = settled(states);
            if (value === !all) return !all;
            if (value === undefined) open = true;
          }
          return open ? undefined : all;
        },
      };
    }
  }
}

const BLANK = 0x20;

/** Reads the first word of a text. Odd states are those behind it. */
function ofFirstWord(inner: Automaton): Automaton {
  return {
    start: inner.start * 2,
    step(state, letter) {
      if (state % 2 === 1) return state;
      return letter.code === BLANK ? state + 1 : inner.step(state / 2, letter) * 2;
    },
    accepts: (state) => inner.accepts(state >> 1),
    settled: (state) => (state % 2 === 1 ? inner.accepts(state >> 1) : inner.settled(state / 2)),
  };
}
