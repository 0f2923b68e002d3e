import { describe, expect, test } from "bun:test";
import { JsonSplitter } from "../../../src/lib/json-stream/json-splitter.ts";
import { taken } from "./pieces.ts";

/** The pieces of some chunks. */
function split(chunks: readonly (string | Uint8Array)[]): (string | number)[] {
  const splitter = new JsonSplitter();
  const found: (string | number)[] = [];
  for (const chunk of chunks) {
    splitter.push(Buffer.from(chunk as string));
    found.push(...taken(splitter));
  }
  splitter.finish("has no end");
  return [...found, ...taken(splitter)];
}

const LONG = "x".repeat(1000);

const CASES: [name: string, text: string, pieces: (string | number)[]][] = [
  ["nothing", " \n\r\n\t ", []],
  ["one value a line", '{"a":1}\n[2]\r\n{}\n', ['{"a":1}', "[2]", "{}"]],
  ["values without a line end between", '{"a":1}{"b":2} [3][]', ['{"a":1}', '{"b":2}', "[3]", "[]"]],
  ["a value that spans lines", '{\n  "a": [\n    1,\n    {}\n  ]\n}\n{"b":2}', ['{"a":[1,{}]}', '{"b":2}']],
  [
    "brackets, quotes and escapes inside strings",
    '{"}]\\"\\\\":"{[\\\\\\""}{"b":"\\\\"}',
    ['{"}]\\"\\\\":"{[\\\\\\""}', '{"b":"\\\\"}'],
  ],
  [
    "long strings",
    `{"a":"${LONG}\\"${LONG}","${LONG}\\\\":"${LONG}\\\\\\""}[1]`,
    [`{"a":"${LONG}\\"${LONG}","${LONG}\\\\":"${LONG}\\\\\\""}`, "[1]"],
  ],
  ["literals of every kind", "[1,-2.5e+7,true,false,null,1E5]\n[0]", ["[1,-25000000,true,false,null,100000]", "[0]"]],
  ["byte-order marks", '\uFEFF{"a":1}\n\uFEFF[2]', ['{"a":1}', "[2]"]],
  ["a line of something else", 'hello\n{"a":1}\n7\n"x"\n{"b":2}', [1, '{"a":1}', 3, 4, '{"b":2}']],
  ["something else after a value", '{"a":1} oops {"b":2}\n{"c":3}', ['{"a":1}', 1, '{"c":3}']],
  ["a bracket too many", '{"a":1}}\n{"b":2}', ['{"a":1}', 1, '{"b":2}']],
  ["brackets that do not fit", '{"a":[1}\n{"b":2}', [1, '{"b":2}']],
  ["a comma before the end", '{"a":1,}\n[1,]\n{"b":2}', [1, 2, '{"b":2}']],
  ["a comma that is missing", '{"a":1 "b":2}\n[1 2]\n{"b":2}', [1, 2, '{"b":2}']],
  ["a colon that is missing", '{"a" 1}\n{"a":1:2}\n{"a"}\n{1:2}\n{"b":2}', [1, 2, 3, 4, '{"b":2}']],
  ["a line that was cut off after a colon", '{"a":\n{"b":2}\n{"c":3}\n', [1, '{"b":2}', '{"c":3}']],
  [
    "a line that was cut off inside a list",
    '{"a":[{"x":1},\n{"b":2}\n{"c":3}\n{"d":4}',
    [1, '{"b":2}', '{"c":3}', '{"d":4}'],
  ],
  ["a line that was cut off inside a string", '{"a":"some\n{"b":2}\n', [1, '{"b":2}']],
  ["a line that was cut off after a backslash", '{"a":"some\\\n{"b":2}\n', [1, '{"b":2}']],
  ["a line that was cut off inside a long string", `{"a":"${LONG}\n{"b":"${LONG}"}\n`, [1, `{"b":"${LONG}"}`]],
  [
    "a line that was cut off inside a long string, behind a long value",
    `{"a":"${LONG}"}{"b":"${LONG}\n{"c":"${LONG}"}\n`,
    [`{"a":"${LONG}"}`, 1, `{"c":"${LONG}"}`],
  ],
  [
    "a line that was cut off behind a good one",
    '{"a":1}\n{"b":\n{"c":[\n{"d":2}\n{"e":3}',
    ['{"a":1}', 2, 3, '{"d":2}', '{"e":3}'],
  ],
  [
    "a line that was cut off between good ones",
    '{"a":1}\n{"b":\n{"c":1}\n{"d":2}',
    ['{"a":1}', 2, '{"c":1}', '{"d":2}'],
  ],
  ["a line that was cut off after an item", '{"a":1}\n{"b":12\n{"c":2}', ['{"a":1}', 2, '{"c":2}']],
  ["a last line that was cut off", '{"a":1}\n{"b":', ['{"a":1}', 2]],
  ["two lines that were cut off", '{"a":\n{"b":\n{"c":3}\n{"d":4}', [1, 2, '{"c":3}', '{"d":4}']],
  ["all lines cut off", '{"a":\n{"b":\n\n{"c":\n', [1, 2, 4]],
  ["a value over several lines that breaks off", '{\n"a": 1,\n}\n{"b":2}', [1, 2, 3, '{"b":2}']],
  ["a cut line before a value that spans lines", '{"a":\n{\n"b":2\n}\n{\n"c":3\n}\n', [1, 2, 3, 4, '{"c":3}']],
  [
    "several values in a line after a cut one",
    '{"a":[\n{"b":2} {"c":3}\n{"d":4}',
    [1, '{"b":2}', '{"c":3}', '{"d":4}'],
  ],
  ["an invalid literal", '{"a":tru}{"b":2}\n[1.2.3]\n{"c":3}', [1, '{"b":2}', 2, '{"c":3}']],
  [
    "an invalid literal in a value that spans lines",
    '{"a":\noops,"b":\n{"c":3}\n}\n{"d":4}',
    [1, 2, '{"c":3}', 4, '{"d":4}'],
  ],
  ["an invalid escape", '{"a":"\\x"}\n{"b":2}', [1, '{"b":2}']],
  ["a control character", '{"a":"\0"}\n{"b":"\t"}\n\0{"c":3}\n{"d":4}', [1, 2, 3, '{"d":4}']],
  ["a repeated key", '{"a":1,"b":{"c":1,"\\u0063":2}}\n[{"a":1},{"a":1}]', [1, '[{"a":1},{"a":1}]']],
  ["a repeated key in a value that spans lines", '{"a":1,\n"a":2}\n{"b":2}', [1, '{"b":2}']],
  ["keys of the prototype", '{"__proto__":1,"constructor":{"a":1}}', ['{"__proto__":1,"constructor":{"a":1}}']],
  ["half a surrogate pair as an escape", '{"a":"\\ud800"}', ['{"a":"\\ud800"}']],
];

