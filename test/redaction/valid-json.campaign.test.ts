import { describe, expect, test } from "bun:test";
import { createRedactor, SECRET_RULES } from "../../src/redaction/redact.ts";
import { BODY, ESCAPES, redactedMember } from "./escaped-json.ts";
import { allSamples, randomFrom } from "./samples.ts";

describe("valid JSON stays valid", () => {
  test("with known values and secrets side by side among random escapes", () => {
    const random = randomFrom(53);
    const pick = <Item>(from: readonly Item[]): Item => from[Math.floor(random() * from.length)] as Item;
    const samples = allSamples(SECRET_RULES, 54).map(({ sample }) => JSON.stringify(sample.text).slice(1, -1));
    const known = [`n${BODY}`, `u0041${BODY}`, `/${BODY}\\`, `${BODY}\t"x`, `${BODY}\\u00`, "é\n7Hq2Lm9Xc"];
    const spelled = known.map((value) => JSON.stringify(value).slice(1, -1));
    const { redact } = createRedactor({ known });
    for (let round = 0; round < 4000; round++) {
      const pieces = Array.from({ length: 6 }, () => pick([ESCAPES, ESCAPES, samples, spelled, [BODY, "u0041", "n"]]));
      const written = pieces.map((from) => pick(from)).join("");
      expect(redactedMember(`a ${written} b`, redact)).toMatch(/^a [^]* b$/);
    }
  });
});
