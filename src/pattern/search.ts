import { hasCode, makeSet } from "./character-sets.ts";
import { type Node, parsePattern } from "./parse-pattern.ts";
import { ASSERTIONS, compileProgram, holdsBetween, OP, type Program } from "./program.ts";

/** Whether a text holds a match: whatever stands in its holes, depending on what stands there, or in no case. */
export type Found = "all" | "some" | "none";

const NEWLINE = 0x0a;
/** The "character" before the first and after the last one. */
const NONE = -1;
/** The "character" for a hole. */
const HOLE = -2;
const LAST_CODE = 0x10ffff;

/**
 * Compiles a regular expression that may match anywhere in a text. The syntax is that of `compilePattern`. The character
 * `hole` in a text stands for any text. A search takes time in proportion to the text. Throws a `PatternError`.
 */
export function compileSearch(expression: string, hole: string): (text: string) => Found {
  const anything: Node = {
    kind: "repeat",
    node: { kind: "set", set: makeSet([{ ranges: [0, LAST_CODE] }]) },
    min: 0,
    max: Number.POSITIVE_INFINITY,
  };
  const program = compileProgram({ kind: "sequence", parts: [anything, parsePattern(expression)] });
  const end = program.ops.length - 1;
  const loops = program.ops.map((_, at) => (isLoop(program, at) ? 1 : 0));
  return (text) => {
    const codes = Array.from(text, (char) => (char === hole ? HOLE : (char.codePointAt(0) ?? 0)));
    if (finds({ program, codes, end, loops, certain: true })) return "all";
    return text.includes(hole) && finds({ program, codes, end, loops, certain: false }) ? "some" : "none";
  };
}

/** True at `.*`: the instruction reads any character, again and again. */
function isLoop({ ops, first, sets }: Program, at: number): boolean {
  const set = ops[at] === OP.set ? sets[first[at] ?? 0] : undefined;
  if (!set || ops[at + 1] !== OP.jump) return false;
  const split = first[at + 1] ?? 0;
  if (ops[split] !== OP.split || first[split] !== at) return false;
  return set.ascii.every((has) => has === 1) && hasCode(set, 0x80) && hasCode(set, LAST_CODE);
}

interface Run {
  program: Program;
  codes: readonly number[];
  end: number;
  loops: Uint8Array;
  /** True to count only what holds whatever stands in the holes. */
  certain: boolean;
}

function finds(run: Run): boolean {
  const { program, codes, end, loops, certain } = run;
  const seen = new Int32Array(program.ops.length).fill(-1);
  const blank = { start: codes.findIndex((code) => code !== HOLE), end: codes.findLastIndex((code) => code !== HOLE) };
  let states = follow(run, seen, [0], 0, blank);
  for (let at = 0; at < codes.length; at++) {
    if (seen[end] === at) return true;
    const code = codes[at] ?? NONE;
    let next: number[];
    if (code !== HOLE) next = states.filter((state) => reads(program, state, code)).map((state) => state + 1);
    else if (certain) next = states.filter((state) => loops[state] === 1).map((state) => state + 1);
    else next = [...states, ...reachable(run, states, at, blank)];
    states = follow(run, seen, next, at + 1, blank);
  }
  return seen[end] === codes.length;
}

function reads({ ops, first, sets }: Program, state: number, code: number): boolean {
  const operand = first[state] ?? 0;
  const set = ops[state] === OP.set ? sets[operand] : undefined;
  return set ? hasCode(set, code) : operand === code;
}

/** Where the texts without holes begin and end; -1 if there is none. */
interface Blank {
  start: number;
  end: number;
}

/** The instructions that read a character, and the end, reached from some without reading. */
function follow(run: Run, seen: Int32Array, starts: readonly number[], at: number, blank: Blank): number[] {
  const { ops, first, second } = run.program;
  const states: number[] = [];
  const open = starts.toReversed();
  for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
    if (seen[pc] === at) continue;
    seen[pc] = at;
    const op = ops[pc] ?? 0;
    if (op <= OP.set) states.push(pc);
    else if (op === OP.split) open.push(second[pc] ?? 0, first[pc] ?? 0);
    else if (op === OP.jump) open.push(first[pc] ?? 0);
    else if (op === OP.assert && holds(run, first[pc] ?? 0, at, blank)) open.push(pc + 1);
  }
  return states;
}

/** All instructions that some text in a hole leads to. */
function reachable(run: Run, states: readonly number[], at: number, blank: Blank): number[] {
  const { ops, first, second } = run.program;
  const seen = new Set<number>();
  const open = states.map((state) => state + 1);
  for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
    if (seen.has(pc)) continue;
    seen.add(pc);
    const op = ops[pc] ?? 0;
    if (op <= OP.set) open.push(pc + 1);
    else if (op === OP.split) open.push(second[pc] ?? 0, first[pc] ?? 0);
    else if (op === OP.jump) open.push(first[pc] ?? 0);
    else if (op === OP.assert) {
      const what = ASSERTIONS[first[pc] ?? 0];
      // Inside the hole at least one character has been read.
      if (what !== "text_start" && (what !== "text_end" || at > blank.end)) open.push(pc + 1);
    }
  }
  return [...seen];
}

function holds({ codes, certain }: Run, assertion: number, at: number, blank: Blank): boolean {
  const before = codes[at - 1] ?? NONE;
  const after = codes[at] ?? NONE;
  const what = ASSERTIONS[assertion];
  if (before === HOLE || after === HOLE) {
    if (what === "text_start") return at === 0 || (!certain && (blank.start === -1 || at <= blank.start));
    if (what === "text_end") return at === codes.length || (!certain && at > blank.end);
    if (what === "line_start" && before !== HOLE) return before === NONE || before === NEWLINE;
    if (what === "line_end" && after !== HOLE) return after === NONE || after === NEWLINE;
    return !certain;
  }
  return holdsBetween(assertion, before, after);
}
