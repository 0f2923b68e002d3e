import { describe, expect, test } from "bun:test";
import { parseDocument } from "yaml";
import { hasNoRepeatedKeys } from "../../../src/config/yaml/repeated-keys.ts";

/** Common texts, for which the scan must avoid the slow parser. */
const CERTAIN = [
  "a: 1\nb: two words\nc:\n  d: [x, 'y', \"z\"]\n",
  "# comment: with a colon\na: b # c: d\n\n  # indented\nb: c#d\n",
  "- - a\n  - b\n- - c\n",
  "- a: 1\n  b: 2\n- a: 3\n",
  "a:\n- x\n- y\nb: 1\n",
  "a:\n  -\n    b: 1\n  - |\n    text\n",
  "a: |\n  key: 1\n  key: 2\n\n   deeper\nb: >-\n  folded\n  text\n",
  "a: |+\n  kept\n\n\nb: 1",
  "'it''s': 1\n\"a b\": 2\n",
  '{"a": {"b": [1, 2.5, true, null, "x\\n\\u00e9"]}, "c": {}}',
  '{\n  "a":1,\n  "b":[\n  ]\n}\n',
  "a: [\n    x, # one\n    y\n  ]\n",
  "a: {b: 1, c: [d]}\n",
  "a: {flags: --no-verify, command: npm test*, writes: [src/**, x(1).y], e: a=b~^}\n",
  "a: --force\nb: -r\n",
  "a: 1\r\nb:\r\n  - c\r\n",
  "emoji: \u{1F600} é\n",
  "10: a\n2: b\n",
  "model: openai/gpt-4o-mini\ntimeout: 30\ncooldown: 90s\nurl: https://example.com/a?b=c\n",
];

/** Texts that repeat a key, or that parsers read differently. */
const UNCERTAIN: Record<string, string> = {
  "a key twice": "a: 1\na: 2\n",
  "a key twice, far apart": `a: 1\n${Array.from({ length: 500 }, (_, index) => `k${index}: |\n  a: 1\n`).join("")}a: 2\n`,
  "a key twice, once in quotes": 'a: 1\n"a": 2\n',
  "a key twice, once with an escape": 'a: 1\n"\\u0061": 2\n',
  "a key twice, in single quotes": "it's: 1\n'it''s': 2\n",
  "a key twice in a list item": "- a: 1\n  b: 2\n  a: 3\n",
  "a key twice around a sequence": "a:\n- x\nb: 1\na: 2\n",
  "a key twice in braces": "x: {a: 1, a: 2}\n",
  "a key twice in braces over lines": 'x: {\n  a: 1,\n  "a": 2\n  }\n',
  "a key twice in JSON": '{"a": 1, "b": {"a": 1}, "a": 2}',
  "a number and its quoted text": '1: a\n"1": b\n',
  "a number in another base": "0x1: a\n",
  "a number with a leading zero": "01: a\n",
  "a key that is null": "null: a\n",
  "a key that is a tilde": "~: a\n",
  "a key that is true": "True: a\n",
  "a null key in braces": "{null: 1}",
  "a space before the colon": "a : 1\n",
  "a complex key": "? a\n: 1\n",
  "a list as a key": "[a, b]: 1\n",
  "an anchor": "a: &x 1\n",
  "an alias": "a: *x\n",
  "a merge key": "<<: {a: 1}\n",
  "a merge key in quotes": '"<<": {a: 1}\n',
  "a tag": "a: !!str 1\n",
  "a directive": "%YAML 1.1\n---\na: 1\n",
  "two documents": "a: 1\n---\nb: 2\n",
  "an end marker": "a: 1\n...\n",
  "a start marker": "---\na: 1\n",
  "a document marker in braces": "{\n---\n}",
  "a tab for indentation": "a:\n\tb: 1\n",
  "a plain scalar over lines": "a: b\n  c\n",
  "a quoted scalar over lines": 'a: "b\n  c"\n',
  "a mapping inside a plain value": "a: b: c\n",
  "a value that ends in a colon": "a: b:\n",
  "an indentation indicator": "a: |2\n  x\n",
  "an empty block scalar": "a: |\nb: 1\n",
  "a block scalar less deep than its first line": "a: |\n    x\n  y\n",
  "a block scalar after a longer blank line": "a: |\n     \n  x\n",
  "an unknown escape": 'a: "\\x41"\n',
  "a surrogate escape": 'a: "\\ud83d\\ude00"\n',
  "a flow line as shallow as its key": "a: [\n  x\n]\n",
  "a pair in a flow list": "a: [b: 1]\n",
  "a plain scalar over flow lines": "[a\nb]",
  "a brace without a value": "{a}",
  "a colon without a space in braces": "{a:1}",
  "two commas": "[a,,b]",
  "an open bracket": "a: [b\n",
  "text after a bracket": "a: [b] c\n",
  "text after a quote": "a: 'b' c\n",
  "a comment without a space": "a: 'b'#c\n",
  "a deeper line after a value": "a: 1\n  b: 2\n",
  "a shallower line between levels": "a:\n    b: 1\n  c: 2\n",
  "a sequence after a mapping": "a: 1\n- b\n",
  "a mapping after a sequence": "- a\nb: 1\n",
  "a sequence on its key's line": "a: - b\n",
  "an octal number": "a: 0o17\n",
  "a hexadecimal number": "a: 0x1F\n",
  "an infinity": "a: .inf\n",
  "a number too long for a double": "a: 12345678901234567890\n",
  "a date": "a: 2001-01-01\n",
  "a word in another case": "a: TRUE\n",
  "a carriage return alone": "a: 1\rb: 2\n",
  "a byte-order mark": "\uFEFFa: 1\n",
  "a line separator": "a: b\u2028c\n",
  "half a surrogate pair": "a: \uD83D\n",
  "the prototype key": "__proto__: 1\n",
  "a lone scalar": "text\n",
  nothing: "",
  "only a comment": "# a\n",
  "nesting beyond a hundred levels": `${"- ".repeat(150)}a`,
};

