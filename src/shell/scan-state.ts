import type { Variables } from "./variables.ts";
import type { CommandRange, Redirect, SimpleCommand } from "./word.ts";

/** A command line taken apart by the grammar that POSIX shells share. */
export interface ParsedLine {
  /** Every simple command, also those in groups and substitutions. */
  commands: SimpleCommand[];
  /** Names of the variables that are expanded. */
  variables: Set<string>;
  /**
   * sh, bash, dash, ksh, zsh and fish all run exactly these commands. False for functions, loops over names, `case`,
   * arithmetic, and expansions that can evaluate code.
   */
  exact: boolean;
  /** The grammar does not fit: `commands` may lack what a shell would run. */
  opaque: boolean;
  /** The line is more than one simple command: something separates, groups or substitutes. */
  compound: boolean;
}

/** A here-document that begins behind the next line end. */
export interface PendingDocument {
  delimiter: string;
  /** Leading tabs do not count (`<<-`). */
  strips: boolean;
  /** The delimiter is quoted: nothing in the text expands. */
  quoted: boolean;
  redirect: Redirect;
  /** The command that reads it. */
  command: SimpleCommand;
}

/** How far a text is read. Scanners share one while they work on it. */
export interface ScanState {
  readonly text: string;
  at: number;
  /** How many groups and substitutions are open. */
  depth: number;
  readonly line: ParsedLine;
  documents: PendingDocument[];
  /** The commands that feed those which are read now. */
  fed: CommandRange | undefined;
  /** Inside double brackets. */
  arithmetic: boolean;
  /** Values that the line assigns; with these, expansions are replaced where their values are known. */
  readonly variables?: Variables;
  /** Reads commands up to a closing bracket, or to the end of the text. */
  readonly takeCommands: (state: ScanState, close?: ")") => void;
}

/** Deeper nesting is opaque: it must not exhaust the stack. */
export const MAX_DEPTH = 60;

/** Notes syntax that the scanner does not follow. */
export function markOpaque(state: ScanState): void {
  state.line.exact = false;
  state.line.opaque = true;
}

/** Takes what a sticky expression finds at the reading place. */
export function takeMatch(state: ScanState, expression: RegExp): string | undefined {
  expression.lastIndex = state.at;
  const found = expression.exec(state.text)?.[0];
  if (found !== undefined) state.at += found.length;
  return found;
}

/** Runs a scanner one level deeper; beyond the limit the rest of the text is opaque. */
export function nest(state: ScanState, scan: (state: ScanState) => void): void {
  if (state.depth >= MAX_DEPTH) {
    markOpaque(state);
    state.at = state.text.length;
    return;
  }
  state.depth++;
  scan(state);
  state.depth--;
}
