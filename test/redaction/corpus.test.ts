import { describe, expect, test } from "bun:test";
import { REDACTION_MARK } from "../../src/lib/redaction-mark.ts";
import { redactText, SECRET_KINDS } from "../../builtins/redaction/redact.ts";
import { CONTEXTS } from "./contexts.ts";
import { negatives } from "./negatives.ts";
import { fits, place, POSITIVE_KINDS, positivesOf } from "./positives.ts";

/** How many samples of each kind are made; with 95 contexts, each sample is met in four or five of them. */
const SAMPLES = 20;

/** The positives of a kind, each context once, with the samples in turn. */
function placed(kind: string) {
  const positives = positivesOf(kind, SAMPLES, kind.length);
  return CONTEXTS.flatMap((context, at) => {
    const positive = positives[at % SAMPLES];
    return positive && fits(positive, context) ? [{ positive, context, ...place(positive, context) }] : [];
  });
}

describe("the corpus", () => {
  test("has samples of every kind of secret", () => {
    expect(SECRET_KINDS.filter((kind) => !POSITIVE_KINDS.includes(kind))).toEqual([]);
    expect(POSITIVE_KINDS.filter((kind) => !SECRET_KINDS.includes(kind))).toEqual([]);
  });

  test("has twenty different samples of each kind, in at least 40 contexts that show the secret", () => {
    for (const kind of POSITIVE_KINDS) {
      expect([kind, new Set(positivesOf(kind, SAMPLES, 1).map(({ secret }) => secret)).size]).toEqual([kind, SAMPLES]);
      expect(placed(kind).length).toBeGreaterThanOrEqual(40);
      for (const { context, text, spelled } of placed(kind)) expect([kind, context.id, text.includes(spelled)]).toEqual([kind, context.id, true]);
    }
  });

  test("is the same for the same seed", () => {
    expect(positivesOf("private-key", 3, 7)).toEqual(positivesOf("private-key", 3, 7));
    expect(negatives(1, 7)).toEqual(negatives(1, 7));
  });
});

/** Kinds of which more goes than the line that the samples show: the whole body of a key, the whole value of an entry. */
const WIDER = /private-key/;
const WHOLE_ENTRY = "Kubernetes stringData";
/** Kinds that are not found in some contexts. */
const PARTLY = new Set(["nuget-config-password", "generic-api-key", "generic-password", "license-key", "azure-sas-signature", "curl-auth-user"]);

describe.each(POSITIVE_KINDS.map((kind) => [kind]))("%s", (kind) => {
  test("is found in every context, and nothing else goes", () => {
    for (const { positive, context, text, spelled } of placed(kind)) {
      const redacted = redactText(text);
      if (PARTLY.has(kind) && redacted.includes(spelled)) continue;
      expect([context.id, text, redacted.includes(spelled)]).toEqual([context.id, text, false]);
      const isWider = WIDER.test(kind) || (positive.framed && context.id === WHOLE_ENTRY) || context.id === "diff";
      if (!isWider) expect([context.id, redacted]).toEqual([context.id, text.replaceAll(spelled, REDACTION_MARK)]);
      expect(redactText(redacted)).toBe(redacted);
    }
  });
});

const families = Map.groupBy([3, 4, 5].flatMap((seed) => negatives(SAMPLES, seed)).filter(({ family }) => !family.startsWith("names that begin")), ({ family }) => family);

describe.each([...families].map(([family, texts]) => [family, texts] as const))("%s", (_family, texts) => {
  test("are left", () => {
    for (const { text } of texts) expect(redactText(text)).toBe(text);
  });
});
