import { type Dice, pick } from "./dice.ts";
import { type PlainWord, plainLine } from "./plain-words.ts";
import { type Keeps, type Spelling, splice } from "./spelling.ts";

/** Spellings of single words and of the blanks between them. */
export const WORD_SPELLINGS: readonly Spelling[] = [
  gap("several blanks", "posix", (dice) => " ".repeat(2 + dice(3))),
  gap("tab", "posix", (dice) => "\t".repeat(1 + dice(2))),
  gap("line continuation", "posix", () => " \\\n "),
  gap("$IFS", "posix", (dice) => pick(dice, ["${IFS}", "${IFS}${IFS}", " ${IFS}"]) ?? ""),
  gap("empty expansion between words", "posix", (dice) => pick(dice, [" $@ ", " ${_unset-} ", " $() "]) ?? ""),
  gap("redirection between words", "posix", (dice) => pick(dice, [" 2>&1 ", " 2>/dev/null "]) ?? ""),
  word("double quotes", "posix", (text) => `"${text}"`),
  word("single quotes", "posix", (text) => `'${text}'`),
  word("quotes inside a word", "posix", (text, dice) => {
    const at = inside(text, dice);
    return pick(dice, [
      `${text.slice(0, at)}''${text.slice(at)}`,
      `${text.slice(0, at)}""${text.slice(at)}`,
      `${text.slice(0, at)}"${text.slice(at, at + 1)}"${text.slice(at + 1)}`,
      `'${text.slice(0, at)}'${text.slice(at)}`,
    ]);
  }),
  word("backslash inside a word", "posix", (text, dice) => {
    const at = inside(text, dice);
    return `${text.slice(0, at)}\\${text.slice(at)}`;
  }),
  word("line continuation inside a word", "posix", (text, dice) => {
    const at = inside(text, dice);
    return `${text.slice(0, at)}\\\n${text.slice(at)}`;
  }),
  word("empty expansion inside a word", "posix", (text, dice) => {
    const at = inside(text, dice);
    return `${text.slice(0, at)}${pick(dice, ["$@", "${_unset-}", "$()", "``"])}${text.slice(at)}`;
  }),
  word("default value", "posix", (text) => `\${_unset-${text}}`),
  word("command substitution", "posix", (text, dice) =>
    pick(dice, [`$(printf %s ${text})`, ...(text.startsWith("-") ? [] : [`$(echo ${text})`, `\`echo ${text}\``])]),
  ),
  word("octal escapes", "posix", (text) => `$(printf '${codes(text, 8, "\\")}')`),
  word("ANSI-C quotes", "bash", (text) => `$'${codes(text, 16, "\\x")}'`),
  {
    name: "variable",
    keeps: "posix",
    respell: (line, dice) => {
      const found = pick(dice, plainLine(line).words);
      const name = ["_a", "_b", "_c"].find((each) => !line.includes(each));
      return found && name && `${name}=${found.text}; ${splice(line, found.from, found.to, `$${name}`)}`;
    },
  },
  {
    name: "all words quoted",
    keeps: "posix",
    respell: (line) =>
      plainLine(line).words.reduceRight<string | undefined>(
        (text, { from, to, text: inner }) => splice(text ?? line, from, to, `"${inner}"`),
        undefined,
      ),
  },
  {
    name: "brace expansion",
    keeps: "bash",
    respell: (line) => {
      const { words, isSimple } = plainLine(line);
      const fits = isSimple && words.length > 1 && words.every(({ text }) => !text.includes(","));
      return fits ? `{${words.map(({ text }) => text).join(",")}}` : undefined;
    },
  },
  program("absolute path", "machine", (name, dice) =>
    name.includes("/") ? undefined : `${pick(dice, ["/usr/bin/", "/bin/", "/usr/local/bin/"])}${name}`,
  ),
  program("looked-up path", "posix", (name) => (name.includes("/") ? undefined : `$(command -v ${name})`)),
  program("pattern in a path", "machine", (name, dice) => {
    if (name.includes("/") || name.length < 2) return undefined;
    const at = inside(name, dice);
    return `/usr/bin/${name.slice(0, at)}[${name.slice(at, at + 1)}]${name.slice(at + 1)}`;
  }),
  program("case of the program", "machine", (name, dice) =>
    pick(
      dice,
      [name.toUpperCase(), name.charAt(0).toUpperCase() + name.slice(1)].filter((other) => other !== name),
    ),
  ),
  program("suffix of the program", "machine", (name) => (/\.\w+$/.test(name) ? undefined : `${name}.exe`)),
];

/** A place after the first character, or before it if there is only one. */
function inside(text: string, dice: Dice): number {
  return text.length < 2 ? 0 : 1 + dice(text.length - 1);
}

function codes(text: string, radix: number, mark: string): string {
  const width = radix === 8 ? 3 : 2;
  return [...text].map((char) => mark + char.charCodeAt(0).toString(radix).padStart(width, "0")).join("");
}

function gap(name: string, keeps: Keeps, make: (dice: Dice) => string): Spelling {
  return {
    name,
    keeps,
    respell: (line, dice) => {
      const found = pick(dice, plainLine(line).gaps);
      return found && splice(line, found.from, found.to, make(dice));
    },
  };
}

function word(name: string, keeps: Keeps, make: (text: string, dice: Dice) => string | undefined): Spelling {
  return onWord(name, keeps, () => true, make);
}

function program(name: string, keeps: Keeps, make: (text: string, dice: Dice) => string | undefined): Spelling {
  return onWord(name, keeps, ({ isProgram }) => isProgram, make);
}

function onWord(
  name: string,
  keeps: Keeps,
  fits: (word: PlainWord) => boolean,
  make: (text: string, dice: Dice) => string | undefined,
): Spelling {
  return {
    name,
    keeps,
    respell: (line, dice) => {
      const found = pick(dice, plainLine(line).words.filter(fits));
      const made = found && make(found.text, dice);
      return made === undefined ? undefined : splice(line, found?.from ?? 0, found?.to ?? 0, made);
    },
  };
}
