/** A reproducible source of whole numbers from 0 to below a limit. */
export type Dice = (limit: number) => number;

/** Returns dice from a seed (mulberry32): the same numbers for the same seed, on every machine. */
export function diceFrom(seed: number): Dice {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(limit, 1);
  };
}

/** Returns one of the items; undefined if there is none. */
export function pick<T>(dice: Dice, items: readonly T[]): T | undefined {
  return items[dice(items.length)];
}

/** Returns the items in another order. */
export function shuffled<T>(dice: Dice, items: readonly T[]): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(dice(rest.length), 1)[0] as T);
}
