/**
 * How unlikely each pair of characters is in the names and words of source code and prose, in half bits, as base-36
 * digits: a row for the first character, a column for the second. The letters come first, in any case, then all digits
 * together, then everything else. Counted over the identifiers of three large code bases (Go, TypeScript, Python).
 */
const PAIRS = [
  "ha88ie9kbke687l9m685bdfddigb",
  "6eae6fef79i6ef8dl99f7hik9ie8",
  "7gcf6ff7bn78dg5el9b6afjkene9",
  "7dd94ddh6hiade8dja9caffhdle6",
  "9e98cbcieli8a7fbd667gcd9dmg7",
  "8hdd98fi5nl8fd7em9aa9likdnd4",
  "afcf4fca8ljac98dm78baghmiid6",
  "5fed4gih7lhebg6ei9a8biglele7",
  "bc89ab9mjkh8946aka77kbndrbjc",
  "8hff4gifcicefg7dlj3e9daiijf7",
  "9ecc3dbh7khbcbdcic8dagcfgia6",
  "7fea57gh5lg8gg6eme999eimblf8",
  "5aec4gij8mhcaf76mf9daikkflf8",
  "7g877a7h9kddec8clf75bbihhlg8",
  "cb88gcdkcic884a8r6a98cahjlia",
  "5hcc5egc9oe8fg79j6b8aghlane8",
  "fffefeihflk9gfifdaad1ggjjic6",
  "7gab4eai7ocdbb7em988bdhmbnf7",
  "ah9f5fga8lecef9ahe859hfjale6",
  "7gbe5eh86niddg8cm79achff9jc6",
  "b9bc7bcl9pm786e8n776jimfpjce",
  "4gcf3deh6nlfdfbcjfcehgfgjla9",
  "6fdd7ega5mgce96dk68cfgcfmkf7",
  "af8d8chg9meecfd5jed5gdhddk65",
  "cdbcbeegclia78d4id67gfckhfe5",
  "6gge2fhg8lhfeg6gkfeffighcac7",
  "ggghegjkjikihjjhnjghijkbon17",
  "8a7999ac8eda9aa8g878bbbgjgb7",
].map((row) => Float64Array.from(row, (half) => Number.parseInt(half, 36) / 2));

const DIGIT = 26;
const OTHER = 27;
/** Bits for a lower-case and an upper-case letter, after a lower-case letter, an upper-case one or neither. */
const CASES = [
  [0.08, 4.25],
  [1.01, 0.99],
  [0.38, 2.12],
] as const;
/** Bits for a digit, after another digit and after anything else: numbers repeat and count up. */
const AFTER_DIGIT = 2;
const AFTER_OTHER = Math.log2(10);
/** Bits added for a character that is neither a letter nor a digit; names have few. */
const SEPARATOR = 1;

/** The maximum number of characters that are examined; a longer text is judged by its beginning. */
const MOST = 256;

/**
 * How much less likely the text from `start` up to `end` is as words than as random characters, in bits per character:
 * below 0 for names and words (`requiredCharacteristicTypes`: -1.4), 2 to 3 for random tokens. Of random tokens of 16
 * letters and digits in both cases, one in a hundred is below 0.9 and one in a thousand below 0.3; of 32, one in a
 * thousand is below 1. Of the names in source code with 16 or more characters nine in ten are below 0.1. It says little
 * about hexadecimal text, which has too few letters: see {@link isRandomHex}. Looks at 256 characters at most.
 */
export function randomness(text: string, start: number, end: number): number {
  const last = Math.min(end, start + MOST);
  let asWords = 0;
  let before = -1;
  let caseBefore = 2;
  let [lower, upper, digit, other] = [0, 0, 0, 0];
  for (let at = start; at < last; at++) {
    const code = text.charCodeAt(at);
    const isUpper = code >= 0x41 && code <= 0x5a;
    const isLower = code >= 0x61 && code <= 0x7a;
    const column = isUpper ? code - 0x41 : isLower ? code - 0x61 : code >= 0x30 && code <= 0x39 ? DIGIT : OTHER;
    const isLetter = isUpper || isLower;
    if (isUpper) upper = 26;
    else if (isLower) lower = 26;
    else if (column === DIGIT) digit = 10;
    else other = 2;
    if (before >= 0) {
      asWords += PAIRS[before]?.[column] ?? 0;
      if (isLetter) asWords += CASES[caseBefore]?.[isUpper ? 1 : 0] ?? 0;
      else asWords += column === OTHER ? SEPARATOR : before === DIGIT ? AFTER_DIGIT : AFTER_OTHER;
    }
    before = column;
    caseBefore = isLetter ? Number(isUpper) : 2;
  }
  const pairs = last - start - 1;
  if (pairs < 1) return 0;
  return asWords / pairs - Math.log2(lower + upper + digit + other);
}

/** A random text of 16 hexadecimal characters has fewer different ones less than once in a million times. */
const FEWEST_DIFFERENT = 5;

/**
 * True if hexadecimal text from `start` up to `end` can be random: it has letters and digits, and enough different
 * ones. Of 32 random characters, three in ten million have no letter or no digit; numbers and words such as `deadbeef`
 * do.
 */
export function isRandomHex(text: string, start: number, end: number): boolean {
  const seen = new Set<number>();
  let hasDigit = false;
  let hasLetter = false;
  for (let at = start; at < Math.min(end, start + MOST); at++) {
    const code = text.charCodeAt(at);
    seen.add(code | 0x20);
    if (code <= 0x39) hasDigit = true;
    else hasLetter = true;
  }
  return hasDigit && hasLetter && seen.size >= FEWEST_DIFFERENT;
}
