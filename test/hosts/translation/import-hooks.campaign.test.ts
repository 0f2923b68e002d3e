import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HOST_FILES, type HostId, hostFiles } from "../../../src/dialects/host-files.ts";
import { HOST_RULES } from "../../../src/dialects/translate/host-rules.ts";
import { translateMatcher } from "../../../src/dialects/translate/matcher.ts";
import { parseJsonSource, parseTomlSource, SourceError } from "../../../src/dialects/translate/source-text.ts";
import { importHooks } from "../../../src/hosts/translation/import-hooks.ts";
import { compileMatcher } from "../../../src/pattern/pattern.ts";
import { type Dice, diceFrom, pick } from "../../helpers/dice.ts";

const samples = join(import.meta.dir, "../../dialects/translate/samples");
const hosts = Object.keys(HOST_FILES) as HostId[];
const place = { home: "/home/dev", project: "/home/dev/shop", env: {}, platform: "linux" };

/** Texts that mean something in one of the formats, and some that do not. */
const PIECES = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "null",
  "1e999",
  "-0",
  "\\u0000",
  '"hooks"',
  "=",
  "#",
  "//",
  "\n",
  "[[hooks]]",
  "\u202e",
];

function damaged(text: string, dice: Dice): string {
  let result = text;
  for (let left = 1 + dice(4); left > 0; left--) {
    const at = dice(result.length + 1);
    result = result.slice(0, at) + pick(dice, PIECES) + result.slice(at + dice(6));
  }
  return result;
}

/** A JSON value with the keys that hooks have. */
function anyValue(dice: Dice, depth = 0): unknown {
  const keys = [
    "hooks",
    "PreToolUse",
    "preToolUse",
    "matcher",
    "command",
    "type",
    "timeout",
    "env",
    "args",
    "action",
    "when",
    "then",
    "__proto__",
  ];
  const scalars = ["command", "x", "*", "(", "", 0, -1, 5e9, Number.NaN, null, true, false];
  if (depth > 5 || dice(3) === 0) return pick(dice, scalars);
  const size = dice(4);
  if (dice(3) === 0) return Array.from({ length: size }, () => anyValue(dice, depth + 1));
  return Object.fromEntries(Array.from({ length: size }, () => [pick(dice, keys), anyValue(dice, depth + 1)]));
}

async function rowsOf(host: HostId, text: string, isToml: boolean): Promise<number> {
  const parse = isToml ? parseTomlSource : parseJsonSource;
  const row = hostFiles(host).files.find(({ format }) => (isToml ? format === "toml" : format.startsWith("json")));
  if (!row) return 0;
  const source = parse(text, "settings");
  const { rows, hooks } = await importHooks([{ host, files: [{ row, path: "/home/dev/settings", source }] }], place);
  for (const { place: at } of rows) expect(at).toMatch(/^settings:\d+:\d+$/);
  for (const { matcher } of hooks) compileMatcher(matcher);
  return rows.length;
}

test("a damaged file is either refused with its place or read, hook by hook", async () => {
  const dice = diceFrom(11);
  const files = [...new Bun.Glob("**/*.{json,toml}").scanSync({ cwd: samples, dot: true })].sort();
  let [refused, read] = [0, 0];
  for (const file of files) {
    const text = readFileSync(join(samples, file), "utf8");
    const host = file.split("/")[0] as HostId;
    for (let round = 0; round < 60; round++) {
      try {
        read += await rowsOf(host, damaged(text, dice), file.endsWith(".toml"));
      } catch (error) {
        expect(error).toBeInstanceOf(SourceError);
        expect((error as Error).message).toMatch(/^settings:\d+:\d+: ./);
        refused++;
      }
    }
  }
  expect(refused).toBeGreaterThan(100);
  expect(read).toBeGreaterThan(100);
});

test("any JSON value is read as the file of any host, without a failure of ours", async () => {
  const dice = diceFrom(5);
  for (let round = 0; round < 400; round++) {
    const text = JSON.stringify({ hooks: anyValue(dice) });
    for (const host of hosts) await rowsOf(host, text, false);
  }
});

test("any matcher is translated, or refused with a reason", () => {
  const dice = diceFrom(3);
  const parts = [
    "a",
    "Bash",
    ".",
    "*",
    "+",
    "?",
    "(",
    ")",
    "[",
    "]",
    "|",
    "\\",
    "^",
    "$",
    "{",
    "}",
    "2",
    ",",
    "!",
    "@",
    "/",
    "(?i)",
    "\\d",
    "é",
  ];
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + dice(12) }, () => pick(dice, parts)).join("");
    const translated = translateMatcher(text, HOST_RULES[pick(dice, hosts)].matcher, [
      { is: "shell", names: ["Bash"] },
    ]);
    if ("problem" in translated) expect(translated.problem.length).toBeGreaterThan(10);
    else compileMatcher(translated.matcher);
  }
});
