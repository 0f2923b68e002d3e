import { type CharSet, hasCode } from "./character-sets.ts";
import { parsePattern } from "./parse-pattern.ts";
import { ASSERTIONS, compileProgram, OP, type Program } from "./program.ts";

/** The text beside an assertion: none, or one of three kinds of character. */
const KINDS = ["none", "newline", "word", "other"] as const;

type Kind = (typeof KINDS)[number];

const NEWLINE = 0x0a;
const LAST_CODE = 0x10ffff;

/** A position in a match: the next instruction, and the kinds of the characters before and after it. */
interface Position {
  at: number;
  before: Kind;
  after: Kind;
}

/**
 * True if there is a text in which the regular expression matches somewhere. `a^b` and `[^\x00-\x{10FFFF}]` match in
 * none. Exact, because assertions depend only on the kinds of the characters beside them. Throws a `PatternError` if the
 * expression is invalid.
 */
export function canMatch(expression: string): boolean {
  const program = compileProgram(parsePattern(`(?s:.*)(?:${expression})(?s:.*)`));
  const kindsOf = program.sets.map(kindsOfSet);
  const open = KINDS.map((after): Position => ({ at: 0, before: "none", after }));
  const seen = new Set<string>();
  for (let position = open.pop(); position; position = open.pop()) {
    const key = `${position.at} ${position.before} ${position.after}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (program.ops[position.at] === OP.match && position.after === "none") return true;
    open.push(...successors(program, position, kindsOf));
  }
  return false;
}

function successors(program: Program, position: Position, kindsOf: readonly ReadonlySet<Kind>[]): Position[] {
  const { at, before, after } = position;
  const [first, second] = [program.first[at] ?? 0, program.second[at] ?? 0];
  switch (program.ops[at]) {
    case OP.split:
      return [
        { ...position, at: first },
        { ...position, at: second },
      ];
    case OP.jump:
      return [{ ...position, at: first }];
    case OP.assert:
      return holds(first, before, after) ? [{ ...position, at: at + 1 }] : [];
    case OP.char:
      return kindOf(first) === after ? afterReading(position) : [];
    case OP.set:
      return kindsOf[first]?.has(after) ? afterReading(position) : [];
    default:
      return [];
  }
}

/** The position after a character, with a guess of every kind for the next one. */
function afterReading({ at, after }: Position): Position[] {
  return KINDS.map((next) => ({ at: at + 1, before: after, after: next }));
}

function holds(assertion: number, before: Kind, after: Kind): boolean {
  switch (ASSERTIONS[assertion]) {
    case "text_start":
      return before === "none";
    case "text_end":
      return after === "none";
    case "line_start":
      return before === "none" || before === "newline";
    case "line_end":
      return after === "none" || after === "newline";
    case "word_edge":
      return (before === "word") !== (after === "word");
    default:
      return (before === "word") === (after === "word");
  }
}

function kindOf(code: number): Kind {
  if (code === NEWLINE) return "newline";
  return code < 128 && /\w/.test(String.fromCharCode(code)) ? "word" : "other";
}

function kindsOfSet(set: CharSet): ReadonlySet<Kind> {
  const kinds = new Set<Kind>();
  for (let code = 0; code <= LAST_CODE && kinds.size < KINDS.length - 1; code++) {
    // Beyond ASCII every character is of the same kind.
    if (code >= 128 && kinds.has("other")) break;
    if (hasCode(set, code)) kinds.add(kindOf(code));
  }
  return kinds;
}
