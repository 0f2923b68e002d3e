import type { Variables } from "./variables.ts";
import type { CommandRange, Redirect, SimpleCommand, Subshell } from "./word.ts";

/** A command line parsed by the grammar that POSIX shells share. */
export interface ParsedLine {
  /** Every simple command, including those in groups and substitutions. */
  commands: SimpleCommand[];
  /** Names of the variables that are expanded. */
  variables: Set<string>;
  /**
   * True if sh, bash, dash, ksh, zsh and fish all run exactly these commands. False for functions, loops over names,
   * `case`, arithmetic, and expansions that can evaluate code.
   */
  exact: boolean;
  /** True if the grammar does not fit: `commands` may lack what a shell would run. */
  opaque: boolean;
  /** The bodies of the functions that it defines, by name; only if the parser keeps patterns. */
  functions: Map<string, string>;
  /** True if the line is more than one simple command: something separates, groups or substitutes. */
  compound: boolean;
}

/** A here-document that starts after the next line end. */
export interface PendingDocument {
  delimiter: string;
  /** True if leading tabs are removed (`<<-`). */
  strips: boolean;
  /** True if the delimiter is quoted: nothing in the text expands. */
  quoted: boolean;
  redirect: Redirect;
  /** The command that reads it. */
  command: SimpleCommand;
}

/** The position of the scanners in a text, and what they have found. They share one state. */
export interface ScanState {
  readonly text: string;
  at: number;
  /** The number of open groups and substitutions. */
  depth: number;
  readonly line: ParsedLine;
  documents: PendingDocument[];
  /** The commands that feed those being read. */
  fed: CommandRange | undefined;
  /** Functions whose body is being read: where it starts, and its first command. */
  defining: { name: string; start: number; from: number }[];
  /** True inside double brackets. */
  arithmetic: boolean;
  /** The shell that runs the commands being read. */
  shell: Subshell;
  /** Values that the line assigns. With these, expansions are replaced where their values are known. */
  readonly variables?: Variables;
  /** Reads commands up to a closing bracket, or to the end of the text. */
  readonly takeCommands: (state: ScanState, close?: ")") => void;
}

/** Deeper nesting makes the line opaque, so that it cannot exhaust the stack. */
export const MAX_DEPTH = 60;

/** Records syntax that the scanner does not understand. */
export function markOpaque(state: ScanState): void {
  state.line.exact = false;
  state.line.opaque = true;
}

/** Reads what a sticky expression matches at the current position. */
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
  const { shell } = state;
  state.depth++;
  state.shell = { parent: shell };
  scan(state);
  state.shell = shell;
  state.depth--;
}
