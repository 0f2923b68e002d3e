import { type Dice, pick } from "./dice.ts";
import { type Spelling, splice } from "./spelling.ts";

/** Letters of other scripts that look like Latin ones, from the confusables of Unicode Technical Standard 39. */
const ALIKE: Readonly<Record<string, string>> = {
  a: "а",
  c: "с",
  d: "ԁ",
  e: "е",
  g: "ɡ",
  h: "һ",
  i: "і",
  j: "ј",
  l: "ⅼ",
  m: "ⅿ",
  n: "ո",
  o: "о",
  p: "р",
  q: "ԛ",
  r: "г",
  s: "ѕ",
  u: "ս",
  v: "ν",
  w: "ԝ",
  x: "х",
  y: "у",
};

/** Characters without a width: the zero-width space, joiners, the word joiner, the soft hyphen, a variation selector. */
const INVISIBLE = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f"];

/** Blanks that shells do not take for blanks. */
const BLANKS = ["\u00a0", "\u2003", "\u202f", "\u3000"];

/** Spellings that a reader takes for the original, and that a model or a normalization may turn back into it. */
export const LOOK_ALIKES: readonly Spelling[] = [
  atChar("look-alike letter", "[acdeghijlmnopqrsuvwxy]", (char) => ALIKE[char] ?? char),
  atChar("full-width letter", "[!-~]", wide),
  {
    name: "full-width word",
    keeps: "looks",
    respell: (text, dice) => {
      const found = pick(dice, [...text.matchAll(/[A-Za-z]{2,}/g)]);
      return found && splice(text, found.index, found.index + found[0].length, [...found[0]].map(wide).join(""));
    },
  },
  atChar("invisible character", "[A-Za-z]", (char, dice) => `${char}${pick(dice, INVISIBLE)}`),
  atChar("another blank", " ", (_char, dice) => pick(dice, BLANKS) ?? ""),
  atChar("another dash", "-", (_char, dice) => pick(dice, ["\u2010", "\u2011", "\u2013", "\u2212"]) ?? ""),
  atChar("another slash", "/", (_char, dice) => pick(dice, ["\u2044", "\u2215", "\uff0f"]) ?? ""),
];

function wide(char: string): string {
  return String.fromCharCode(char.charCodeAt(0) + 0xfee0);
}

function atChar(name: string, set: string, make: (char: string, dice: Dice) => string): Spelling {
  return {
    name,
    keeps: "looks",
    respell: (text, dice) => {
      const found = pick(dice, [...text.matchAll(new RegExp(set, "g"))]);
      return found && splice(text, found.index, found.index + 1, make(found[0], dice));
    },
  };
}
