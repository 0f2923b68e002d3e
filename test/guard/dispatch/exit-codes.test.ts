import { expect, test } from "bun:test";
import { dispatchExitCode, worseExitCode } from "../../../src/guard/dispatch/exit-codes.ts";
import { EXIT_CODES } from "../../../src/lib/errors.ts";

const { ok, asked, blocked, failed, usage, interrupted } = EXIT_CODES;
const BEST_FIRST = [ok, asked, blocked, failed, usage, interrupted];

test("of two events the worse one decides, whichever came first", () => {
  for (const [index, better] of BEST_FIRST.entries()) {
    for (const worse of BEST_FIRST.slice(index)) {
      expect(worseExitCode(better, worse)).toBe(worse);
      expect(worseExitCode(worse, better)).toBe(worse);
    }
  }
});

test("a host that reads a hook's exit code sees 0 or 2, unless the format says more", () => {
  const codes = (words: readonly string[]) => BEST_FIRST.map((code) => dispatchExitCode(code, words));
  const asHook = [0, 0, 2, 2, 2, 2];
  expect(codes([])).toEqual(asHook);
  expect(codes(["--output", "hook"])).toEqual(asHook);
  expect(codes(["--output"])).toEqual(asHook);
  expect(codes(["--", "--output", "result"])).toEqual(asHook);
  expect(codes(["--output", "result"])).toEqual(BEST_FIRST);
  expect(codes(["--no-such-flag", "--output=text"])).toEqual(BEST_FIRST);
  expect(codes(["--output", "result", "--output", "hook"])).toEqual(asHook);
});