describe("the pieces of a stream", () => {
  test.each(CASES)("%s", (_name, text, pieces) => {
    expect(split([text])).toEqual(pieces);
  });

  test.each(CASES)("the same whatever the chunks: %s", (_name, text, pieces) => {
    const bytes = Buffer.from(text);
    expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(pieces);
    for (const size of [2, 3, 7, 16, 64, 65, 1001, 1500]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      expect(split(chunks)).toEqual(pieces);
    }
  });

  test("a value is returned as soon as its last byte has arrived, without a line end", () => {
    const splitter = new JsonSplitter();
    splitter.push(Buffer.from('{"a":'));
    expect([...taken(splitter)]).toEqual([]);
    splitter.push(Buffer.from("1}"));
    expect([...taken(splitter)]).toEqual(['{"a":1}']);
  });

  test.each([
    ["a byte that begins no character", [0xff]],
    ["a character that is cut off", [0xe2, 0x82]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["half a surrogate pair", [0xed, 0xa0, 0x80]],
  ])("%s is refused, because a decoder would replace it in silence", (_name, bytes) => {
    expect(split(['{"a":"', Uint8Array.from(bytes), '"}\n{"b":"\u20ac"}'])).toEqual([1, '{"b":"\u20ac"}']);
  });

  test("UTF-16 is refused in every line", () => {
    expect(split([Buffer.from('\uFEFF{"a":1}', "utf16le")])).toEqual([1]);
    expect(split([Buffer.from('{"a":1}', "utf16le")])).toEqual([1]);
  });

  test("mixed lines, good and broken, in any order: no good line is lost, no broken one goes unreported", () => {
    const good = ['{"n":1}', '[{"n":[{}]}]', '{"s":"\\"}{\\\\"}', `{"s":"${LONG}"}`];
    const broken = ['{"n":', '{"s":"x', "oops", '{"n":1,}', '[{"n":', '{"n":x}', '{"s":"\\'];
    let seed = 7;
    const next = (limit: number) => (seed = (seed * 48271) % 2147483647) % limit;
    for (let round = 0; round < 3000; round++) {
      const lines = Array.from(
        { length: 1 + next(8) },
        () => (next(3) > 0 ? good[next(good.length)] : broken[next(broken.length)]) ?? "",
      );
      const wanted = lines.map((line, index) => (good.includes(line) ? line : index + 1));
      expect({ lines, pieces: split([lines.join("\n")]) }).toEqual({ lines, pieces: wanted });
    }
  });
});

describe("bounds", () => {
  test("a value that nests too deeply is a problem of its line", () => {
    expect(split(["[".repeat(1_000_001), '\n{"b":2}'])).toEqual([1, '{"b":2}']);
  });
});
