/** A word of a command line without quotes, expansions or patterns. */
export interface PlainWord {
  text: string;
  from: number;
  to: number;
  /** True if it is the name of a program that the shell starts, not one of its own commands. */
  isProgram: boolean;
}

/** The parts of a command line that spellings may change. */
export interface PlainLine {
  words: readonly PlainWord[];
  /** The blanks between two plain words of one command. */
  gaps: readonly { from: number; to: number }[];
  /** True if the line is one simple command of plain words. */
  isSimple: boolean;
  /** True if the line has no here-document, comment or continued line, so that text may be appended. */
  isWhole: boolean;
}

/** Words with a meaning of their own in a shell's grammar; quoting them would change it. */
const RESERVED = new Set(
  "if then else elif fi do done case esac for while until in select function time coproc { } ! [[ ]]".split(" "),
);

/** Commands of the shell itself, which wrappers such as `env` cannot start. */
const BUILTIN = new Set(
  ". : [ alias bg break cd command continue declare eval exec exit export fc fg getopts hash history jobs kill let local popd pushd pwd read readonly return set shift shopt source test times trap type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);

const PLAIN = /^[\w./:=@%+,-]+$/;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** A command substitution inside double quotes, whose own quotes the pieces below do not see. */
const NESTED = /"[^"]*(?:\$\(|`)/;

/** A piece of a line: blanks, an operator, or a word with its quotes and expansions. */
const PIECE =
  /([ \t]+|\\\n)|(\n|&&|\|\||;;?|\|&?|&(?![>\d])|[()])|((?:\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|\$\{[^}]*\}|&?[<>][<>&|]*&?|[^\s;&|()'"`\\])+)|([^])/gy;

/** Finds the words of a command line that may be written differently. A line that is not understood has none. */
export function plainLine(line: string): PlainLine {
  const words: PlainWord[] = [];
  const gaps: { from: number; to: number }[] = [];
  let [atCommand, isSimple, last, blank, isTarget] = [true, true, -1, -1, false];
  if (NESTED.test(line)) return NOTHING;
  for (const match of line.matchAll(PIECE)) {
    const [piece, space, operator, word] = match;
    const from = match.index;
    if (space !== undefined) {
      blank = from;
      continue;
    }
    if (operator !== undefined) {
      [atCommand, isSimple, last] = [true, false, -1];
      continue;
    }
    if (word === undefined || word.includes("<<") || word.startsWith("#") || word.endsWith("$") || RESERVED.has(word))
      return NOTHING;
    const to = from + piece.length;
    const isPlain = PLAIN.test(word);
    const isAssignment = atCommand && ASSIGNMENT.test(word);
    if (!isPlain || isAssignment) isSimple = false;
    if (isPlain && !isAssignment && !isTarget) {
      if (last >= 0 && last === blank && blank >= 0) gaps.push({ from: blank, to: from });
      words.push({ text: word, from, to, isProgram: atCommand && !BUILTIN.has(word) });
    }
    last = isPlain && !isAssignment && !isTarget ? to : -1;
    if (!isAssignment && !isTarget && !/[<>]/.test(word)) atCommand = false;
    isTarget = /[<>&|]$/.test(word);
  }
  return { words, gaps, isSimple: isSimple && words.length > 0, isWhole: true };
}

const NOTHING: PlainLine = { words: [], gaps: [], isSimple: false, isWhole: false };
