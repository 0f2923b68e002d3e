import { decodeAnsi } from "./ansi.ts";

/** A command line split for classification. */
export interface CommandWords {
  /** The words of each simple command, without quotes and backslashes. */
  commands: readonly (readonly string[])[];
  /** True if there is an output redirection, perhaps a quoted one. */
  redirects: boolean;
}

const BOUNDARIES = new Set([";", "&", "|", "(", ")", "`", "\n", "<", ">"]);
const BLANKS = new Set([" ", "\t", "\r"]);

/**
 * Splits a command line at blanks and at command separators, also inside quotes: quoted text may be a command line for
 * another shell.
 */
export function splitCommands(text: string): CommandWords {
  const commands: string[][] = [[]];
  text = text.replace(/\\\n/g, "").replace(/\$'((?:[^'\\]|\\[^])*)'/g, (_all, inside: string) => decodeAnsi(inside));
  let word = "";
  let quote = "";
  let redirects = false;
  const endWord = () => {
    if (word !== "") commands.at(-1)?.push(word);
    word = "";
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\" && quote !== "'") {
      at++;
      const next = text[at] ?? "";
      if (BLANKS.has(next)) endWord();
      else word += next;
      continue;
    }
    if ((char === "'" || char === '"') && (quote === "" || quote === char)) {
      quote = quote === "" ? char : "";
      continue;
    }
    if (char === ">") redirects = true;
    if (BLANKS.has(char)) endWord();
    else if (BOUNDARIES.has(char)) {
      endWord();
      commands.push([]);
    } else if (char !== "'" && char !== '"') word += char;
  }
  endWord();
  return { commands: commands.filter((words) => words.length > 0), redirects };
}
