import { type CharSet, hasCode } from "./character-sets.ts";
import type { Assertion, Node } from "./parse-pattern.ts";
import { PatternError } from "./pattern-reader.ts";

/** The operations. `split` continues at both `first` and `second`, `jump` at `first`. */
export const OP = { char: 0, set: 1, split: 2, jump: 3, assert: 4, match: 5 } as const;

/** The assertions; an instruction refers to one by its index. */
export const ASSERTIONS: readonly Assertion[] = [
  "text_start",
  "text_end",
  "line_start",
  "line_end",
  "word_edge",
  "no_word_edge",
];

/** A compiled pattern: instruction `n` is `ops[n]` with `first[n]` and `second[n]`. */
export interface Program {
  ops: Uint8Array;
  first: Uint32Array;
  second: Uint32Array;
  sets: readonly CharSet[];
}

/** The name length, in characters, for which the work of a pattern is estimated. */
const NAME_LENGTH = 256;
/** Maximum instruction visits for a name of that length; measured to stay well under 10 ms. */
const MAX_WORK = 250_000;
/** Visits that one lookup of a code point by a regular expression costs, approximately. */
const SLOW_WORK = 16;
const MAX_INSTRUCTIONS = 100_000;

/** The minimum and maximum number of characters read before an instruction is reached. */
interface Reach {
  least: number;
  most: number;
}

interface Draft {
  ops: number[];
  first: number[];
  second: number[];
  sets: CharSet[];
  setIndex: Map<CharSet, number>;
  work: number;
  maxWork: number;
}

/**
 * Compiles a pattern to a Thompson automaton. Throws a {@link PatternError} if matching a name of 256 characters could
 * take too long. Only instructions that can be reached after many different numbers of characters are expensive: a
 * thousand alternative names are cheap.
 */
export function compileProgram(node: Node, maxWork = MAX_WORK): Program {
  const draft: Draft = { ops: [], first: [], second: [], sets: [], setIndex: new Map(), work: 0, maxWork };
  const reach = emit(draft, node, { least: 0, most: 0 });
  add(draft, reach, OP.match);
  return {
    ops: Uint8Array.from(draft.ops),
    first: Uint32Array.from(draft.first),
    second: Uint32Array.from(draft.second),
    sets: draft.sets,
  };
}

/** Appends an instruction that is reached at `reach` and returns its index. */
function add(draft: Draft, reach: Reach, op: number, first = 0, second = 0, weight = 1): number {
  draft.work += weight * Math.max(0, Math.min(reach.most, NAME_LENGTH) - reach.least + 1);
  const at = draft.ops.length;
  if (draft.work > draft.maxWork || at >= MAX_INSTRUCTIONS) throw new PatternError("pattern is too large", 0);
  draft.ops.push(op);
  draft.first.push(first);
  draft.second.push(second);
  return at;
}

function emit(draft: Draft, node: Node, reach: Reach): Reach {
  switch (node.kind) {
    case "char":
      add(draft, reach, OP.char, node.code);
      return { least: reach.least + 1, most: reach.most + 1 };
    case "set":
      add(draft, reach, OP.set, setIndex(draft, node.set), 0, node.set.slow ? SLOW_WORK : 1);
      return { least: reach.least + 1, most: reach.most + 1 };
    case "assert":
      add(draft, reach, OP.assert, ASSERTIONS.indexOf(node.what));
      return reach;
    case "sequence":
      return node.parts.reduce((from, part) => emit(draft, part, from), reach);
    case "choice":
      return emitChoice(draft, node.options, reach);
    case "repeat":
      return emitRepeat(draft, node, reach);
  }
}

function setIndex(draft: Draft, set: CharSet): number {
  const known = draft.setIndex.get(set);
  if (known !== undefined) return known;
  draft.setIndex.set(set, draft.sets.length);
  return draft.sets.push(set) - 1;
}

function emitChoice(draft: Draft, options: readonly Node[], reach: Reach): Reach {
  const jumps: number[] = [];
  const ends = options.map((option, index) => {
    const split = index < options.length - 1 ? add(draft, reach, OP.split, draft.ops.length + 1) : undefined;
    const end = emit(draft, option, reach);
    if (split !== undefined) {
      jumps.push(add(draft, end, OP.jump));
      draft.second[split] = draft.ops.length;
    }
    return end;
  });
  for (const jump of jumps) draft.first[jump] = draft.ops.length;
  return { least: Math.min(...ends.map((end) => end.least)), most: Math.max(...ends.map((end) => end.most)) };
}

