import { isShell, programName, startedBy } from "./launchers.ts";
import { parseCommandLine } from "./scan-commands.ts";
import { mayVanish } from "./scan-word.ts";
import type { SimpleCommand, Word } from "./word.ts";

/** When a program reads commands from its terminal. */
interface Prompt {
  /** The number of operands with which it still does; by default none. */
  operands?: number;
  /** Short options that take a value, as letters. */
  valued?: string;
  /** Options with which it runs what the command line says, and ends. */
  batch?: RegExp;
}

const EDITOR: Prompt = { operands: Infinity, batch: /^-[eE]?s$|^--batch$|^-batch$|^--headless$|^--version$/ };
const DATABASE: Prompt = {
  operands: 2,
  valued: "cdfFhLopPRTUvu",
  batch: /^-[cfleV]|^--(?:command|file|list|execute|version|help|eval)/,
};
const LANGUAGE: Prompt = { batch: /^-(?:[cemprvV]|n[el]|-version|-help|-eval|-print|-check)/ };

/** Programs that read commands, besides shells. */
const PROMPTS: readonly [names: RegExp, prompt: Prompt][] = [
  [/^(?:i?python|pypy)[\d.]*$/, { valued: "WXQ", batch: /^-(?:[cmVh]|-version|-help)/ }],
  [
    /^(?:node|nodejs|ruby|perl|lua[\d.]*|php|julia|r|rscript|ghci?|ocaml|swift|scala|racket|guile|sbcl|tclsh)$/i,
    LANGUAGE,
  ],
  [/^(?:irb|pry|erl|iex|clisp|bpython|ptpython|jshell|sftp)$/, EDITOR],
  [/^(?:psql|mysql|mariadb|sqlite3|mongosh?|redis-cli|duckdb)$/, DATABASE],
  [/^(?:gdb|lldb|pdb|vim?|nvim|view|ex|ed|emacs|nano|pico|micro)$/, EDITOR],
  [/^(?:screen|tmux|script)$/, { operands: 0, batch: /^-(?:[cdl]|-command)|^-[a-zA-Z]*c/ }],
  [/^ssh$/, { operands: 1, valued: "BbcDEeFIiJLlmOopQRSWw", batch: /^-[fGNOQVWn]/ }],
  [/^su$/, { operands: 2, valued: "gGsw", batch: /^-c|^--command|^--session-command/ }],
];

/** Deeper nesting of code in options is not read. */
const MAX_DEPTH = 4;

/**
 * Returns the program of a command line that reads commands from a terminal: a shell without a script, a REPL, `ssh`
 * without a command. What is typed into it later is no command line that anyone could judge. Undefined if there is none.
 */
export function promptOf(text: string, depth = 0): string | undefined {
  for (const command of parseCommandLine(text).commands) {
    const found = promptIn(command, depth);
    if (found !== undefined) return found;
  }
  return undefined;
}

function promptIn(command: SimpleCommand, depth: number): string | undefined {
  if (readsFile(command)) return undefined;
  const { words } = command;
  const { programs, code, reads } = startedBy(words, mayVanish);
  for (const at of programs) {
    const name = programName(words[at]) ?? "";
    const rest = words.slice(at + 1);
    if (isShell(name) ? reads && isBare(rest) : isPrompt(name, rest)) return name;
    if (isRaised(name, rest) || isContainer(name, rest)) return name;
  }
  if (depth >= MAX_DEPTH) return undefined;
  const texts = [...code.map((parts) => parts.map(({ text }) => text).join(" ")), ...remote(words)];
  return texts.map((each) => promptOf(each, depth + 1)).find((found) => found !== undefined);
}

/** True if the command's input is a pipe, a file or a text of the line. */
function readsFile({ redirects, fed }: SimpleCommand): boolean {
  const input = redirects.findLast(({ operator }) => operator.startsWith("<"));
  return input === undefined ? fed !== undefined : !/^\/dev\/(?:tty|stdin|pts|fd\/0)/.test(input.target.text);
}

function isBare(words: readonly Word[]): boolean {
  return !words.some(({ text }) => /^-\w*c|^--(?:version|help)$/.test(text));
}

function isPrompt(name: string, words: readonly Word[]): boolean {
  const prompt = PROMPTS.find(([names]) => names.test(name))?.[1];
  if (prompt === undefined || words.some(({ text }) => prompt.batch?.test(text))) return false;
  return operandsOf(words, prompt.valued).length <= (prompt.operands ?? 0) || words.some(({ text }) => text === "-i");
}

function operandsOf(words: readonly Word[], valued = ""): Word[] {
  const operands: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (!word.text.startsWith("-")) operands.push(word);
    else if (/^-\w$/.test(word.text) && valued.includes(word.text.charAt(1))) at++;
  }
  return operands;
}

/** True for `sudo -i` and `sudo -s` without a command. */
function isRaised(name: string, words: readonly Word[]): boolean {
  const isShellAsked = words.some(({ text }) => /^-\w*[is]|^--(?:login|shell)$/.test(text));
  return /^(?:sudo|doas)$/.test(name) && isShellAsked && operandsOf(words, "ugpC").length === 0;
}

/** True for `docker exec -it NAME sh` and the like. */
function isContainer(name: string, words: readonly Word[]): boolean {
  if (!/^(?:docker|podman|nerdctl|kubectl|oc|lxc|machinectl|distrobox|toolbox|wsl|nix-shell|vagrant)$/.test(name))
    return false;
  const last = programName(words.at(-1)) ?? "";
  return (
    words.some(({ text }) => /^-\w*[it]|^--(?:interactive|tty|stdin)/.test(text)) &&
    (isShell(last) || isPrompt(last, []))
  );
}

/** The command that `ssh` runs elsewhere. */
function remote(words: readonly Word[]): string[] {
  if (programName(words[0]) !== "ssh") return [];
  const [, ...command] = operandsOf(words.slice(1), "BbcDEeFIiJLlmOopQRSWw");
  return command.length === 0 ? [] : [command.map(({ text }) => text).join(" ")];
}
