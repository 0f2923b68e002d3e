import { type Env, processEnv } from "../lib/env.ts";
import { type GlobPiece, matchesPiece, parseGlob } from "../lib/files/glob.ts";
import { hasPosixSyntax } from "../lib/process/system-shell.ts";
import { BLANK, type CommandLine, type Running, readCommandLine, SOFT_BLANK, WRITE } from "./command-line.ts";
import { ANY_NAME, ANY_TEXT, isMark, MORE_WORDS, type Unit } from "./word.ts";

/** A position in a pattern on commands: a piece of a glob, or the blank between two words. */
type CommandPiece = GlobPiece | { kind: "blank" };

/** The pattern of a rule's `cmd=` condition. */
export interface CommandPattern {
  pieces: readonly CommandPiece[];
  /** True without wildcards: the pattern spells one command line. */
  literal: boolean;
}

/**
 * Compiles the glob of a `cmd=` condition. Any number of blanks separates words, quotes group as in a shell, and spaces
 * around redirections and separators are ignored.
 */
export function compileCommandPattern(glob: string): CommandPattern {
  const pieces = parseGlob(glob.toLowerCase());
  return { pieces: spaced(unquoted(pieces)), literal: pieces.every(({ kind }) => kind === "char") };
}

/** Calls {@link readCommandLine} for the shell that runs command lines in this process's environment plus `added`. */
export function readForShell(line: string, added: Env = {}): CommandLine {
  return readCommandLine(line, hasPosixSyntax({ ...processEnv(), ...added }) ? "posix" : "other");
}

/**
 * True if a shell may run a command that one of the patterns covers, as `permissions.deny` judges `shell:cmd=`: also
 * after assignments and launchers, in quotes, and where an expansion decides.
 */
export function mayRun(line: string, patterns: readonly string[]): boolean {
  const { running } = readForShell(line);
  return patterns
    .map(compileCommandPattern)
    .some((pattern) => running.some((command) => hitsCommand(pattern, command)));
}

/**
 * True if a shell runs only commands that the patterns cover, and writes to no file, as `permissions.allow` judges
 * `shell:cmd=`.
 */
export function runsOnly(line: string, patterns: readonly string[]): boolean {
  const compiled = patterns.map(compileCommandPattern);
  return runsEach(readForShell(line), (units) => compiled.some((pattern) => coversCommand(pattern, units)));
}

/** True if every command of a line is covered, and the line has one. */
export function runsEach({ commands }: CommandLine, covers: (units: readonly Unit[]) => boolean): boolean {
  return commands !== undefined && commands.length > 0 && commands.every(covers);
}

/** True if the pattern covers a whole command, whatever its expansions turn out to be. */
export function coversCommand({ pieces }: CommandPattern, units: readonly Unit[]): boolean {
  return matches(pieces, { units, starts: new Set([0]), ends: new Set([units.length]) }, "certain");
}

/** True if the pattern covers the command, or could, depending on its expansions. */
export function hitsCommand({ pieces }: CommandPattern, running: Running): boolean {
  // A pattern such as *secret* would match every argument that expands.
  const guesses = running.unknownProgram || pieces[0]?.kind === "char";
  return matches(pieces, running, guesses ? "possible" : "shown");
}

/** Removes quotes from the literal characters of a pattern. Unbalanced quotes are ordinary characters. */
function unquoted(pieces: readonly GlobPiece[]): CommandPiece[] {
  const result: CommandPiece[] = [];
  let quote = "";
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as GlobPiece;
    const char = piece.kind === "char" ? piece.char : "";
    if (char === "\\" && quote !== "'" && at + 1 < pieces.length) result.push(pieces[++at] as GlobPiece);
    else if ((char === "'" || char === '"') && (quote === "" || quote === char)) quote = quote === "" ? char : "";
    else result.push(quote === "" ? asBlank(piece) : piece);
  }
  return quote === "" ? result : pieces.map(asBlank);
}

function asBlank(piece: GlobPiece): CommandPiece {
  return piece.kind === "char" && /[ \t\n]/.test(piece.char) ? { kind: "blank" } : piece;
}

/**
 * Normalizes blanks: one between words, none at the ends, one around each redirection and separator. Drops the number
 * of a file descriptor.
 */
