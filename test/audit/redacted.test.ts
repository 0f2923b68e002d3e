import { describe, expect, test } from "bun:test";
import { isPlainProse, redactedField } from "../../src/audit/redacted.ts";
import { redactedPayload } from "../../src/audit/redacted-payload.ts";
import { rememberSecret } from "../../src/lib/secrets/known-secrets.ts";
import { redactText } from "../../src/redaction/redact.ts";
import { expectConstant } from "../helpers/growth.ts";
import { CONTEXTS } from "../redaction/contexts.ts";
import { fits, POSITIVE_KINDS, place, positivesOf } from "../redaction/positives.ts";

describe("texts of the audit log", () => {
  test.each([
    "a force push rewrites history: use a new branch",
    "no (not on Fridays); ask somebody first!",
    "rm is refused, use trash instead",
  ])("%j needs no search for secrets, which finds none", (text) => {
    expect(isPlainProse(text)).toBe(true);
    expect(redactText(text)).toBe(text);
  });

  test("no sample of a secret passes for plain prose", () => {
    const positives = POSITIVE_KINDS.flatMap((kind) => positivesOf(kind, 3, 1));
    const samples = positives.flatMap((positive) => [
      positive.value,
      ...CONTEXTS.filter((context) => fits(positive, context)).map((context) => place(positive, context).text),
    ]);
    expect(samples.length).toBeGreaterThan(10_000);
    expect(samples.filter((sample) => isPlainProse(sample) && redactText(sample) !== sample)).toEqual([]);
  });

  test("a secret of this process is no plain prose, even if it looks like it", async () => {
    rememberSecret("correct horse battery");
    expect(isPlainProse("it is correct horse battery, they say")).toBe(false);
    expect(await redactedField("reason", "it is correct horse battery, they say")).toEqual({
      reason: "it is [REDACTED], they say",
    });
  });

  test("a long text is cut, a blank one is left out", async () => {
    expect(await redactedField("reason", "x y ".repeat(2000))).toEqual({ reason: expect.stringMatching(/^.{2047}…$/) });
    expect(await redactedField("reason", " \n")).toEqual({});
    expect(await redactedField("reason", undefined)).toEqual({});
  });

  test("of a text of any length, the same part is searched", async () => {
    await expectConstant(4_000_000, (size) => {
      const text = Buffer.from(`AKIAQWERTYUIOPASDFGH ${"key: ".repeat(size / 5)}`).toString();
      return async () =>
        expect(await redactedField("reason", text)).toEqual({
          reason: expect.stringMatching(/^\[REDACTED\] .{2036}…$/),
        });
    });
  });

  test("a payload that is too long to be searched is cut first", async () => {
    const long = { tool_name: "shell", tool_input: { cmd: `AKIAQWERTYUIOPASDFGH ${"key: ".repeat(200_000)}` } };
    const { payload, payload_cut: cut } = await redactedPayload(long);
    expect(cut).toBe(JSON.stringify(long).length);
    expect(payload).toEqual({
      tool_name: "shell",
      tool_input: { cmd: expect.stringMatching(/^\[REDACTED\] key: [^]{8000,8300}$/) },
    });
    const items = Array.from({ length: 100_000 }, () => "item");
    expect(await redactedPayload({ items })).toEqual({ payload: {}, payload_cut: JSON.stringify({ items }).length });
  });
});
