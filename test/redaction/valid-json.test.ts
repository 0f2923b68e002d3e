import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createRedactor, redactText, SECRET_RULES } from "../../src/redaction/redact.ts";
import { BODY, ESCAPES, redactedMember } from "./escaped-json.ts";
import { allSamples } from "./samples.ts";

// Bun's own limit of five seconds is too short for these loops on a busy machine.
setDefaultTimeout(120_000);

describe("valid JSON stays valid", () => {
  test.each(ESCAPES)("with %s on both sides of a secret of any pattern", (escape) => {
    for (const { id, sample } of allSamples(SECRET_RULES, 51)) {
      const written = `a ${escape}${JSON.stringify(sample.text).slice(1, -1)}${escape} b`;
      expect([id, redactedMember(written, redactText)]).toEqual([id, expect.stringMatching(/^a [^]* b$/)]);
    }
  });

  test("where the letter of an escape begins a secret", () => {
    const letters = new Set("bfnrt");
    const withPattern = allSamples(SECRET_RULES, 52).filter(
      ({ sample: { text, start } }) => start === 0 && letters.has(text.charAt(0)) && redactText(text) === "[REDACTED]",
    );
    expect(new Set(withPattern.map(({ sample }) => sample.text.charAt(0))).size).toBeGreaterThanOrEqual(3);
    for (const { sample } of withPattern) {
      const line = JSON.parse(`"\\${sample.text.charAt(0)}"`);
      expect(redactedMember(`a\\${sample.text} b`, redactText)).toBe(`a${line}[REDACTED] b`);
      expect(redactedMember(`a\\\\${sample.text} b`, redactText)).toBe("a\\[REDACTED] b");
      expect(redactedMember(`a\\\\\\${sample.text} b`, redactText)).toBe(`a\\${line}[REDACTED] b`);
    }
  });

  test("but a backslash before another letter is not an escape, and the secret after it goes whole", () => {
    for (const { id, sample } of allSamples(SECRET_RULES, 55)) {
      if (sample.start > 0 || !/^[^"\\/bfnrtu]/.test(sample.text) || redactText(sample.text) !== "[REDACTED]") continue;
      expect([id, redactText(`C:\\${sample.text}`)]).toEqual([id, "C:\\[REDACTED]"]);
    }
  });

  test.each(ESCAPES)("where a known value begins or ends anywhere in %s", (escape) => {
    const whole = JSON.parse(`"${escape}"`);
    for (let from = 0; from <= escape.length; from++) {
      for (let to = 0; to <= escape.length; to++) {
        const known = escape.slice(from) + BODY + escape.slice(0, to);
        const { redact } = createRedactor({ known: [known] });
        const redacted = redactedMember(`a ${escape}${BODY}${escape} b`, redact);
        expect([known, redacted]).toEqual([known, expect.stringMatching(/^a [^]*\[REDACTED\][^]* b$/)]);
        expect(redacted).not.toContain(BODY);
        if (from === escape.length) expect(redacted).toStartWith(`a ${whole}[`);
        if (to === 0) expect(redacted).toEndWith(`]${whole} b`);
      }
    }
  });
});
