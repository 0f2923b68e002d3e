import { describe, expect, test } from "bun:test";
import { compileMatcher, compilePattern, PatternError } from "../../src/pattern/pattern.ts";
import { simpleTest } from "../../src/pattern/simple-test.ts";
import { diceFrom, pick } from "../helpers/dice.ts";
import { expectLinear } from "../helpers/growth.ts";

function matches(pattern: string, name: string): boolean {
  return compilePattern(pattern).test(name);
}

describe("a pattern is matched against the whole name", () => {
  test.each([
    ["shell", "shell", true],
    ["shell", "shell2", false],
    ["shell", "myshell", false],
    ["shell|edit_file", "edit_file", true],
    ["shell|edit_file", "shell_file", false],
    ["shell|edit_file", "shelledit_file", false],
    ["mcp:.*", "mcp:x", true],
    ["mcp:.*", "xmcp:x", false],
    ["", "", true],
    ["", "a", false],
    ["a|", "", true],
    ["a$", "a\n", false],
  ])("%j on %j: %p", (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });
});

describe("each supported construct", () => {
  test.each([
    ["SHELL", "shell", false],
    ["(?i)SHELL", "sHeLL", true],
    ["a(?i)b|c", "C", true],
    ["(a(?i)b)c", "aBC", false],
    ["(?i:a)b", "Ab", true],
    ["(?i:a)b", "AB", false],
    ["(?i)a(?-i)b", "AB", false],
    ["(?i)k", "\u212a", true],
    ["(?i)ß", "ẞ", true],
    ["(?i)[^a]", "A", false],
    ["(?i)[x-z]", "Y", true],
    ["(?i)\\pL", "é", true],
    ["(?U)a+?", "aa", true],
    [".", "\n", true],
    [".*", "a\r\nb", true],
    ["(?-s).", "\n", false],
    ["(?s).", "\n", true],
    [".", "😀", true],
    ["(?P<first>a)(?<second>b)", "ab", true],
    ["(?:a)()", "a", true],
    ["(?m)a$\\n^b", "a\nb", true],
    ["a$\\n^b", "a\nb", false],
    ["\\Aa\\z", "a", true],
    ["a\\b:b", "a:b", true],
    ["a\\bb", "ab", false],
    ["a\\Bb", "ab", true],
    ["\\d\\D\\w\\W\\s\\S", "1a_- x", true],
    ["\\s", "\v", false],
    ["[[:space:]]", "\v", true],
    ["[[:^alpha:]1-3x]+", "12x", true],
    ["[[:alpha:]]+", "ab1", false],
    ["[]a]+", "a]", true],
    ["[^]a]", "]", false],
    ["[^a]", "\n", true],
    ["[a-]+", "-a", true],
    ["[\\d-z]+", "1-z", true],
    ["[a-c-e]+", "b-e", true],
    ["\\p{Greek}\\pN\\PL", "α7-", true],
    ["\\p{^Lu}", "A", false],
    ["[^\\p{L}]", "a", false],
    ["[\\P{L}a]", "a", true],
    ["\\p{Any}", "x", true],
    ["\\x41\\x{1F600}\\t\\a\\f\\v\\n\\r", "A😀\t\x07\f\v\n\r", true],
    ["\\101\\012\\0", "A\n\0", true],
    ["\\Qa.b*\\E+", "a.b**", true],
    ["\\Qa.b", "a.b", true],
    ["\\.\\_\\-", "._-", true],
    ["a{2}", "aa", true],
    ["a{2}", "aaa", false],
    ["a{2,}", "aaaa", true],
    ["a{1,2}?", "aaa", false],
    ["a{0}b", "b", true],
    ["a{,2}", "a{,2}", true],
    ["a{x}", "a{x}", true],
    ["(a*)*", "aaa", true],
    ["(|a)+", "aa", true],
    ["(?)a", "a", true],
  ])("%j on %j: %p", (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });
});

