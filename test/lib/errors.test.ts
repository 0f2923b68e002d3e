import { expect, test } from "bun:test";
import { ConfigError, helpOf, InputError, UsageError, UserError } from "../../src/lib/errors.ts";

const HELP = { cause: "It is gone.", cure: "Bring it." };

test.each([UserError, UsageError, ConfigError, InputError])("%p has its help, else that of its cause", (Kind) => {
  const inner = new UserError("inner", { help: HELP });
  expect(new Kind("outer", { help: HELP }).help).toBe(HELP);
  expect(new Kind("outer", { cause: inner }).help).toBe(HELP);
  expect(new Kind("outer", { cause: inner, help: { ...HELP, cure: "other" } }).help?.cure).toBe("other");
  expect(new Kind("outer", { cause: new Error("no error of hooksh") }).help).toBeUndefined();
  expect(new Kind("outer").help).toBeUndefined();
});

test("no other thrown value has a help", () => {
  expect([new Error("x"), { help: HELP }, "x", undefined].map(helpOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
