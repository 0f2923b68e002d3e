import { expect, test } from "bun:test";
import { rememberSecret } from "../../src/lib/secrets/known-secrets.ts";
import { isHarmless } from "../../src/trace/harmless.ts";

test.each([
  "guard",
  "apply_guardrail ./hooks/guard.sh",
  "cat > /dev/null",
  "exited with status 3",
  "no force push, please",
])("%p is harmless", (text) => {
  expect(isHarmless(text)).toBe(true);
});

test("a text with a secret of this process is not", () => {
  expect(isHarmless("open the sesame door")).toBe(true);
  rememberSecret("the sesame");
  expect(isHarmless("open the sesame door")).toBe(false);
});
