import { CLASSES, OTHER } from "../../src/redaction/classes.ts";
import { ASSIGNED_RULES } from "../../src/redaction/kinds/assigned.ts";
import type { AssignedRule, SecretRule } from "../../src/redaction/rule.ts";
import { type Part, parseSecretPattern } from "../../src/redaction/secret-pattern.ts";

/** A token made at run time; its secret is from `start` up to `end`. */
export interface Sample {
  text: string;
  start: number;
  end: number;
}

/** Numbers from 0 up to 1, the same each time for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** How a sample departs from its pattern: the slot at `index` is one short, or has a character of no alphabet. */
export type Fault = { index: number; kind: "short" | "foreign" };

/** A token of a pattern, every slot as short as it may be, or up to `more` characters longer. */
export function sampleOf(pattern: string, random: () => number, fault?: Fault, more = 0): Sample {
  const sample = { text: "", start: -1, end: -1 };
  parseSecretPattern(pattern).forEach((part, index) => {
    if (part.kind === "open") sample.start = sample.text.length;
    if (part.kind === "close") sample.end = sample.text.length;
    if (part.kind === "text") sample.text += part.options[Math.floor(random() * part.options.length)] ?? "";
    if (part.kind === "slot") sample.text += fill(part, random, fault?.index === index ? fault.kind : undefined, more);
  });
  const { text, start, end } = sample;
  return { text, start: Math.max(start, 0), end: end < 0 ? text.length : end };
}

/** Every way in which a sample of a pattern can be a near miss. */
export function faultsOf(pattern: string): Fault[] {
  return parseSecretPattern(pattern).flatMap((part, index): Fault[] =>
    part.kind === "slot" && part.min > 0
      ? [
          { index, kind: "short" },
          { index, kind: "foreign" },
        ]
      : [],
  );
}

/** True when every sample of a pattern is of one length. */
export function isFixed(pattern: string): boolean {
  return parseSecretPattern(pattern).every((part) => part.kind !== "slot" || part.min === part.max);
}

/** The vendor's word of a rule in small letters, its parts joined by `_`. */
export function snakeOf(rule: AssignedRule): string {
  return rule.word.toLowerCase().replaceAll(" ", "_");
}

/** A value of an assigned rule under a name that holds its word. */
export function assignmentOf(rule: AssignedRule, random: () => number): Sample {
  const head = `${snakeOf(rule).toUpperCase()}_CLIENT_KEY=`;
  const value = sampleOf(rule.value, random).text;
  return { text: head + value, start: head.length, end: head.length + value.length };
}

/** A sample of every rule that has a pattern or a name. */
export function allSamples(rules: readonly SecretRule[], seed: number): { id: string; sample: Sample }[] {
  const random = randomFrom(seed);
  return [
    ...rules.map(({ id, pattern }) => ({ id, sample: sampleOf(pattern, random) })),
    ...ASSIGNED_RULES.map((rule) => ({ id: rule.id, sample: assignmentOf(rule, random) })),
  ];
}

/** A text of `length` characters of an alphabet. */
export function textOf(alphabet: string, length: number, random: () => number): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join("");
}

function fill(
  part: Extract<Part, { kind: "slot" }>,
  random: () => number,
  fault: Fault["kind"] | undefined,
  more: number,
): string {
  if (part.table === CLASSES.gap) return fault === "short" ? "" : fault === "foreign" ? "*" : ": ";
  const codes = Array.from({ length: OTHER }, (_, code) => code).filter((code) => part.table[code] === 1);
  const alphabet = String.fromCharCode(...codes);
  // A value may hold padding, but what begins with it belongs to the operator.
  const longer = Math.min(more, part.max - part.min);
  const length = part.min + (longer > 0 ? Math.floor(random() * (longer + 1)) : 0);
  const text = textOf(alphabet, length, random).replace(/^=(?!=|$)/, "A");
  if (fault === "short") return text.slice(1);
  return fault === "foreign" ? `${text.slice(0, -1)}*` : text;
}