/** Compares both parsers. Undefined if they agree and find no error. */
function disagreement(text: string): string | undefined {
  const document = parseDocument(text, { merge: true });
  if (document.errors[0]) return document.errors[0].message;
  return Bun.deepEquals(Bun.YAML.parse(text), document.toJS(), true) ? undefined : "different values";
}

/** Small documents made of pieces with a meaning in YAML. Every run makes the same ones. */
function* randomTexts(count: number): Generator<string> {
  const pieces = [
    "a:",
    "b:",
    "c: ",
    "'a': ",
    '"a": ',
    '"b":',
    "- ",
    "  - ",
    "- a: ",
    ": ",
    " ",
    "  ",
    "    ",
    "\n",
    "\n",
    "\n",
    "\n  ",
    "\n    ",
    "\n\n",
    "\r\n",
    "1",
    "0x1",
    "x",
    "x y",
    "'q'",
    '"q"',
    "~",
    "null",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "{a: 1}",
    "[x, y]",
    "[\n",
    "|\n",
    "|-\n",
    ">\n",
    "|+\n",
    "|2\n",
    "#c",
    " #c",
    "é",
    "<<: ",
    "&x ",
    "*x",
    "? ",
    "---\n",
  ];
  let seed = 20_260_801;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let made = 0; made < count; made++) {
    yield Array.from({ length: 2 + random(14) }, () => pieces[random(pieces.length)]).join("");
  }
}

describe("a certified document", () => {
  test.each(CERTAIN)("has the same value with both parsers: %j", (text) => {
    expect(hasNoRepeatedKeys(text)).toBe(true);
    expect(disagreement(text)).toBeUndefined();
  });

  test("has the same value with both parsers and no repeated key, whatever its pieces", () => {
    const wrong: string[] = [];
    let certified = 0;
    for (const text of randomTexts(60_000)) {
      if (!hasNoRepeatedKeys(text)) continue;
      certified++;
      if (disagreement(text)) wrong.push(text);
    }
    expect(wrong).toEqual([]);
    expect(certified).toBeGreaterThan(500);
  });
});

describe("an ambiguous document is not certified", () => {
  test.each(Object.entries(UNCERTAIN))("%s", (_name, text) => {
    expect(hasNoRepeatedKeys(text)).toBe(false);
  });
});

test("a scan of hostile text terminates", () => {
  const hostile = [
    "[".repeat(1e6),
    "- ".repeat(1e6),
    `a: ${": #".repeat(3e5)}`,
    `[${"a ".repeat(5e5)}`,
    `a: ${" ".repeat(1e6)}x`,
    "'".repeat(1e6),
  ];
  for (const text of hostile) expect(typeof hasNoRepeatedKeys(text)).toBe("boolean");
});
