import type { Program } from "./program.ts";
import { ASSERTIONS, OP } from "./program.ts";
import { hasCode } from "./sets.ts";

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
      } else if (op === OP.assert && holds(first[pc] ?? 0, codes[at - 1] ?? NONE, codes[at] ?? NONE)) {
        stack[depth++] = pc + 1;
      }
    }
  }
  return count;
}

function holds(assertion: number, before: number, after: number): boolean {
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
