import { expect, test } from "bun:test";
import { ASSIGNED_RULES } from "../../src/redaction/kinds/assigned.ts";
import { createRedactor, findSecrets, SECRET_RULES } from "../../src/redaction/redact.ts";
import { compileRule } from "../../src/redaction/secret-pattern.ts";
import { expectLinear } from "../helpers/growth.ts";
import { assignmentOf as assignmentIn, CONTEXTS } from "./assignments.ts";
import { assignmentOf, faultsOf, randomFrom, type Sample, sampleOf, snakeOf, textOf } from "./samples.ts";

const MEGABYTE = 1 << 20;

const filled = (piece: string, length = MEGABYTE) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Expects that a secret behind a padding is found. */
function expectFound(name: string, padding: string, { text, start, end }: Sample, ending = ""): void {
  const shift = padding.length + 1;
  const found = findSecrets(`${padding}\n${text}${ending}`);
  const isThere = found.some((each) => each.start <= shift + start + 2 && each.end >= shift + end);
  expect([name, isThere]).toEqual([name, true]);
}

/** Expects that a secret behind a padding is found, in time linear in the length of the padding. */
async function expectFoundBehind(
  name: string,
  length: number,
  paddingOf: (length: number) => string,
  sample: Sample,
): Promise<void> {
  await expectLinear(length, (size) => {
    const padding = paddingOf(size);
    return () => expectFound(name, padding, sample);
  });
}

test("near misses and bare prefixes hide no rule's secret", async () => {
  const random = randomFrom(3);
  for (const rule of SECRET_RULES) {
    const fault = faultsOf(rule.pattern).findLast(({ kind }) => kind === "short");
    const near = sampleOf(rule.pattern, random, fault).text;
    const { anchors } = compileRule(rule);
    const paddingOf = (length: number) => {
      const beginnings = anchors.map((anchor) => filled(anchor, length / 3 / anchors.length));
      return [filled(`${near} `, length / 3), filled(near, length / 3), ...beginnings].join("\n");
    };
    await expectFoundBehind(rule.id, MEGABYTE / 16, paddingOf, sampleOf(rule.pattern, random));
  }
});

test("a megabyte of padding around it hides no rule's secret", () => {
  const random = randomFrom(5);
  for (const rule of SECRET_RULES) {
    expectFound(rule.id, filled("a", MEGABYTE / 2), sampleOf(rule.pattern, random), `\n${filled("0", MEGABYTE / 2)}`);
  }
});

test("names, empty assignments and near misses hide no assigned secret", async () => {
  const random = randomFrom(6);
  for (const rule of ASSIGNED_RULES) {
    const sample = assignmentOf(rule, random);
    const pieces = [snakeOf(rule), `${snakeOf(rule)}=`, `${sample.text.slice(0, -1)}* `];
    const paddingOf = (length: number) => pieces.map((piece) => filled(piece, length / 3)).join("\n");
    await expectFoundBehind(rule.id, MEGABYTE / 32, paddingOf, sample);
  }
});

/** Expects that a quarter of a megabyte of a repeated piece hides no secret, and is searched in linear time. */
async function expectPieceHidesNothing(piece: string, sample: Sample): Promise<void> {
  await expectFoundBehind(piece.slice(0, 40), MEGABYTE / 4, (length) => filled(piece, length), sample);
}

test.each([
  ["a"],
  ["0"],
  ["://"],
  ["a://"],
  ["redis://"],
  ["redis://a:"],
  ["x://x:y"],
  ["redis://a:b@"],
  ["@"],
  ["x://x:y@z@"],
  ["postgres://u:p"],
  ["http://a:1/"],
  ["redis://:"],
  ["[REDACTED]"],
  ["redis://a:[REDACTED]"],
])("a quarter of a megabyte of %j hides no password", async (piece) => {
  const text = "postgres://user:hunter22@host/db";
  const start = text.indexOf("hunter22");
  await expectPieceHidesNothing(piece, { text, start, end: start + 8 });
});

