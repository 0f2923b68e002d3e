import { expect } from "bun:test";

/** Every kind of escape of a JSON string, alone and after an escaped backslash. */
export const ESCAPES = [
  '\\"',
  "\\\\",
  "\\/",
  "\\b",
  "\\f",
  "\\n",
  "\\r",
  "\\t",
  "\\u0041",
  "\\u00e9",
  "\\u00E9",
  "\\ud83d\\ude00",
  "\\\\n",
  "\\\\\\n",
  "\\\\u0041",
  "\\\\\\u0041",
  "\\\\\\\\",
];
export const BODY = "Zk3Qw8Rt5Yp1";

/** The parsed value of the member whose string is written as `written`, once the document is redacted. */
export function redactedMember(written: string, redact: (text: string) => string): string {
  const document = `{"first":[1.50,true,"\\u0041\\/"],"text":"${written}","last":"\\n"}`;
  const redacted = redact(document);
  try {
    const { text, ...others } = JSON.parse(redacted);
    expect(others).toEqual({ first: [1.5, true, "A/"], last: "\n" });
    return text;
  } catch (error) {
    throw new Error(`${document} became ${redacted}`, { cause: error });
  }
}
