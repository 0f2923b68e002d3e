import type { PathForm } from "../../../src/facts/sets/path-form.ts";
import { PathPatterns, type PatternOptions } from "../../../src/facts/sets/path-patterns.ts";
import { EVERY_HOME } from "../../../src/shell/paths/path-pattern.ts";
import { type Dice, diceFrom, pick } from "../../helpers/dice.ts";
import { placeIn } from "./fits-in.ts";

/** A pattern that fits none of the paths here, and switches the shortcut off: a bracket tells no plain text. */
const NO_SHORTCUT = "/[q]q/never";

const PATTERN_PARTS = [
  ".ssh",
  "id_rsa",
  "*.pem",
  ".env",
  ".env.*",
  "A?c",
  "a-b",
  "**",
  "*",
  "..",
  ".",
  "K",
  "k",
  "~u",
  "x y",
  "+p",
  "É",
  "[ab]c",
  "{a,b}",
  "co\\*n",
  "secrets.yaml",
  "work",
  "Users",
  "home",
  "root",
  "",
];
const PATH_PARTS = [
  ...PATTERN_PARTS,
  "server.pem",
  ".env.local",
  "abc",
  "ABC",
  "é",
  "\u212a",
  "aXc",
  "ac",
  "b.PEM",
  "%",
  "co*n",
];
const STARTS = ["", "/", "~/", "./", "<project>/", "~root/", "../", "**/"];

/**
 * Tries generated paths on generated patterns, with the shortcut that finds most paths out of a set by their plain text and
 * without it. Returns each case with two results.
 */
export function shortcutDifferences(rounds: number, seed: number): string[] {
  const roll = diceFrom(seed);
  const place = placeIn("/home/me/work");
  const starts = [...STARTS, "/home/me/work/", "/home/me/", "/root/", "/Users/x/"];
  const differences: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const covers = Array.from({ length: 1 + roll(2) }, () => pick(roll, STARTS) + joined(roll, PATTERN_PARTS));
    const not = roll(4) === 0 ? { not: [joined(roll, PATTERN_PARTS)] } : {};
    const options: PatternOptions = {
      homes: roll(2) === 0 ? [] : EVERY_HOME,
      ignoreCase: roll(2) === 0,
      inProject: roll(2) === 0,
      elsewhere: pick(roll, ["all", "none", "either"] as const),
    };
    const quick = new PathPatterns([{ covers, ...not }], place, options);
    const full = new PathPatterns([{ covers: [...covers, NO_SHORTCUT], ...not }], place, options);
    for (let tries = 0; tries < 12; tries++) {
      const start = pick(roll, starts);
      const path = tries < 4 ? joined(roll, PATH_PARTS, start) : pathOf(roll, pick(roll, covers), start);
      const form: PathForm = {
        path,
        // A pattern of names takes no shortcut, and may stand for what the added pattern names.
        glob: roll(4) === 0 && !/[*?[\\]/.test(path),
        extent: "itself",
        read: roll(2) === 0,
        elsewhere: roll(4) === 0,
      };
      const need = pick(roll, ["either", "both"] as const);
      const [is, shouldBe] = [quick.fit(form, need), full.fit(form, need)];
      if (is !== shouldBe) differences.push(JSON.stringify({ covers, ...not, options, form, need, is, shouldBe }));
    }
  }
  return differences;
}

function joined(roll: Dice, parts: readonly string[], start = ""): string {
  return start + Array.from({ length: 1 + roll(3) }, () => pick(roll, parts)).join("/");
}

/** A path that a pattern may cover: its wildcards filled in, in another case or below what it names. */
function pathOf(roll: Dice, pattern: string, start: string): string {
  const filled = pattern
    .replace(/^(?:~|\.|<project>)\//, start)
    .replace(/\*+/g, () => pick(roll, ["", "x", "a/b", "Y"]))
    .replaceAll("?", "z");
  const cased = roll(3) === 0 ? filled.toUpperCase() : filled;
  return roll(3) === 0 ? `${cased}/${pick(roll, PATH_PARTS)}` : cased;
}