test("many @ after as many links is read once", async () => {
  await expectLinear(MEGABYTE / 4, (length) => {
    const text = `${filled("redis://x:", length)}${filled("y@", length)}`;
    return () => expect(findSecrets(text).length).toBeGreaterThan(0);
  });
});

test.each([
  ["", true],
  ["a", false],
])("glued keys are read once: with %j at their end, they are keys: %p", async (ending, areKeys) => {
  const key = `AKIA${"Q2RT7XZ5WPM3LKJ4"}`;
  await expectLinear(20_000, (count) => {
    const text = key.repeat(count) + ending;
    return () => expect(findSecrets(text).length).toBe(areKeys ? count : 0);
  });
});

const KEY_ANCHOR = "PRIVATE KEY";
const FENCE = "-".repeat(5);
const BEGIN = `${FENCE}BEGIN ${KEY_ANCHOR}${FENCE}`;

test.each([
  [KEY_ANCHOR],
  [`BEGIN ${KEY_ANCHOR}`],
  [BEGIN],
  [`${BEGIN}\n`],
  [`${BEGIN} a`],
  ["-"],
  ["\\"],
  ["\\n"],
  [`${BEGIN}\\n\\n`],
  [`${FENCE}END ${KEY_ANCHOR}${FENCE}`],
])("a quarter of a megabyte of %j hides no private key", async (piece) => {
  const body = "MIIE".repeat(16);
  const text = `${BEGIN}\n${body}\n${FENCE}END ${KEY_ANCHOR}${FENCE}`;
  await expectPieceHidesNothing(piece, { text, start: BEGIN.length + 1, end: BEGIN.length + 1 + body.length });
});

test.each([
  [`${FENCE}BEGIN ${KEY_ANCHOR}${FENCE}\n${"Ab1+".repeat(16)}\n`],
  [`${"Ab1+".repeat(16)}\n${FENCE}END ${KEY_ANCHOR}${FENCE}\n`],
  [`"${BEGIN}",{"`],
  ["Ab1+".repeat(16)],
  [`${"Ab1+".repeat(16)}\n`],
  ["----"],
  ["LS0tLS1CRUdJTi"],
  ["LS0tLS1CRUdJTi "],
  [`LS0tLS1CRUdJTi${"Ab1+".repeat(16)}\n`],
  ["Private-Lines: 4\n"],
  ["Private-"],
  ['"kty":"RSA",'],
  ['{"kty":"RSA","d":"'],
  ["<RSAKeyValue>"],
  ["RSAKeyValue&lt;"],
  ["<D>"],
])("a quarter of a megabyte of %j hides no key of any format", async (piece) => {
  const body = Array.from({ length: 4 }, () => "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj").join(
    "\n",
  );
  const text = `\n\nnothing here\n${BEGIN}\n${body}\n${FENCE}END ${KEY_ANCHOR}${FENCE}\n`;
  const start = text.indexOf("MIIE");
  await expectPieceHidesNothing(piece, { text, start, end: start + body.length });
});

test.each([
  ["\\"],
  ["\\/"],
  ["\\n"],
  ['\\"'],
  ["\\u0041"],
  ["\\u005c"],
  ["\\u005cu005c"],
  ["\\x5c"],
  ["\\\\\\/"],
  ["\\\n"],
  ["\\\n "],
  ["&"],
  ["&amp;"],
  ["&#38;"],
  ["&#38;amp;"],
  ["&#x26;#x26;"],
  ["%"],
  ["%25"],
  ["%2F"],
  ["%255C"],
  ["%25&#50;5"],
  ["=\n"],
  ["=3D"],
  ["=3D\n=\n"],
  ["\u001b[31m"],
  ["\u001b["],
  ["\\u001b[31m"],
  ["<wbr>"],
  ["\u200b"],
  ["a\u200b"],
  [": |\n  "],
  ["datadog&gt;"],
  ["datadog\\n"],
  ["datadog: |\n  "],
  ["password&quot;"],
  ["token%22%3A"],
  [`ghp\\u005f${"a".repeat(36)} `],
  [`postgres:\\/\\/u:p@h `],
])("a quarter of a megabyte of %j hides no escaped secret", async (piece) => {
  const token = `ghp_${"AbCdEfGhIj01".repeat(3)}`;
  const text = ` and then ghp\\u005f${token.slice(4)} `;
  await expectPieceHidesNothing(piece, { text, start: 10, end: text.length - 1 });
});

