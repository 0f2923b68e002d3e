import { describe, expect, test } from "bun:test";
import { REDACTION_MARK } from "../../src/lib/secrets/redaction-mark.ts";
import { redactText, SECRET_KINDS } from "../../src/redaction/redact.ts";
import { CONTEXTS, type Context } from "./contexts.ts";
import { type Negative, negatives } from "./negatives.ts";
import { fits, POSITIVE_KINDS, type Positive, place, positivesOf } from "./positives.ts";

/** How many samples of each kind are made; each is met in about five of the contexts. */
const SAMPLES = 20;

interface Placed {
  positive: Positive;
  context: Context;
  text: string;
  spelled: string;
}

/** The positives of a kind, each context once, with the samples in turn from the one at `first`. */
function placed(kind: string, first = 0): Placed[] {
  const positives = positivesOf(kind, SAMPLES, kind.length);
  return CONTEXTS.flatMap((context, at) => {
    const positive = positives[(first + at) % SAMPLES];
    return positive && fits(positive, context) ? [{ positive, context, ...place(positive, context) }] : [];
  });
}

/** The kind of a value that the caller names: it has no pattern and no name. */
const KNOWN = "known-value";

describe("the corpus", () => {
  test("has samples of every kind of secret", () => {
    expect(SECRET_KINDS.filter((kind) => !POSITIVE_KINDS.includes(kind) && kind !== KNOWN)).toEqual([]);
    expect(POSITIVE_KINDS.filter((kind) => !SECRET_KINDS.includes(kind))).toEqual([]);
  });

  test("has twenty different samples of each kind, in at least 40 contexts that show the secret", () => {
    for (const kind of POSITIVE_KINDS) {
      expect([kind, new Set(positivesOf(kind, SAMPLES, 1).map(({ secret }) => secret)).size]).toEqual([kind, SAMPLES]);
      expect(placed(kind).length).toBeGreaterThanOrEqual(40);
      for (const { context, text, spelled } of placed(kind))
        expect([kind, context.id, text.includes(spelled)]).toEqual([kind, context.id, true]);
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
/** Tokens that hold percent signs themselves, so that what is encoded behind them belongs to them. */
const ENCODED = new Set(["slack-session-token", "secret-token-uri", "azure-sas-signature", "aws-presigned-signature"]);
/** What is not found: an address that is escaped twice, and a command line that is a header of another one. */
const MISSED: Readonly<Record<string, readonly string[]>> = {
  "azure-sas-signature": ["XML attribute", "XML element", "HTML field"],
  "curl-auth-user": ["header of curl"],
};

/** Contexts in which words are separated by %20: a command line is not read there. */
const ENCODED_WORDS = new Set(["URL query", "percent-encoded"]);

/** True if the secret is still there, and is not meant to be. */
function isMissed(kind: string, { positive, context, text, spelled }: Placed): boolean {
  if (positive.framed && positive.value.includes(" ") && ENCODED_WORDS.has(context.id)) return false;
  return redactText(text).includes(spelled) && !MISSED[kind]?.includes(context.id);
}

describe.each(POSITIVE_KINDS.map((kind) => [kind]))("%s", (kind) => {
  test("is found in every context, and nothing else is redacted", () => {
    // One random sample in hundreds looks like words; that another one is found in the same context shows that it does not matter there.
    const others = new Map(placed(kind, 7).map((each) => [each.context.id, each]));
    for (const each of placed(kind)) {
      const { positive, context, text, spelled } = each;
      const other = others.get(context.id);
      if (isMissed(kind, each) && (!other || isMissed(kind, other)))
        expect([context.id, text]).toEqual(["nowhere", ""]);
      const redacted = redactText(text);
      expect(redactText(redacted)).toBe(redacted);
      const isWider =
        WIDER.test(kind) ||
        (positive.framed && context.id === WHOLE_ENTRY) ||
        (ENCODED.has(kind) && context.id === "percent-encoded");
      // Of an address with several secrets in it, each goes alone where what joins them is escaped.
      if (spelled.includes("&amp;")) continue;
      if (!isWider && !redacted.includes(spelled))
        expect([context.id, redacted]).toEqual([context.id, text.replaceAll(spelled, REDACTION_MARK)]);
    }
  });
});

const harmless = [3, 4, 5].flatMap((seed) => negatives(SAMPLES, seed));
const isMarked = ({ family }: Negative) => family.startsWith("names that begin like");
const families = Map.groupBy(
  harmless.filter((negative) => !isMarked(negative)),
  ({ family }) => family,
);

describe.each([...families].map(([family, texts]) => [family, texts] as const))("%s", (_family, texts) => {
  test("are left", () => {
    for (const { text } of texts) expect(redactText(text)).toBe(text);
  });
});

test("names as long as a token after its prefix stay, except for one in five hundred", () => {
  const names = harmless.filter(isMarked);
  const rewritten = names.filter(({ text }) => redactText(text) !== text);
  expect(names.length).toBeGreaterThan(4000);
  expect(rewritten.length).toBeLessThan(names.length / 500);
});
