import { escapeCharacter } from "./escape-controls.ts";

/** Letters of scripts and blocks that have look-alikes of Latin letters. */
const OTHER_LETTERS =
  "\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Armenian}\\p{Script=Cherokee}\\p{Script=Coptic}\\p{Script=Lisu}" +
  "\\u0250-\\u02af\\u1d00-\\u1dbf\\u2100-\\u218f\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a\\u{1d400}-\\u{1d7ff}";
const OTHER_LETTER = new RegExp(`[${OTHER_LETTERS}]`, "gu");

/** Those of them that look like a Latin letter or a digit: confusables of Unicode Technical Standard 39. */
const LOOK_ALIKE_WORD = new RegExp(
  "^[аԁеһіјӏорԛгѕсԝхуАВЕЅЗІЈКМНОРСТХҮԌԜոսցօզհյվԱՍՏՕαγικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧͺϳᎪᎬᎳᏔᏟ" +
    "\\u0250-\\u02af\\u1d00-\\u1dbf\\u2100-\\u218f\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a\\u{1d400}-\\u{1d7ff}0-9_]+$",
  "u",
);

const WORD = /[\p{L}\p{N}\p{M}_]+/gu;

/** Spaces that shells and parsers do not treat as spaces. */
const ODD_BLANKS = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/gu;

/** Punctuation that looks like dashes, slashes, quotes, colons, dots and bars of ASCII; full-width forms. */
const ODD_PUNCTUATION = new RegExp(
  "[\\u00b4\\u01c3\\u02b9-\\u02bf\\u02c8\\u02d0\\u02d7\\u037e\\u0589\\u05c3\\u2010-\\u201f\\u2024\\u2032-\\u203a" +
    "\\u2044\\u204e\\u2052\\u2212\\u2215-\\u2217\\u2219\\u2223\\u2236\\u223c\\u2571\\u2758\\u27cb\\u27cd\\u29f5\\u29f8" +
    "\\u29f9\\ua789\\ufe52-\\ufe6b\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff5e]",
  "gu",
);

const JOINERS = /[\u200c\u200d]+/gu;

/** Variation selectors on ASCII (but U+20E3 makes a keycap of a digit), and combining marks on spaces and punctuation. */
const IDLE_MARKS = /(?<=[ -~])[\ufe00-\ufe0f]+(?!\u20e3)|(?<=[ !-/:-@[-`{-~])\p{M}+/gu;

/** How to read a text: every character counts in a command, a path or a URL; prose may use the letters it likes. */
export type Strictness = "strict" | "prose";

/**
 * Escapes characters that a reader mistakes for others or does not see: letters of other scripts inside words with Latin
 * letters, and joiners beside ASCII. With `strict`, also whole words of such look-alikes, and spaces and punctuation
 * that are not what they seem. Control characters must be escaped already; line ends and tabs stay.
 */
export function revealCharacters(text: string, strictness: Strictness): string {
  if (/^[\t\n -~]*$/.test(text)) return text;
  const words = text
    .replace(JOINERS, revealJoiners)
    .replace(IDLE_MARKS, escapeAll)
    .replace(WORD, (word) => revealWord(word, strictness));
  return strictness === "prose" ? words : words.replace(ODD_BLANKS, escapeAll).replace(ODD_PUNCTUATION, escapeAll);
}

/** Escapes joiners beside ASCII, where they join nothing. */
function revealJoiners(joiners: string, at: number, text: string): string {
  const beside = (text[at - 1] ?? "") + (text[at + joiners.length] ?? "");
  return /[ -~]/.test(beside) ? escapeAll(joiners) : joiners;
}

function revealWord(word: string, strictness: Strictness): string {
  const isOdd = /[A-Za-z]/.test(word) || (strictness === "strict" && LOOK_ALIKE_WORD.test(word));
  return isOdd ? word.replace(OTHER_LETTER, escapeAll) : word;
}

function escapeAll(characters: string): string {
  return Array.from(characters, escapeCharacter).join("");
}