describe("unsupported syntax is refused with its position", () => {
  test.each([
    ["shell(", "missing closing ) at 5"],
    ["a)b", "unexpected ) at 1"],
    ["[a", "missing closing ] at 0"],
    ["[b-a]", "invalid character class range at 1"],
    ["[[:nope:]]", "unknown character class at 1"],
    ["[[:alph]a:]]", "unknown character class at 1"],
    ["\\p{Nope}", "unknown Unicode class at 0"],
    ["\\p", "unknown Unicode class at 0"],
    ["\\p{Emoji}", "unknown Unicode class at 0"],
    ["a\\", "trailing backslash at 1"],
    ["\\q", "invalid escape \\q at 0"],
    ["\\x{110000}", "code point out of range at 0"],
    ["*", "missing argument to repetition operator at 0"],
    ["a|*", "missing argument to repetition operator at 2"],
    ["a**", "invalid nested repetition operator at 2"],
    ["a++", "invalid nested repetition operator at 2"],
    ["a{2,1}", "invalid repeat count at 1"],
    ["a{1001}", "invalid repeat count at 1"],
    ["(a{100}){100}", "invalid repeat count at 8"],
    ["a(?=b)", "look-ahead is not supported at 1"],
    ["(?!b)", "look-ahead is not supported at 0"],
    ["(?<=b)", "look-behind is not supported at 0"],
    ["(?<!b)", "look-behind is not supported at 0"],
    ["(?>b)", "atomic groups are not supported at 0"],
    ["(a)\\1", "back-references are not supported at 3"],
    ["(?P<x>a)(?P=x)", "back-references are not supported at 8"],
    ["(?<x>a)\\k<x>", "back-references are not supported at 7"],
    ["(?P<x>a)(?P<x>b)", "duplicate group name at 8"],
    ["(?x)a", "invalid group syntax at 0"],
    ["(?i-)a", "invalid group syntax at 0"],
    ["(".repeat(501), "groups nest too deeply at 500"],
  ])("%j: %s", (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(new PatternError(...parts(message)));
  });
});

function parts(message: string): [string, number] {
  const cut = message.lastIndexOf(" at ");
  return [message.slice(0, cut), Number(message.slice(cut + 4))];
}

test("the offset of an error counts from the start of the pattern", () => {
  expect(() => compilePattern("ab[c")).toThrow(expect.objectContaining({ offset: 2 }));
});

describe("matching is fast for every pattern and name", () => {
  const names: ((size: number) => string)[] = [
    (size) => "a".repeat(size),
    (size) => `${"x".repeat(size)}!`,
    (size) => "ё".repeat(size),
    (size) => "tool_name_".repeat(Math.ceil(size / 10)),
  ];
  const alternatives = Array.from({ length: 1000 }, (_, index) => `tool_name_${index}`);
  test.each([
    ["(a*)*b"],
    ["(a|aa)+$"],
    ["(?:a?){30}a{30}"],
    ["(x+x+)+y"],
    ["(?:a?){300}(?:a?){300}"],
    [`(?:${Array(200).fill("a").join("|")})*b`],
    ["(?i)(?:[а-я]|[а-ю]|[а-э])*x"],
    [alternatives.join("|")],
    [`.*(?:${alternatives.slice(0, 50).join("|")})`],
  ])("%.40s", async (text) => {
    const pattern = compilePattern(text);
    for (const name of names) {
      await expectLinear(65_536, (size) => {
        const subject = name(size);
        return () => pattern.test(subject);
      });
    }
  });

  test("a pattern that could not be fast is refused", () => {
    expect(() => compilePattern("(?:a?){1000}(?:a?){1000}")).toThrow("pattern is too large");
    expect(() => compilePattern("a{1000}".repeat(200))).toThrow("pattern is too large");
  });

  test("a thousand alternatives are not too large", () => {
    expect(compilePattern(alternatives.join("|")).test("tool_name_999")).toBe(true);
  });

  test("a name of any length is matched", () => {
    const pattern = compilePattern("(?:a|b)*shell");
    expect(pattern.test(`${"ab".repeat(50_000)}shell`)).toBe(true);
    expect(pattern.test(`${"ab".repeat(50_000)}shel`)).toBe(false);
  });
});

