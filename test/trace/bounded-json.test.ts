import { describe, expect, test } from "bun:test";
import { redactStart } from "../../src/lib/secrets/redaction-mark.ts";
import { boundedJson } from "../../src/trace/bounded-json.ts";

/** A redactor that notes how much it reads. */
function counting(): { read: number[]; redact: (text: string) => string } {
  const read: number[] = [];
  const redact = (text: string) => {
    read.push(text.length);
    return text.replaceAll("SECRET", "[REDACTED]");
  };
  return { read, redact };
}

const MILLION = 1_000_000;

describe("the search for secrets, for which a verdict waits,", () => {
  test("reads only the start of a long text", () => {
    const { read, redact } = counting();
    expect(redactStart(`SECRET ${"x".repeat(8 * MILLION)}`, redact, 2048)).toStartWith("[REDACTED] x");
    expect(read).toEqual([65_536]);
  });

  test("shows nothing of a text whose start is secret: a part of a secret may follow", () => {
    expect(redactStart("y".repeat(100_000), () => "[REDACTED] half", 2048)).toBe("[REDACTED]");
  });

  test.each([
    ["a long text", { cmd: `SECRET ${"x".repeat(8 * MILLION)}`, tool: "shell" }],
    ["many texts", Array.from({ length: 1000 }, (_, at) => `SECRET ${at} ${"x".repeat(8000)}`)],
  ])("reads only a part of a value with %s", (_, value) => {
    const { read, redact } = counting();
    const text = boundedJson(value, redact, 65_536);
    expect(read.length).toBe(1);
    expect(read[0]).toBeLessThanOrEqual(256 * 1024);
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(JSON.stringify(JSON.parse(text))).toContain("[REDACTED]");
    expect(text).not.toContain("SECRET");
  });

  test("leaves no part of a secret where it cut before it searched", () => {
    const value = { cmd: `${"x".repeat(4 * 16_384 - 3)}SECRET${"x".repeat(MILLION)}` };
    const text = boundedJson(value, counting().redact, 128 * 1024);
    expect(text).toMatch(/^\{"cmd":"x{16384} /);
  });
});
