import { hasCode } from "../../pattern/character-sets.ts";
import { ASSERTIONS, OP, type Program } from "../../pattern/program.ts";
import { type CharClass, EDGE, LAST_CODE, LINE_END, WORD } from "./alphabet.ts";

/** A deterministic automaton whose states are made when they are reached. */
export interface Automaton {
  start: number;
  step(state: number, letter: CharClass): number;
  accepts(state: number): boolean;
  /** Whether every text from here on is accepted, or none; undefined if that depends on the text. */
  settled(state: number): boolean | undefined;
}

/** The instructions before which a match may stand, and the kind of the character read last. */
interface State {
  at: readonly number[];
  before: number;
}

/** Marks the state in which every text is accepted, whatever it was reached by. */
const SETTLED = -1;

/**
 * Returns the automaton of a program. With `contains` a text is accepted if it begins with a match, whatever follows.
 * `onState` is called for each new state, and may throw to end a search.
 */
export function automatonOf(program: Program, contains: boolean, onState: () => void): Automaton {
  const end = program.ops.length - 1;
  const asserts = program.ops.includes(OP.assert);
  const states: State[] = [];
  const index = new Map<string, number>();
  const moves: Map<number, number>[] = [];
  const accepted: (boolean | undefined)[] = [];
  /** What reads the next character, by state. */
  const readers: (readonly number[] | undefined)[] = [];
  const endless = asserts ? [] : endlessOf(program);
  const add = (at: readonly number[], before: number): number => {
    const key = `${at.join()} ${before}`;
    const old = index.get(key);
    if (old !== undefined) return old;
    const reached = asserts || before === SETTLED ? undefined : closure(program, { at, before }, EDGE);
    if (reached?.includes(end) && endless.some((pc) => reached.includes(pc))) {
      index.set(key, done);
      return done;
    }
    onState();
    index.set(key, states.length);
    moves.push(new Map());
    readers.push(reached);
    return states.push({ at, before }) - 1;
  };
  const dead = add([], EDGE);
  const done = add([end], SETTLED);
  const stateOf = (number: number): State => states[number] ?? { at: [], before: EDGE };
  const move = (number: number, letter: CharClass): number => {
    const reached = readers[number] ?? closure(program, stateOf(number), letter.kind);
    if (contains && reached.includes(end)) return done;
    const next: number[] = [];
    for (const at of reached) if (reads(program, at, letter.code)) next.push(at + 1);
    if (next.length === 0) return dead;
    return add(
      next.sort((a, b) => a - b),
      asserts ? letter.kind : EDGE,
    );
  };
  return {
    start: add([0], EDGE),
    step(number, letter) {
      if (number === dead || number === done) return number;
      const known = moves[number]?.get(letter.code);
      if (known !== undefined) return known;
      const to = move(number, letter);
      moves[number]?.set(letter.code, to);
      return to;
    },
    accepts(number) {
      if (number === done) return true;
      accepted[number] ??= (readers[number] ?? closure(program, stateOf(number), EDGE)).includes(end);
      return accepted[number] ?? false;
    },
    settled: (number) => (number === dead ? false : number === done ? true : undefined),
  };
}

/** The instructions that read every character, again and again, up to the end: the last `.*` of a pattern. */
function endlessOf(program: Program): number[] {
  const { ops, first, sets } = program;
  const readsAll = (pc: number): boolean => {
    const ranges = ops[pc] === OP.set ? sets[first[pc] ?? 0]?.ranges : undefined;
    return ranges?.length === 2 && ranges[0] === 0 && ranges[1] === LAST_CODE;
  };
  return [...ops.keys()].filter((pc) => {
    if (!readsAll(pc)) return false;
    const behind = closure(program, { at: [pc + 1], before: EDGE }, EDGE);
    return behind.includes(pc) && behind.includes(ops.length - 1);
  });
}

function reads({ ops, first, sets }: Program, at: number, code: number): boolean {
  const operand = first[at] ?? 0;
  if (ops[at] === OP.char) return operand === code;
  const set = ops[at] === OP.set ? sets[operand] : undefined;
  return set !== undefined && hasCode(set, code);
}

/** The instructions that read a character, and the last one, if they can be reached without reading. */
function closure({ ops, first, second }: Program, { at, before }: State, after: number): number[] {
  const seen = new Set<number>();
  const open = [...at];
  const found: number[] = [];
  for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
    if (seen.has(pc)) continue;
    seen.add(pc);
    const op = ops[pc];
    if (op === OP.split) open.push(first[pc] ?? 0, second[pc] ?? 0);
    else if (op === OP.jump) open.push(first[pc] ?? 0);
    else if (op !== OP.assert) found.push(pc);
    else if (holds(first[pc] ?? 0, before, after)) open.push(pc + 1);
  }
  return found;
}

function holds(assertion: number, before: number, after: number): boolean {
  switch (ASSERTIONS[assertion]) {
    case "text_start":
      return before === EDGE;
    case "text_end":
      return after === EDGE;
    case "line_start":
      return before === EDGE || before === LINE_END;
    case "line_end":
      return after === EDGE || after === LINE_END;
    case "word_edge":
      return (before === WORD) !== (after === WORD);
    default:
      return (before === WORD) === (after === WORD);
  }
}