test.each(["\\/a", "\\u005cu005c", "&amp;#38;#38;", "%25255C", "\u001b[1ma", "token\\n", "\\\\\\\\n"])(
  "many times the escape %j takes time linear in the text",
  async (piece) => {
    await expectLinear(MEGABYTE / 4, (length) => {
      const text = filled(piece, length);
      return () => findSecrets(text);
    });
  },
);

test.each<[string, (length: number) => string]>([
  ["ey", () => "ey"],
  ["whole beginnings", () => "eyJhbGciOiJIUzI1NiJ9."],
  [".ey", () => ".ey"],
  ["short parts", () => "ey".repeat(9)],
  ["long parts", (length) => `${"ey".repeat(length / 10)}.`],
])("a quarter of a megabyte of pieces of web tokens hides no token: %s", async (name, pieceOf) => {
  const part = `ey${"Ab1".repeat(7)}`;
  const text = `${part}.${part}.${part}`;
  const paddingOf = (length: number) => filled(pieceOf(length), length);
  await expectFoundBehind(name, MEGABYTE / 4, paddingOf, { text, start: 0, end: text.length });
});

test.each([
  ["curl -u "],
  ["curl -u a:"],
  ["curl '"],
  ["curl \\\n"],
  ['["curl", '],
  ["docker login -p "],
  ["password="],
  ["password: "],
  ['"token": "'],
  ["tokenkey"],
  ["token=".repeat(600)],
  ["user=a;password="],
  ["machine a login b password "],
  ['<add key="'],
  ["Bearer "],
  ["Basic "],
  ["Cookie: a="],
  ["kind: Secret\n"],
  ["kind: Secret\ndata:\n  a: b\n"],
  ["kind: Secret\na: 'b\n"],
  ['{"kind":"Secret","data":{"a":"'],
  ['{"kind":"Secret"}\\"'],
  ["a:\n "],
  ["- "],
  ["QUJD"],
  [`${"QUJD".repeat(19)}\n`],
  [`${"a".repeat(24)} `],
])("a quarter of a megabyte of %j hides no generic credential", async (piece) => {
  const token = "q7Zf3D0LXCM3EIMbgJpUNnkRtOfOueHznB";
  const text = `apiKey = "${token}"`;
  const paddingOf = (length: number) => `${filled(piece, length)}\n\n`;
  await expectFoundBehind(piece, MEGABYTE / 4, paddingOf, { text, start: 10, end: 10 + token.length });
});

test("many secrets and many beginnings of secrets take time linear in the text", async () => {
  const secret = sampleOf(SECRET_RULES[0]?.pattern ?? "", randomFrom(1)).text;
  await expectLinear(10_000, (count) => {
    const text = `${secret} ey://a:b@ sk_ SK ghp_ `.repeat(count);
    return () => findSecrets(text);
  });
});

test.each(CONTEXTS)(
  "many assignments in %s, whole and cut off, take time linear in the text",
  async (_context, write) => {
    const { find } = createRedactor({ generic: "off" });
    const value = textOf("0123456789abcdefghij", 40, randomFrom(2));
    const text = write(assignmentIn("datadog_api_key", value));
    for (const part of [text, text.slice(0, text.indexOf(value)), text.slice(text.indexOf(value) + 1)]) {
      await expectLinear(100_000, (size) => {
        const long = part.repeat(Math.ceil(size / part.length));
        return () => find(long);
      });
    }
  },
);
