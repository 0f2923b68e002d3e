import { expect, test } from "bun:test";
import { disagreement, load } from "./disagreement.ts";

/** Small documents made of pieces that parsers treat differently. Every run makes the same ones. */
function* randomTexts(count: number): Generator<string> {
  const pieces = [
    "a: ",
    "b: ",
    "a:",
    "'a': ",
    '"b": ',
    "- ",
    "  - ",
    "- a: ",
    "? ",
    ": ",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\n",
    "\n  ",
    "\n    ",
    "\r\n",
    "\r",
    "1",
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
    "|\n",
    ">-\n",
    "|2\n",
    "#c",
    " #c",
    "<<: ",
    "<<: {a: 1}",
    "&x ",
    "*x",
    "!!omap ",
    "!!set ",
    "!!str ",
    "!!int ",
    "!own ",
    "! ",
    "%YAML 1.1\n",
    "%TAG ! x\n",
    "---\n",
    "...\n",
    "\uFEFF",
    "\u0085",
    "\u2028",
    "\u0007",
    "\u00a0",
    "0x1",
    "1e3",
    "yes",
    "2001-01-01",
    "__proto__: ",
    "é",
  ];
  let seed = 20_261_122;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let made = 0; made < count; made++) {
    yield Array.from({ length: 2 + random(10) }, () => pieces[random(pieces.length)]).join("");
  }
}

test("documents made of ambiguous pieces have one value with both parsers, or are an error", async () => {
  const wrong: [string, string][] = [];
  let loaded = 0;
  for (const text of randomTexts(10_000)) {
    if ((await load(text)).errors === undefined) loaded++;
    const found = await disagreement(text);
    if (found !== undefined) wrong.push([text, found]);
  }
  expect(wrong).toEqual([]);
  expect(loaded).toBeGreaterThan(500);
});
