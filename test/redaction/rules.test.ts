import { describe, expect, test } from "bun:test";
import {
  labelledRedactionMark,
  REDACTION_MARK as PLACEHOLDER,
  redactionMarkLengthAt,
} from "../../src/lib/secrets/redaction-mark.ts";
import { compileWords, findAssigned } from "../../src/redaction/assignment.ts";
import { holds } from "../../src/redaction/classes.ts";
import { ASSIGNED_RULES } from "../../src/redaction/kinds/assigned.ts";
import { findSecrets, redactText, SECRET_KINDS, SECRET_RULES } from "../../src/redaction/redact.ts";
import type { AssignedRule, SecretRule } from "../../src/redaction/rule.ts";
import { Scan } from "../../src/redaction/scan.ts";
import { compileRule, isExact, parseSecretPattern, tryRule } from "../../src/redaction/secret-pattern.ts";
import { allSamples, assignmentOf, faultsOf, isFixed, randomFrom, sampleOf, snakeOf, textOf } from "./samples.ts";

/** What one rule alone finds, so that no other rule hides its failure. */
function findAlone(rule: SecretRule, text: string): { start: number; end: number }[] {
  const scan = new Scan(text, "on");
  const compiled = compileRule(rule);
  for (const anchor of compiled.anchors) {
    for (let at = text.indexOf(anchor); at >= 0; at = text.indexOf(anchor, at + 1)) {
      tryRule(scan, compiled, at, at + anchor.length);
    }
  }
  return scan.found;
}

function findAssignedAlone(rule: AssignedRule, text: string): { start: number; end: number }[] {
  const scan = new Scan(text, "on");
  const [word] = compileWords([rule]);
  for (const spelling of word?.spellings ?? []) {
    const at = text.toLowerCase().indexOf(spelling);
    if (word && at >= 0) findAssigned(scan, word, at, at + spelling.length);
  }
  return scan.found;
}

const SURROUNDINGS: [string, string][] = [
  ["", ""],
  ["token: ", " and more"],
  ['{"a":"', '"}'],
  ["A=", "\nB=2"],
  ["(", ")"],
  ["<", ">"],
  ["`", "`"],
  ["see ", ", then"],
  ["is it ", "?"],
  ["\\n", "\\n"],
  ["a\t", ";"],
  ["?q=", "&r=1"],
  ["%3D", "&b=1"],
  ["\u001b[32m", "\u001b[0m"],
  ["é", "é"],
];

test("at least 245 kinds of secret are known, each listed once under an id that a mark can hold", () => {
  expect(SECRET_KINDS.length).toBeGreaterThanOrEqual(245);
  expect(new Set(SECRET_KINDS).size).toBe(SECRET_KINDS.length);
  for (const id of SECRET_KINDS)
    expect(redactionMarkLengthAt(labelledRedactionMark(id), 0)).toBe(labelledRedactionMark(id).length);
});

test("no two rules have the same pattern", () => {
  const assigned = ASSIGNED_RULES.map(({ word, value }) => `${word}=${value}`);
  const patterns = [...SECRET_RULES.map(({ pattern }) => pattern), ...assigned];
  expect(new Set(patterns).size).toBe(patterns.length);
});

describe.each(SECRET_RULES.map((rule): [string, SecretRule] => [`${rule.id} ${rule.pattern}`, rule]))(
  "%s",
  (_id, rule) => {
    const random = randomFrom(rule.pattern.length);

    test("is found wherever it may be, and nothing else is replaced", () => {
      for (const [before, after] of SURROUNDINGS) {
        const { text, start, end } = sampleOf(rule.pattern, random);
        expect(findAlone(rule, before + text + after)).toContainEqual(
          expect.objectContaining({ start: before.length + start, end: before.length + end }),
        );
        const redacted = redactText(before + text + after);
        expect(redacted).not.toContain(text.slice(start, end));
        expect(redacted).toStartWith(before);
        expect(redacted).toEndWith(after);
      }
    });

    test("is not found one character short or with a foreign character", () => {
      for (const fault of faultsOf(rule.pattern)) {
        const near = sampleOf(rule.pattern, random, fault).text;
        expect([fault, findAlone(rule, `a ${near} b`)]).toEqual([fault, []]);
      }
    });
  },
);

const FORMS: ((word: string, value: string) => string)[] = [
  (word, value) => `export ${word.toUpperCase()}_ACCESS_TOKEN=${value}`,
  (word, value) => `{"my_${word}_api_key": "${value}", "b": 1}`,
  (word, value) => `{\\"${word}_secret\\": \\"${value}\\"}`,
  (word, value) => `:${word}_token => '${value}',`,
  (word, value) => `${word}Key := \`${value}\`;`,
  (word, value) => `settings["${word.toUpperCase()}_TOKEN"] = "${value}"`,
  (word, value) => `- name: ${word.toUpperCase()}_TOKEN\n  value: ${value}\n`,
  (word, value) => `{"name":"${word}_api_key","value":"${value}"}`,
];

