import { expect, test } from "bun:test";
import { placeOf } from "../../../src/facts/place.ts";
import { shellSteps } from "../../../src/facts/shell-steps.ts";
import { expandAlternatives } from "../../../src/shell/paths/path-text.ts";
import { diceFrom } from "../../helpers/dice.ts";
import { expectLinear } from "../../helpers/growth.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const home = tempDir();
const place = placeOf({ cwd: home, env: { HOME: home } });

/** Computes every fact of a line. */
function allFacts(line: string): number {
  const { steps } = shellSteps(line, { place, directory: "", posix: true });
  return steps.reduce((sum, step) => {
    const { program, verb, flags, args, effect, paths, hosts, sends, ref, target } = step;
    const values = [flags, args, effect, ref, target].reduce((all, one) => all + one.values.length, 0);
    return sum + values + program.length + verb.length + paths.length + hosts.length + sends.length;
  }, 0);
}

test.each([
  ["", "{,"],
  ["{", ","],
  ["{", "{a,"],
  ["{", "a..,"],
  ["", "{a,b}"],
  ["", "{a,b}{"],
  ["", "{..}"],
  ["{", "{},"],
])("braces take time linear in the length: %j and many times %j", async (start, bomb) => {
  await expectLinear(60_000, (size) => {
    const text = start + bomb.repeat(Math.floor(size / bomb.length));
    return () => expandAlternatives(text);
  });
});

test("nested braces are read at once, however many", () => {
  expect(expandAlternatives(`${"{a,".repeat(500)}b${"}".repeat(500)}`)).toEqual(["a", "b"]);
  expect(expandAlternatives("{a,b}".repeat(11))).toEqual(["*"]);
  expect(expandAlternatives("x{".repeat(20_000) + "}".repeat(20_000))).toHaveLength(1);
});

test.each([
  ["", "rm a "],
  ["", "rm a;"],
  ["", "git push -f;"],
  ["", "a=$a$a;"],
  ["", "cd a; "],
  ["", "curl -o a x; sh a; "],
  ["", "sh -c 'a' > f; "],
  ["", "sh -c 'sh -c a' | "],
  ["", "(a) > f; "],
  ["", "$(a "],
  ["", "{ a; } | "],
  ["", "alias a='a a';a;"],
  ["", "f() { f | f & }; "],
  ["", "xargs -I{} "],
  ["", "sudo "],
  ["", "$X "],
  ["", "\0"],
  ["rm ", "../"],
  ["rm ", "a/../"],
  ["rm ", "{,"],
  ["rm {", ","],
  ["rm ", "a*/"],
  ["cat ", "{a,b} "],
  ["git push origin ", "+a:b "],
  ["find . ", "-exec a ; "],
  ["curl ", "http://a/ "],
  ["rsync ", "h:a "],
  ["docker run ", "-v /a:/b "],
  ["python3 -c '", "open("],
  ["awk '", '{system("a b")}'],
  ["psql -c '", "DROP a; "],
  ["sed '", "s/a/b/e;"],
  ["echo '", "\\a"],
  ["xargs -I{} a {} <<< '", "{} "],
  ["((", "a "],
])(
  "the facts of a line take time linear in its length: %j and many times %j",
  async (start, bomb) => {
    await expectLinear(100_000, (size) => {
      const line = start + bomb.repeat(Math.floor(size / bomb.length));
      return () => allFacts(line);
    });
  },
  60_000,
);

test("no line of odd characters makes the facts fail", () => {
  const dice = diceFrom(3);
  const odd = [
    "'",
    '"',
    "\\",
    "`",
    "$(",
    "${",
    "((",
    "<<",
    "<(",
    "{",
    "}",
    ",",
    "\0",
    "\ud800",
    "é",
    "=",
    "~",
    "/",
    "|",
    ">",
    "\n",
    "[",
    "*",
    "-",
  ];
  const words = [
    "git",
    "push",
    "-f",
    "rm",
    "sh",
    "-c",
    "xargs",
    "curl",
    "sudo",
    "find",
    "-exec",
    "python3",
    "psql",
    "docker",
    "run",
    "tar",
    "sed",
  ];
  for (let round = 0; round < 5_000; round++) {
    const parts = Array.from({ length: 1 + dice(12) }, () => {
      const kind = dice(3);
      if (kind === 0) return odd[dice(odd.length)] ?? "";
      if (kind === 1) return ` ${words[dice(words.length)] ?? ""} `;
      return String.fromCharCode(dice(0x3_00));
    });
    allFacts(parts.join(""));
  }
}, 120_000);
