import type { CharSet } from "../../pattern/character-sets.ts";
import { alphabetOf, type CharClass } from "./alphabet.ts";
import { type Automaton, automatonOf } from "./automaton.ts";
import { type Language, lettersOf } from "./language.ts";

/** Thrown when a question needs more states or time than it has. */
export class LimitReached extends Error {}

/** What one question may use. */
export interface Budget {
  /** Counts a state; throws {@link LimitReached} when too many are used, or the time is over. */
  spend(): void;
}

/** A run of all automata of a language at once, as far as they are made. */
interface Machine {
  size: number;
  start(): number[];
  step(states: readonly number[], letter: CharClass): number[];
  /** True, false, or undefined if it depends on what follows. */
  settled(states: readonly number[]): boolean | undefined;
  accepts(states: readonly number[]): boolean;
}

/**
 * Finds the shortest text of a language, of those with the plainest characters; undefined if it has none. The answers are
 * kept, because a proof asks the same again.
 */
export function wordFinder(budget: Budget): (language: Language) => string | undefined {
  const answers = new Map<string, string | undefined>();
  return (language) => {
    if (answers.has(language.key)) return answers.get(language.key);
    const word = shortestWord(language, budget);
    answers.set(language.key, word);
    return word;
  };
}

function shortestWord(language: Language, budget: Budget): string | undefined {
  const codes = new Set<number>();
  const sets = new Set<CharSet>();
  lettersOf(language, codes, sets);
  const letters = alphabetOf(codes, [...sets]);
  const machine = machineOf(language, budget);
  const begin = machine.start();
  const seen = new Set([begin.join()]);
  let level: { states: number[]; text: string }[] = [{ states: begin, text: "" }];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { states, text } of level) {
      if (machine.accepts(states)) return text;
      for (const letter of letters) {
        const to = machine.step(states, letter);
        const key = to.join();
        if (seen.has(key) || machine.settled(to) === false) continue;
        budget.spend();
        seen.add(key);
        next.push({ states: to, text: text + letter.char });
      }
    }
    level = next;
  }
  return undefined;
}

function machineOf(language: Language, budget: Budget): Machine {
  switch (language.kind) {
    case "leaf":
      return leafMachine(automatonOf(language.program, language.contains, () => budget.spend()));
    case "not": {
      const inner = machineOf(language.of, budget);
      const settled = (states: readonly number[]): boolean | undefined => {
        const value = inner.settled(states);
        return value === undefined ? undefined : !value;
      };
      return { ...inner, settled, accepts: (states) => !inner.accepts(states) };
    }
    case "word":
      return wordMachine(machineOf(language.of, budget));
    default:
      return joinedMachine(
        language.of.map((one) => machineOf(one, budget)),
        language.kind === "both",
      );
  }
}

function leafMachine(automaton: Automaton): Machine {
  return {
    size: 1,
    start: () => [automaton.start],
    step: ([state = 0], letter) => [automaton.step(state, letter)],
    settled: ([state = 0]) => automaton.settled(state),
    accepts: ([state = 0]) => automaton.accepts(state),
  };
}

const BLANK = 0x20;

/** Reads the first word only. The last state says whether it has ended. */
function wordMachine(inner: Machine): Machine {
  const { size } = inner;
  const hasEnded = (states: readonly number[]): boolean => states[size] === 1;
  return {
    size: size + 1,
    start: () => [...inner.start(), 0],
    step(states, letter) {
      if (hasEnded(states)) return [...states];
      return letter.code === BLANK ? [...states.slice(0, size), 1] : [...inner.step(states.slice(0, size), letter), 0];
    },
    settled(states) {
      const rest = states.slice(0, size);
      return hasEnded(states) ? inner.accepts(rest) : inner.settled(rest);
    },
    accepts: (states) => inner.accepts(states.slice(0, size)),
  };
}

function joinedMachine(parts: readonly Machine[], all: boolean): Machine {
  const starts: number[] = [];
  let size = 0;
  for (const part of parts) {
    starts.push(size);
    size += part.size;
  }
  const of = (states: readonly number[], index: number): readonly number[] => {
    const from = starts[index] ?? 0;
    return states.slice(from, from + (parts[index]?.size ?? 0));
  };
  return {
    size,
    start: () => parts.flatMap((part) => part.start()),
    step: (states, letter) => parts.flatMap((part, index) => part.step(of(states, index), letter)),
    settled(states) {
      let open = false;
      for (const [index, part] of parts.entries()) {
        const value = part.settled(of(states, index));
        if (value === !all) return !all;
        if (value === undefined) open = true;
      }
      return open ? undefined : all;
    },
    accepts: (states) =>
      all
        ? parts.every((part, index) => part.accepts(of(states, index)))
        : parts.some((part, index) => part.accepts(of(states, index))),
  };
}