describe.each(
  ASSIGNED_RULES.map((rule): [string, AssignedRule] => [`${rule.id} of ${snakeOf(rule)}: ${rule.value}`, rule]),
)("%s", (_id, rule) => {
  const random = randomFrom(rule.value.length);

  test("is found in every way to assign it, and only the value is redacted", () => {
    for (const form of FORMS) {
      const value = sampleOf(rule.value, random).text;
      const text = form(snakeOf(rule), value);
      const start = text.indexOf(value);
      expect(findAssignedAlone(rule, text)).toEqual([expect.objectContaining({ start, end: start + value.length })]);
      expect(redactText(text)).toBe(form(snakeOf(rule), PLACEHOLDER));
    }
  });

  test("is not found one character short, in a longer value, or under the name of a digest", () => {
    const { text, start } = assignmentOf(rule, random);
    const value = text.slice(start);
    const last = faultsOf(rule.value).at(-1);
    const near = last ? sampleOf(rule.value, random, { ...last, kind: "short" }).text : "";
    expect(findAssignedAlone(rule, text.slice(0, start) + near)).toEqual([]);
    const longer = `${text}${textOf("abc", 70, random)}`;
    if (!rule.value.includes("->")) expect(findAssignedAlone(rule, longer)).toEqual([]);
    expect(findAssignedAlone(rule, `${snakeOf(rule)}_commit_hash=${value}`)).toEqual([]);
  });
});

test("a random body makes up for a missing edge only where the prefix is distinct enough", () => {
  const random = randomFrom(5);
  const samples = (rule: SecretRule) => Array.from({ length: 8 }, () => sampleOf(rule.pattern, random).text);
  for (const rule of SECRET_RULES) {
    const found = (before: string, after = "") =>
      samples(rule).filter((text) => findAlone(rule, before + text + after).length > 0).length;
    const isDistinct = rule.edge === undefined || rule.edge === "camel" || rule.edge === "none";
    // Eight random texts in a row all look like words only by chance.
    expect([rule.id, rule.pattern, found("G") >= 6]).toEqual([rule.id, rule.pattern, isDistinct]);
    if (!isDistinct) expect([rule.id, found("G"), isFixed(rule.pattern) ? found("", "G") : 0]).toEqual([rule.id, 0, 0]);
    if (rule.edge === "camel") expect([rule.id, found("ta")]).toEqual([rule.id, 0]);
  }
});

const WORDS = "tokenneverusedanywhereexceptinthedocumentationofanapplicationthatexplainshowtosignin".repeat(4);

/** A token of a pattern whose slots are of words, as documentation writes them, without a digit where the alphabet allows it. */
function wordsOf(pattern: string): string {
  return parseSecretPattern(pattern)
    .map((part) => {
      if (part.kind === "text") return part.options[0] ?? "";
      if (part.kind !== "slot") return "";
      const isIn = (letter: string) => holds(part.table, letter.charCodeAt(0));
      const letters = [...WORDS].flatMap((letter) => [letter, letter.toUpperCase(), "a", "1"].find(isIn) ?? []);
      return letters.slice(0, part.min).join("");
    })
    .join("");
}

test("an exact pattern is enough if nothing touches it: words after the prefix are a secret, too", () => {
  const exact = SECRET_RULES.filter((rule) => isExact(rule, parseSecretPattern(rule.pattern)));
  expect(exact.length).toBeGreaterThan(120);
  for (const { id, pattern } of exact) {
    const token = wordsOf(pattern);
    for (const text of [token, `use ${token}, then`, `"${token}"`, `TOKEN=${token}\n`]) {
      expect([id, redactText(text)]).toEqual([id, text.replace(token, PLACEHOLDER)]);
    }
  }
});

test("a token that says it is an example, or is mostly the letter X, stays", () => {
  for (const token of [
    `AKIA${"IOSFODNN7"}EXAMPLE`,
    `ghp_${"x".repeat(36)}`,
    `ghp_${"yourTokenGoesHere".padEnd(36, "0")}`,
    `glpat-${"X".repeat(20)}`,
    `sk_live_${"x".repeat(24)}`,
    `AccountKey=${["Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq", "K1SZFPTOtr", "KBHBeksoGMGw=="].join("/")};`,
    `https://hooks.slack.com/services/T00000000/B00000000/${"X".repeat(24)}`,
    `AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCY${"EXAMPLEKEY"}`,
  ]) {
    for (const text of [token, `use ${token}, then`, JSON.stringify({ a: token })]) expect(redactText(text)).toBe(text);
  }
});

test("words after a prefix are a name if more of a name touches them", () => {
  const words = WORDS.slice(0, 36);
  for (const name of [
    `_ghp_${words}`,
    `my-ghp_${words}`,
    `ghp_${words}_of_all`,
    `ghp_${WORDS.slice(0, 50)}`,
    `c.ghp_${words}ToStringOf()`,
  ]) {
    expect(redactText(name)).toBe(name);
  }
});

test("a weak value stays if its name does not indicate a credential", () => {
  const random = randomFrom(7);
  for (const rule of ASSIGNED_RULES.filter(({ weak }) => weak)) {
    expect(findAssignedAlone(rule, `${snakeOf(rule)} team: ${sampleOf(rule.value, random).text}`)).toEqual([]);
  }
});

test("samples are found by the search over all rules together", () => {
  // One random text in a thousand reads like words, three in a row do not.
  const seeds = [11, 12, 13].map((seed) => allSamples(SECRET_RULES, seed));
  for (const [at, { id }] of seeds[0]?.entries() ?? []) {
    const found = seeds.filter((samples) => {
      const { text, start, end } = samples[at]?.sample ?? { text: "", start: 0, end: 0 };
      return findSecrets(`x ${text} y`).some((each) => each.start <= start + 2 && each.end >= end + 2);
    });
    expect([id, found.length >= 2]).toEqual([id, true]);
  }
});
