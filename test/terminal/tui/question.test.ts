import { expect, test } from "bun:test";
import { YES_OR_NO } from "../../../src/terminal/front-end/terminal.ts";
import { THEMES } from "../../../src/terminal/theme.ts";
import { KeyQuestion } from "../../../src/terminal/tui/question.ts";

/** More than the keyboard must be quiet, and a question shown, before Enter answers it. */
const QUIET_MS = 500;

/** What a question is answered with if keys are pressed `after` it was shown; every text arrives in one moment. */
async function answersOf(after: number, ...keys: string[]): Promise<(string | undefined)[]> {
  const answers: (string | undefined)[] = [];
  const question = new KeyQuestion({
    question: "Continue? ",
    choices: YES_OR_NO,
    theme: () => THEMES.none,
    pressedAt: 0,
    answer: (key) => answers.push(key),
  });
  await Bun.sleep(after);
  for (const key of keys) question.handleInput(key);
  await Bun.sleep(100);
  return answers;
}

test.each([
  ["when it was on the screen long enough to be read", QUIET_MS, ["\r"], ["y"]],
  ["not as it appears, unlike a letter", 0, ["\r"], []],
  ["not when it is pressed twice at once", QUIET_MS, ["\r", "\r"], []],
  ["not right behind an arrow key, as in pasted text", QUIET_MS, ["\x1b[B", "\r"], []],
  ["not in pasted text", QUIET_MS, ["\x1b[200~yes\r\x1b[201~"], []],
  ["once with a letter before it", QUIET_MS, ["n", "\r"], ["n"]],
  ["with the letter as it appears", 0, ["y", "\r"], ["y"]],
])("Enter answers a question %s", async (_name, after, keys, answers) => {
  expect(await answersOf(after, ...keys)).toEqual(answers);
});
