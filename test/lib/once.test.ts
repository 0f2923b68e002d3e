import { expect, test } from "bun:test";
import { memoizeEach } from "../../src/lib/once.ts";

test("memoizeEach makes each result once, wherever its item is, whatever becomes of the list", () => {
  const made: number[] = [];
  const each = memoizeEach(({ n }: { n: number }) => {
    made.push(n);
    return `result ${n}`;
  });
  const items = Array.from({ length: 6 }, (_, n) => ({ n }));
  const [a, b, c, d, e, f] = items as [(typeof items)[0], ...(typeof items)[0][]] & typeof items;
  for (const list of [
    [a, b],
    [a, b, c],
    [b, c],
    [],
    [d, a, b, c],
    [a, b, c, a],
    [f, e, d, c, b, a],
  ] as (typeof items)[]) {
    const given = [...list];
    expect(each(given)).toEqual(list.map(({ n }) => `result ${n}`));
    given.reverse(); // the caller's own list may change
    expect(each(given)).toEqual(given.map(({ n }) => `result ${n}`));
  }
  expect(made.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
});
