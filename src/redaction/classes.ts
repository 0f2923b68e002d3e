const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const ALNUM = DIGITS + LOWER + UPPER;
const SPACE = " \t\r\n\f\v";

/** A set of characters: one flag per ASCII code, and a last one for every other character. */
export type CharacterClass = Uint8Array;

/** The index in a {@link CharacterClass} of the flag for all characters outside ASCII. */
export const OTHER = 128;

const holding = (characters: string): CharacterClass => {
  const flags = new Uint8Array(OTHER + 1);
  for (let at = 0; at < characters.length; at++) flags[characters.charCodeAt(at)] = 1;
  return flags;
};

const allBut = (characters: string): CharacterClass => holding(characters).map((flag) => 1 - flag);

/** The alphabets of rules, by their names in patterns. */
export const CLASSES = {
  digit: holding(DIGITS),
  hex: holding(`${DIGITS}abcdefABCDEF`),
  lower: holding(LOWER),
  alpha: holding(LOWER + UPPER),
  upnum: holding(DIGITS + UPPER),
  lownum: holding(DIGITS + LOWER),
  alnum: holding(ALNUM),
  /** The characters of names in source code. */
  word: holding(`${ALNUM}_`),
  /** Alphanumeric and the hyphen. */
  dashed: holding(`${ALNUM}-`),
  url: holding(`${ALNUM}_-`),
  urldot: holding(`${ALNUM}_-.`),
  urleq: holding(`${ALNUM}_-=`),
  urldoteq: holding(`${ALNUM}_-.=`),
  /** Base64 without and with its padding, and with both alphabets. */
  b64: holding(`${ALNUM}+/`),
  b64pad: holding(`${ALNUM}+/=`),
  b64any: holding(`${ALNUM}+/=_-`),
  /** Both alphabets of base64, and the escape of a slash. */
  slashed: holding(`${ALNUM}+/\\_-`),
  eq: holding("="),
  aad: holding(`${ALNUM}_~.`),
  aadtail: holding(`${ALNUM}_~.-`),
  bech32: holding("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
  /** Percent-encoded text inside a query. */
  encoded: holding(`${ALNUM}%+/_-`),
  /** The path of a URL that is a credential. */
  path: holding(`${ALNUM}+/_-`),
  /** Characters between the name of an entry and its value. */
  gap: holding(`${SPACE}"'\\:=|>-`),
  /** The user part of a URL. */
  user: allBut(`${SPACE}:/?#@"'\`<>\\[]`),
  /** The password part of a URL. */
  password: allBut(`${SPACE}@"\``),
  /** Characters that may follow the `@` of a URL, including `@`: only the last `@` is not part of the password. */
  hosts: holding(`${ALNUM}._~!$&*+=%-@`),
} as const satisfies Record<string, CharacterClass>;

/** The name of an alphabet. */
export type ClassName = keyof typeof CLASSES;

/** True if the character with this code is in the class; false for NaN, the code past the end of a text. */
export function holds(table: CharacterClass, code: number): boolean {
  return table[Math.min(code, OTHER)] === 1 && code >= 0;
}

/** The class of the characters in a text, added to `base`. */
export function classOf(characters: string, base: CharacterClass = new Uint8Array(OTHER + 1)): CharacterClass {
  const table = base.slice();
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

/** The end of a run of at most `most` characters of a class. */
export function skip(text: string, table: CharacterClass, start: number, most: number): number {
  let at = start;
  while (at - start < most && holds(table, text.charCodeAt(at))) at++;
  return at;
}

/** The start of the run of at most `most` characters of a class that ends at `end`. */
export function skipBack(text: string, table: CharacterClass, end: number, most: number): number {
  let at = end;
  while (end - at < most && holds(table, text.charCodeAt(at - 1))) at--;
  return at;
}