test("shared constructs match as in JavaScript", () => {
  const next = generator(20260131);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  const atoms = ["a", "b", "c", ".", "[ab]", "[^a]", "\\w", "\\W", "\\d", "\\b", "\\B", "^", "$", "(?:)", "\\."];
  const counts = ["*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{0}"];
  const pattern = (depth: number): string => {
    const shape = depth === 0 ? 0 : next(5);
    if (shape <= 1) return pick(atoms);
    if (shape === 2) return `${pattern(depth - 1)}${pattern(depth - 1)}`;
    if (shape === 3) return `(?:${pattern(depth - 1)}|${pattern(depth - 1)})`;
    return `(?:${pattern(depth - 1)})${pick(counts)}`;
  };
  const name = (): string => Array.from({ length: next(7) }, () => pick(["a", "b", "c", "1", ".", "-", "\n"])).join("");
  for (let round = 0; round < 4000; round++) {
    const text = pattern(4);
    const expression = new RegExp(`^(?:${text})$`, "su");
    const compiled = compilePattern(text);
    for (let turn = 0; turn < 8; turn++) {
      const subject = name();
      expect([text, subject, compiled.test(subject)]).toEqual([text, subject, expression.test(subject)]);
    }
  }
});

describe("a matcher of names and wildcards, which is not compiled,", () => {
  const dice = diceFrom(20_261_128);
  const text = (pieces: readonly string[], most: number) =>
    Array.from({ length: dice(most + 1) }, () => pick(dice, pieces)).join("");

  test("matches as the compiled pattern does", () => {
    let [matched, grouped] = [0, 0];
    for (let round = 0; round < 40_000; round++) {
      const more =
        round % 2 === 0 ? [] : ["a?", "[ab]", "[b_]?", "(a|b)", "(?:ab|)", "()", "(_a)?", "(", ")", "?", "["];
      const pattern = text(["a", "b", "ab", "_", ":", "-", "|", ".*", ".*", ...more], 6) || "a";
      if (simpleTest(pattern) === undefined) continue;
      if (/[?(]/.test(pattern)) grouped++;
      const matches = compileMatcher(pattern);
      const compiled = compilePattern(pattern);
      for (let turn = 0; turn < 6; turn++) {
        const name = text(["a", "b", "ab", "ba", "_", ":", "|", ".", "*", "\n", "\ud800", "😀", "\0"], 5);
        expect([pattern, name, matches([name])]).toEqual([pattern, name, compiled.test(name)]);
        if (compiled.test(name)) matched++;
      }
    }
    expect(matched).toBeGreaterThan(10_000);
    expect(grouped).toBeGreaterThan(1000);
  });

  test("is refused if, and only if, its pattern is", () => {
    const problemOf = (compile: () => unknown) => {
      try {
        compile();
        return "none";
      } catch (error) {
        return error instanceof PatternError ? error.message : "another error";
      }
    };
    const seen = new Set<string>();
    for (let round = 0; round < 300; round++) {
      const name = `${"a".repeat(dice(20))}${".*".repeat(dice(6))}${"b".repeat(dice(200))}`;
      const pattern = Array.from({ length: 1 + dice(40) }, () => name).join("|");
      const problem = problemOf(() => compilePattern(pattern));
      expect([pattern, problemOf(() => compileMatcher(pattern))]).toEqual([pattern, problem]);
      seen.add(problem);
    }
    expect([...seen].sort()).toEqual(["none", "pattern is too large at 0"]);
  });

  test("groups that backtracking would try in too many combinations are compiled", () => {
    const same = `(${"a|".repeat(30)}a)`;
    expect(simpleTest(`${same}_${same}x`)).toBeDefined();
    for (const pattern of [same.repeat(3), `${same}.*${same}x`, ".*a.*(b)", "a?b?c?"])
      expect(simpleTest(pattern)).toBeUndefined();
  });

  test.each(["*a", "a**", "a.*+", "a|*", ".**"])("%s is refused", (pattern) => {
    expect(() => compileMatcher(pattern)).toThrow(PatternError);
  });
});

test("classes in brackets are read in linear time even if none of them ends", async () => {
  await expectLinear(400_000, (size) => {
    const text = `[${"[:".repeat(size)}a]`;
    return () => compilePattern(text);
  });
});

/** Numbers below a limit, the same ones on every run. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
