import { type Dice, diceFrom, pick, shuffled } from "./dice.ts";
import type { Keeps, Spelling } from "./spelling.ts";

/** A spelling with the seed of its dice, so that it can be applied again. */
export interface Step {
  spelling: Spelling;
  seed: number;
}

/** A text in another spelling, and how it came about. */
export interface Variant {
  text: string;
  steps: readonly Step[];
}

/** Attempts without a new variant after which a text is considered exhausted. */
const MAX_FAILURES = 200;
const MAX_STEPS = 3;
/** Longer variants are left out: they test a limit on length and not a spelling. */
const MAX_LENGTH = 8192;

/**
 * Returns up to `count` different variants of a text: first each spelling alone, in random order, then random
 * combinations of two or three. The same seed gives the same variants.
 */
export function* vary(text: string, spellings: readonly Spelling[], count: number, seed: number): Generator<Variant> {
  const dice = diceFrom(seed);
  const seen = new Set([text]);
  const singles = shuffled(dice, spellings).map((spelling): Step[] => [{ spelling, seed: dice(2 ** 31) }]);
  let failures = 0;
  while (seen.size <= count && failures < MAX_FAILURES) {
    const variant = apply(text, singles.shift() ?? randomSteps(spellings, dice));
    if (variant === undefined || seen.has(variant.text)) {
      failures++;
      continue;
    }
    failures = 0;
    seen.add(variant.text);
    yield variant;
  }
}

/** Applies steps one after another; undefined if one of them finds no place, or changes nothing. */
export function apply(text: string, steps: readonly Step[]): Variant | undefined {
  let current = text;
  for (const { spelling, seed } of steps) {
    const next = spelling.respell(current, diceFrom(seed));
    if (next === undefined || next === current || next.length > MAX_LENGTH) return undefined;
    current = next;
  }
  return { text: current, steps };
}

function randomSteps(spellings: readonly Spelling[], dice: Dice): Step[] {
  const count = 1 + dice(MAX_STEPS);
  return Array.from({ length: count }, () => ({ spelling: pick(dice, spellings), seed: dice(2 ** 31) })).filter(
    (step): step is Step => step.spelling !== undefined,
  );
}

/** How often each spelling is tried alone in search of a smaller counterexample: it finds other places in the text. */
const PLACES = 3;

/**
 * Returns the smallest variant that still fails: of single spellings, those that do the same first, then the shortest;
 * if none fails, the fewest steps of the one that was found. `fails` runs the hooks again, up to a few hundred times;
 * it may return false to end the search.
 */
export async function shrink(
  text: string,
  found: Variant,
  spellings: readonly Spelling[],
  fails: (variant: Variant) => Promise<boolean>,
): Promise<Variant> {
  for (const single of singles(text, spellings)) {
    if (single.text === found.text) break;
    if (await fails(single)) return single;
  }
  let smallest = found;
  for (let again = smallest.steps.length > 1; again; ) {
    again = false;
    for (const candidate of withOneLess(text, smallest)) {
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      again = candidate.steps.length > 1;
      break;
    }
  }
  return smallest;
}

/** Single spellings, those that do the same first, then the shortest. */
function singles(text: string, spellings: readonly Spelling[]): Variant[] {
  const isLoose = ({ steps }: Variant) => Number(steps.some(({ spelling }) => LOOSE.includes(spelling.keeps)));
  const variants = spellings.flatMap((spelling) =>
    Array.from({ length: PLACES }, (_none, seed) => apply(text, [{ spelling, seed }])).filter(
      (one) => one !== undefined,
    ),
  );
  return [...new Map(variants.map((variant) => [variant.text, variant])).values()].toSorted(
    (a, b) => isLoose(a) - isLoose(b) || a.text.length - b.text.length,
  );
}

/** Spellings that do the same only on some machines, or nowhere. */
const LOOSE: readonly Keeps[] = ["machine", "looks"];

/** The variants with one step less, the shortest first. */
function withOneLess(text: string, { steps }: Variant): Variant[] {
  return steps
    .map((_step, index) => apply(text, steps.toSpliced(index, 1)))
    .filter((variant) => variant !== undefined)
    .toSorted((a, b) => a.text.length - b.text.length);
}
