import type { Assertion, Node } from "./pattern-syntax.ts";
import { PatternError } from "./pattern-syntax.ts";
import type { CharSet } from "./sets.ts";

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
}

/**
 * Compiles a pattern to a Thompson automaton. Throws a {@link PatternError} if matching a name of 256 characters could
 * take too long. Only instructions that can be reached after many different numbers of characters are expensive: a
 * thousand alternative names are cheap.
 */
export function compileProgram(node: Node): Program {
  const draft: Draft = { ops: [], first: [], second: [], sets: [], setIndex: new Map(), work: 0 };
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
  if (draft.work > MAX_WORK || at >= MAX_INSTRUCTIONS) throw new PatternError("pattern is too large", 0);
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
