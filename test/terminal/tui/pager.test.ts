import { expect, test } from "bun:test";
import { THEMES } from "../../../src/terminal/theme.ts";
import { Pager } from "../../../src/terminal/tui/pager.ts";
import { expectConstant } from "../../helpers/growth.ts";

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const PAGE_UP = "\x1b[5~";
const PAGE_DOWN = "\x1b[6~";
const HOME = "\x1b[H";
const END = "\x1b[F";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

function open(text: string, rows = 5) {
  const state = { rows, columns: 40, hasLeft: false };
  const pager = new Pager({
    title: "t",
    text,
    theme: THEMES.none,
    screenRows: () => state.rows,
    onLeave: () => (state.hasLeft = true),
  });
  const rowsAfter = (...keys: string[]) => {
    for (const key of keys) pager.handleInput(key);
    return pager.render(state.columns);
  };
  return { state, rowsAfter, body: (...keys: string[]) => rowsAfter(...keys).slice(0, -1) };
}

test.each([
  ["the start", [], 1],
  ["Down", [DOWN], 2],
  ["Up stays at the start", [UP], 1],
  ["PgDn", [PAGE_DOWN], 5],
  ["PgUp", [PAGE_DOWN, PAGE_DOWN, PAGE_UP], 5],
  ["End", [END], 99_997],
  ["G, and Down stays at the end", ["G", DOWN], 99_997],
  ["Home", ["G", HOME], 1],
  ["g", ["G", "g"], 1],
  ["a search", ["/", ..."line 500", "\r"], 500],
  ["n", ["/", ..."line 500", "\r", "n"], 5000],
  ["N", ["/", ..."line 500", "\r", "n", "N"], 500],
  ["N past the start goes on from the end", ["/", ..."line 50000", "\r", "N"], 50_000],
  ["a search that is left", ["/", ..."line 500", "\x1b"], 1],
] as const)("100,000 lines: %s", (_name, keys, line) => {
  const { body } = open(numbers(100_000));
  expect(body(...keys)).toEqual([0, 1, 2, 3].map((next) => `line ${line + next}`));
});

test("the last row says where the window is", () => {
  const { rowsAfter } = open(numbers(100_000));
  const places = ["G", PAGE_UP, "g", PAGE_DOWN].map((key) => /line \d+ of \d+/.exec(rowsAfter(key).at(-1) ?? "")?.[0]);
  expect(places).toEqual([99_997, 99_993, 1, 5].map((line) => `line ${line} of 100000`));
});

test("a key takes as long in a text of any length", async () => {
  await expectConstant(320_000, (size) => {
    const { rowsAfter } = open(numbers(size));
    return () => {
      for (let round = 0; round < 50; round++) rowsAfter("G", PAGE_UP, UP, "g", PAGE_DOWN);
    };
  });
});

test("a search that finds nothing says so and stays; keys that leave, leave", () => {
  for (const key of ["q", "\x1b", "\x03"]) {
    const { state, rowsAfter } = open(numbers(9));
    expect(rowsAfter(DOWN, "/", ..."nothing", "\r")).toEqual([
      ...["line 2", "line 3", "line 4", "line 5"],
      "t · line 2 of 9 · not found: nothing",
    ]);
    expect(state.hasLeft).toBe(false);
    rowsAfter(key);
    expect(state.hasLeft).toBe(true);
  }
});

test("long lines are wrapped anew in a window of another size, and the last row stays reachable", () => {
  const { state, body } = open(`${"a".repeat(100)}\n${"b".repeat(100)}`);
  expect(body(DOWN, DOWN)).toEqual(["a".repeat(20), "b".repeat(40), "b".repeat(40), "b".repeat(20)]);
  state.columns = 200;
  expect(body()).toEqual(["a".repeat(100), "b".repeat(100), "", ""]);
  state.columns = 10;
  state.rows = 3;
  body();
  expect(body("G")).toEqual(["b".repeat(10), "b".repeat(10)]);
});

test("nothing in the text or the search controls the terminal", () => {
  const { rowsAfter } = open("a\x1b[2Jb\x07\u202e\x1b]52;c;x\n".repeat(3));
  for (const keys of [[], ["/", "\x9b", "b", "\r"]]) {
    for (const row of rowsAfter(...keys)) expect(row).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
  }
});

test("what is found is set off", () => {
  const pager = new Pager({
    title: "t",
    text: "one Two one",
    theme: THEMES.dark,
    screenRows: () => 3,
    onLeave: () => {},
  });
  for (const key of ["/", ..."two", "\r"]) pager.handleInput(key);
  expect(pager.render(40)[0]).toBe("one \x1b[7mTwo\x1b[27m one");
});