function emitRepeat(draft: Draft, { node, min, max }: { node: Node; min: number; max: number }, reach: Reach): Reach {
  let end = reach;
  for (let copy = 0; copy < min; copy++) end = emit(draft, node, end);
  const { least } = end;
  if (max === Infinity) {
    const loop: Reach = { least, most: Infinity };
    const split = add(draft, loop, OP.split, draft.ops.length + 1);
    emit(draft, node, loop);
    add(draft, loop, OP.jump, split);
    draft.second[split] = draft.ops.length;
    return loop;
  }
  const splits: number[] = [];
  for (let copy = min; copy < max; copy++) {
    splits.push(add(draft, end, OP.split, draft.ops.length + 1));
    end = emit(draft, node, end);
  }
  for (const split of splits) draft.second[split] = draft.ops.length;
  return { least, most: end.most };
}

const NEWLINE = 0x0a;
/** The "character" before the first and after the last one. */
const NONE = -1;

/** The buffers of a run. They are reused, because runs never overlap. */
interface Scratch {
  program: Program;
  codes: readonly number[];
  /** The last step at which an instruction was reached. */
  seen: Int32Array;
  /** The reached instructions that read a character: before the current one, and after it. */
  states: Uint32Array;
  next: Uint32Array;
  stack: Uint32Array;
}

/**
 * Returns a function that tells whether a whole text matches. Its time is proportional to instructions times length.
 */
export function makeMatcher(program: Program): (text: string) => boolean {
  const size = program.ops.length;
  const scratch: Scratch = {
    program,
    codes: [],
    seen: new Int32Array(size),
    states: new Uint32Array(size),
    next: new Uint32Array(size),
    stack: new Uint32Array(size + 1),
  };
  return (text) => {
    scratch.codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
    return run(scratch);
  };
}

function run(scratch: Scratch): boolean {
  const { codes, seen } = scratch;
  seen.fill(NONE);
  scratch.next[0] = 0;
  let count = follow(scratch, 1, 0);
  for (let at = 0; at < codes.length && count > 0; at++) {
    count = follow(scratch, read(scratch, count, codes[at] ?? NONE), at + 1);
  }
  const end = scratch.program.ops.length - 1;
  return seen[end] === codes.length;
}

/** Lets every state read a character. Puts the successors of those that match into `next` and returns their number. */
function read({ program, states, next }: Scratch, count: number, code: number): number {
  const { ops, first, sets } = program;
  let taken = 0;
  for (let index = 0; index < count; index++) {
    const state = states[index] ?? 0;
    const operand = first[state] ?? 0;
    const set = ops[state] === OP.set ? sets[operand] : undefined;
    if (set ? hasCode(set, code) : operand === code) next[taken++] = state + 1;
  }
  return taken;
}

/** Puts every instruction reached from `next` without reading a character into `states` and returns their number. */
function follow({ program, codes, seen, states, next, stack }: Scratch, starts: number, at: number): number {
  const { ops, first, second } = program;
  let count = 0;
  let depth = 0;
  for (let index = 0; index < starts; index++) {
    stack[depth++] = next[index] ?? 0;
    while (depth > 0) {
      const pc = stack[--depth] ?? 0;
      if (seen[pc] === at) continue;
      seen[pc] = at;
      const op = ops[pc] ?? 0;
      if (op <= OP.set) states[count++] = pc;
      else if (op <= OP.jump) {
        // Pushes at most one entry more than was popped, so the stack never outgrows the program.
        if (op === OP.split) stack[depth++] = second[pc] ?? 0;
        stack[depth++] = first[pc] ?? 0;
      } else if (op === OP.assert && holdsBetween(first[pc] ?? 0, codes[at - 1] ?? NONE, codes[at] ?? NONE)) {
        stack[depth++] = pc + 1;
      }
    }
  }
  return count;
}

/** True if an assertion holds between two characters; a negative code is no character. */
export function holdsBetween(assertion: number, before: number, after: number): boolean {
  switch (ASSERTIONS[assertion]) {
    case "text_start":
      return before === NONE;
    case "text_end":
      return after === NONE;
    case "line_start":
      return before === NONE || before === NEWLINE;
    case "line_end":
      return after === NONE || after === NEWLINE;
    case "word_edge":
      return isWord(before) !== isWord(after);
    default:
      return isWord(before) === isWord(after);
  }
}

function isWord(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}
