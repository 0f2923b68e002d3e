import { expect, test } from "bun:test";
import { blankValues } from "../../../src/lib/secrets/blank-values.ts";

test("blanks the longest value first, and leaves values alone that are too short for a secret", () => {
  const values = ["secret", "secret-and-more", "e", ""];
  expect(blankValues("the secret, the secret-and-more", values)).toBe("the [REDACTED], the [REDACTED]");
  expect(blankValues("here", values)).toBe("here");
});
