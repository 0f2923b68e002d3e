import { expect, test } from "bun:test";
import { DeliberateKey } from "../../../src/terminal/front-end/deliberate-key.ts";

/** The keys that answer, if all are pressed within the same moment. */
async function answersOf(pressedAt: number, ...pressed: (string | undefined)[]): Promise<string[]> {
  const answers: string[] = [];
  const keys = new DeliberateKey(pressedAt, (key) => answers.push(key));
  for (const key of pressed) keys.press(key);
  await Bun.sleep(100);
  return answers;
}

test("a key on its own answers after the keyboard was quiet, and not before", async () => {
  expect(await answersOf(0, "y")).toEqual(["y"]);
  expect(await answersOf(Date.now() + 60_000, "y")).toEqual([]);
});

test("a key with Enter directly after it answers, as expect and slow lines send them; with more keys it does not", async () => {
  for (const enter of ["enter", "return", "\r", "\n"]) expect(await answersOf(0, "y", enter)).toEqual(["y"]);
  expect(await answersOf(0, "y", "enter", "enter")).toEqual([]);
  expect(await answersOf(0, "y", "enter", "n")).toEqual([]);
  expect(await answersOf(0, "y", "e", "enter")).toEqual([]);
  expect(await answersOf(Date.now() + 60_000, "y", "enter")).toEqual([]);
  expect(await answersOf(0, "enter")).toEqual(["enter"]);
  expect(await answersOf(0, "enter", "enter")).toEqual([]);
  expect(await answersOf(0, undefined, "enter")).toEqual([]);
});

test("neither pasted text nor another key answers", async () => {
  expect(await answersOf(0, "y", "e", "s")).toEqual([]);
  expect(await answersOf(0, "y", undefined)).toEqual([]);
  expect(await answersOf(0, undefined)).toEqual([]);
});
