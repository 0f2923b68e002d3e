import { describe, expect, test } from "bun:test";
import { SECRET_KINDS } from "../../builtins/redaction/redact.ts";
import { CONTEXTS } from "./contexts.ts";
import { negatives } from "./negatives.ts";
import { fits, place, POSITIVE_KINDS, positivesOf } from "./positives.ts";

describe("the corpus", () => {
  test("has samples of every kind of secret", () => {
    expect(SECRET_KINDS.filter((kind) => !POSITIVE_KINDS.includes(kind))).toEqual([]);
    expect(POSITIVE_KINDS.filter((kind) => !SECRET_KINDS.includes(kind))).toEqual([]);
  });

  test("has twenty different samples of each kind, each in at least 40 contexts that show the secret", () => {
    for (const kind of POSITIVE_KINDS) {
      const positives = positivesOf(kind, 20, 1);
      expect([kind, new Set(positives.map(({ secret }) => secret)).size]).toEqual([kind, 20]);
      for (const positive of positives.slice(0, 4)) {
        const contexts = CONTEXTS.filter((context) => fits(positive, context));
        expect(contexts.length).toBeGreaterThanOrEqual(40);
        for (const context of contexts) {
          const { text, spelled } = place(positive, context);
          expect([kind, context.id, text.includes(spelled)]).toEqual([kind, context.id, true]);
        }
      }
    }
  });

  test("is the same for the same seed", () => {
    expect(positivesOf("github-pat", 3, 7)).toEqual(positivesOf("github-pat", 3, 7));
    expect(negatives(1, 7)).toEqual(negatives(1, 7));
  });
});
