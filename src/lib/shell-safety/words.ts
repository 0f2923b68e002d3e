/** A command line taken apart for classification. */
export interface CommandWords {
  /** The words of each simple command, without quotes and backslashes. */
  commands: readonly (readonly string[])[];
  /** An output redirection stands outside quotes, or might: a quote is left open. */
  overwrites: boolean;
}

const BOUNDARIES = new Set([";", "&", "|", "(", ")", "`", "\n", "<", ">"]);
const BLANKS = new Set([" ", "\t", "\r"]);

/**
 * Splits a command line at blanks and at whatever separates commands, inside quotes too: what is quoted here may be a
 * command line for another shell.
 */
export function splitCommands(text: string): CommandWords {
  const commands: string[][] = [[]];
  let word = "";
  let quote = "";
  let redirects = false;
  let unquoted = false;
  const endWord = () => {
    if (word !== "") commands.at(-1)?.push(word);
    word = "";
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\" && quote !== "'") {
      at++;
      const next = text[at] ?? "";
      if (next === "\n" || BLANKS.has(next)) endWord();
      else word += next;
      continue;
    }
    if ((char === "'" || char === '"') && (quote === "" || quote === char)) {
      quote = quote === "" ? char : "";
      continue;
    }
    if (char === ">") {
      redirects = true;
      unquoted ||= quote === "";
    }
    if (BLANKS.has(char)) endWord();
    else if (BOUNDARIES.has(char)) {
      endWord();
      commands.push([]);
    } else if (char !== "'" && char !== '"') word += char;
  }
  endWord();
  return {
    commands: commands.filter((words) => words.length > 0),
    overwrites: unquoted || (redirects && quote !== ""),
  };
}

/** One word of a simple command. */
export interface PlainWord {
  /** Without quotes and escapes. */
  text: string;
  /** The shell may put something else in its place: a variable, file names, alternatives. */
  expands: boolean;
}

/**
 * What may stand behind an active `$`: a plain variable. Everything longer (`${PWD@P}` in bash, `${(e)PWD}` and `$~PWD`
 * in zsh) can run a command that stands in a variable's value, such as the name of the directory.
 */
const PLAIN_VARIABLE = /(?:\w+(?!\[)\b|\{\w+\}|[-?#@*!$](?![\w[{])|[ \t]|$)/y;

/**
 * The words of a command line that is one simple command and nothing else; undefined for any other, and for one whose
 * expansions could run another.
 */
export function plainWords(command: string): PlainWord[] | undefined {
  // Whatever separates, substitutes or redirects rules the text out, quoted or not.
  if (/[;&|<>`\n\r]|\$\(/.test(command)) return undefined;
  const words: PlainWord[] = [];
  let word: PlainWord | undefined;
  let quote = "";
  for (let at = 0; at < command.length; at++) {
    let char = command[at] ?? "";
    if (quote === "" && (char === " " || char === "\t")) {
      if (word) words.push(word);
      word = undefined;
      continue;
    }
    word ??= { text: "", expands: false };
    if ((char === "'" || char === '"') && (quote === "" || quote === char)) {
      quote = quote === "" ? char : "";
      continue;
    }
    if (char === "$" && quote !== "'" && !isPlainVariable(command, at + 1, quote)) return undefined;
    // A subshell, a substitution of fish or PowerShell, or a qualifier by which zsh runs code.
    if (quote === "" && (char === "(" || char === ")")) return undefined;
    if (char === "\\" && (quote === "" || (quote === '"' && /["\\$]/.test(command[at + 1] ?? ""))))
      char = command[++at] ?? "";
    else word.expands ||= quote === "" ? /[$*?[{]/.test(char) : quote === '"' && char === "$";
    word.text += char;
  }
  if (quote !== "") return undefined;
  if (word) words.push(word);
  return words;
}

function isPlainVariable(command: string, at: number, quote: string): boolean {
  if (quote === '"' && command[at] === '"') return true; // a dollar sign that ends a quoted text stands for itself
  PLAIN_VARIABLE.lastIndex = at;
  return PLAIN_VARIABLE.test(command);
}