function spaced(pieces: readonly CommandPiece[]): CommandPiece[] {
  const result: CommandPiece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (piece.kind === "blank") {
      if (last && last.kind !== "blank") result.push(piece);
      continue;
    }
    const isRedirect = isChar(piece, /[<>]/);
    if (isRedirect && isChar(last, /\d/) && result.at(-2)?.kind === "blank") result.pop();
    else if (
      last &&
      last.kind !== "blank" &&
      last.kind !== "run" &&
      piece.kind !== "run" &&
      isChar(last, OPERATOR) !== isChar(piece, OPERATOR)
    ) {
      result.push({ kind: "blank" });
    }
    result.push(piece);
  }
  if (result.at(-1)?.kind === "blank") result.pop();
  return result;
}

const OPERATOR = /[<>;&|]/;

function isChar(piece: CommandPiece | undefined, expression: RegExp): boolean {
  return piece?.kind === "char" && expression.test(piece.char);
}

type Certainty =
  /** Expansions match only wildcards, and no wildcard matches a writing redirection. */
  | "certain"
  /** Expansions match only wildcards. */
  | "shown"
  /** An expansion matches whatever makes the pattern fit. */
  | "possible";

/** Runs a pattern over units as a set of states. The time is the product of both lengths. */
function matches(
  pieces: readonly CommandPiece[],
  { units, starts, ends }: Pick<Running, "units" | "starts" | "ends">,
  certainty: Certainty,
): boolean {
  let states = new Uint8Array(pieces.length + 1);
  let next = new Uint8Array(pieces.length + 1);
  for (let at = 0; at <= units.length; at++) {
    if (starts.has(at)) enter(states, pieces, 0);
    if (ends.has(at) && states[pieces.length]) return true;
    const unit = units[at]?.toLowerCase();
    if (unit === undefined) return false;
    next.fill(0);
    if (unit === SOFT_BLANK && certainty !== "certain") next.set(states);
    if (isMark(unit) && certainty === "possible") stepFreely(pieces, states, unit, next);
    else stepOver(pieces, states, unit, certainty, next);
    [states, next] = [next, states];
  }
  return false;
}

/** Marks a state and those reachable from it without reading a unit. */
function enter(states: Uint8Array, pieces: readonly CommandPiece[], state: number): void {
  for (let at = state; states[at] === 0; at++) {
    states[at] = 1;
    if (pieces[at]?.kind !== "run") return;
  }
}

function stepOver(
  pieces: readonly CommandPiece[],
  states: Uint8Array,
  unit: Unit,
  certainty: Certainty,
  next: Uint8Array,
): void {
  for (let state = 0; state < pieces.length; state++) {
    const piece = pieces[state];
    if (!states[state] || !piece) continue;
    if (piece.kind === "run") {
      if (unit !== WRITE || certainty !== "certain") enter(next, pieces, state);
    } else if (acceptsUnit(piece, unit, certainty)) enter(next, pieces, state + 1);
  }
}

/** Lets an expansion match whatever the pattern needs, within what it can expand to. */
function stepFreely(pieces: readonly CommandPiece[], states: Uint8Array, unit: Unit, next: Uint8Array): void {
  let reached = false;
  for (let state = 0; state <= pieces.length; state++) {
    const kind = pieces[state]?.kind;
    if (states[state] && (unit !== MORE_WORDS || kind === "run")) reached = true;
    if (states[state] || reached) enter(next, pieces, state);
    if (unit === MORE_WORDS && states[state] && kind === "blank") reached = true;
    else if ((unit === ANY_TEXT || unit === ANY_NAME) && kind === "blank") reached = false;
  }
}

function acceptsUnit(piece: CommandPiece, unit: Unit, certainty: Certainty): boolean {
  if (isMark(unit)) return false;
  if (unit === WRITE) return isChar(piece, />/);
  const isBlank = unit === BLANK || unit === SOFT_BLANK;
  if (piece.kind === "blank") return isBlank || (certainty !== "certain" && /^[ \t\n]$/.test(unit));
  return isBlank ? certainty !== "certain" && matchesPiece(piece, " ") : matchesPiece(piece, unit);
}
