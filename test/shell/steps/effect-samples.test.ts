import { expect, test } from "bun:test";
import { effectSamples } from "../../../src/shell/steps/effect-samples.ts";
import { EFFECTS } from "../../../src/shell/steps/effects/effect.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";
import { readProgram } from "../../../src/shell/steps/read-program.ts";

test("every effect has a sample, and every sample has its effect as a line of a shell", () => {
  const wrong = effectSamples().filter(({ effect, sample }) => {
    const { invocations } = readLine(sample, { env: {}, posix: true });
    return !invocations.some((one) =>
      readProgram(one).effects.values.some(({ text, sure }) => sure && text === effect),
    );
  });
  expect(wrong).toEqual([]);
  expect(new Set(effectSamples().map(({ effect }) => effect))).toEqual(new Set(EFFECTS));
});
