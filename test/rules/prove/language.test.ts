import { expect, test } from "bun:test";
import { both, containing, either, glob, type Language, not } from "../../../src/rules/prove/language.ts";
import { wordFinder } from "../../../src/rules/prove/shortest-word.ts";

const find = wordFinder({ spend() {} });

test.each<[string, Language, string | undefined]>([
  [
    "a gap",
    both([containing("^(main|release/.*|release)$"), not(either([glob("release/*"), glob("main")]))]),
    "release",
  ],
  ["no gap", both([containing("^prod-(eu|us)$"), not(containing("prod"))]), undefined],
  ["edges of words", both([containing("\\bx\\b"), glob("a?x")]), "a-x"],
])("the shortest text of a language: %s", (_name, language, word) => {
  expect(find(language)).toBe(word);
});
