import { expect, setDefaultTimeout, test } from "bun:test";
import { ASSIGNED_RULES } from "../../src/redaction/kinds/assigned.ts";
import { findSecrets, SECRET_RULES } from "../../src/redaction/redact.ts";
import { compileRule } from "../../src/redaction/shape.ts";
import { cpuTime } from "../helpers/cpu-time.ts";
import { assignmentOf, faultsOf, randomFrom, type Sample, sampleOf, snakeOf } from "./samples.ts";

// Bun's own limit of five seconds is too short for these loops on a busy machine.
setDefaultTimeout(1_800_000);

const MEGABYTE = 1 << 20;
/** Far above what a linear pass takes, far below what a quadratic one would: a megabyte squared is hours. */
const MOST_MS = 30_000;

const filled = (piece: string, length = MEGABYTE) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Searches a megabyte with a secret at its end, which must be found despite everything before it. */
function expectFound(name: string, padding: string, { text, start, end }: Sample, ending = ""): void {
  const whole = `${padding}\n${text}${ending}`;
  const shift = padding.length + 1;
  let found: ReturnType<typeof findSecrets> = [];
  const elapsed = cpuTime(() => (found = findSecrets(whole)));
  const isThere = found.some((each) => each.start <= shift + start + 2 && each.end >= shift + end);
  expect([name, isThere, elapsed < MOST_MS]).toEqual([name, true, true]);
}

test("a quarter of a megabyte of near misses and of bare prefixes hides no rule's secret", () => {
  const random = randomFrom(3);
  const third = MEGABYTE / 12;
  for (const rule of SECRET_RULES) {
    const fault = faultsOf(rule.shape).findLast(({ kind }) => kind === "short");
    const near = sampleOf(rule.shape, random, fault).text;
    const { anchors } = compileRule(rule);
    const beginnings = anchors.map((anchor) => filled(anchor, third / anchors.length));
    const padding = [filled(`${near} `, third), filled(near, third), ...beginnings].join("\n");
    expectFound(rule.id, padding, sampleOf(rule.shape, random));
  }
});

test("a megabyte of padding around it hides no rule's secret", () => {
  const random = randomFrom(5);
  for (const rule of SECRET_RULES) {
    expectFound(rule.id, filled("a", MEGABYTE / 2), sampleOf(rule.shape, random), `\n${filled("0", MEGABYTE / 2)}`);
  }
});

test("names, empty assignments and near misses hide no assigned secret", () => {
  const random = randomFrom(6);
  const third = MEGABYTE / 48; // There are many rules, and the names of all are read alike.
  for (const rule of ASSIGNED_RULES) {
    const sample = assignmentOf(rule, random);
    const pieces = [snakeOf(rule), `${snakeOf(rule)}=`, `${sample.text.slice(0, -1)}* `];
    expectFound(rule.id, pieces.map((piece) => filled(piece, third)).join("\n"), sample);
  }
});

test.each([
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
])("a megabyte of %j hides no password", (piece) => {
  const text = "postgres://user:hunter22@host/db";
  const start = text.indexOf("hunter22");
  expectFound(piece, filled(piece), { text, start, end: start + 8 });
});

test("a megabyte of @ after as many links is read once", () => {
  const text = `${filled("redis://x:")}${filled("y@")}`;
  expect(cpuTime(() => expect(findSecrets(text).length).toBeGreaterThan(0))).toBeLessThan(MOST_MS);
});

test("a megabyte of glued keys is read once, whether the end of the chain holds or not", () => {
  const key = `AKIA${"Q2RT7XZ5WPM3LKJ4"}`;
  const keys = filled(key, key.length * 50_000);
  for (const [text, count] of [
    [keys, 50_000],
    [`${keys}a`, 0],
  ] as const) {
    expect(cpuTime(() => expect(findSecrets(text).length).toBe(count))).toBeLessThan(MOST_MS);
  }
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
])("a megabyte of %j hides no private key", (piece) => {
  const body = "MIIE".repeat(16);
  const text = `${BEGIN}\n${body}\n${FENCE}END ${KEY_ANCHOR}${FENCE}`;
  expectFound(piece, filled(piece), { text, start: BEGIN.length + 1, end: BEGIN.length + 1 + body.length });
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
])("a megabyte of %j hides no key of any format", (piece) => {
  const body = Array.from({ length: 4 }, () => "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj").join(
    "\n",
  );
  const text = `\n\nnothing here\n${BEGIN}\n${body}\n${FENCE}END ${KEY_ANCHOR}${FENCE}\n`;
  const start = text.indexOf("MIIE");
  expectFound(piece.slice(0, 40), filled(piece), { text, start, end: start + body.length });
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
])("a megabyte of %j hides no escaped secret", (piece) => {
  const token = `ghp_${"AbCdEfGhIj01".repeat(3)}`;
  const text = ` and then ghp\\u005f${token.slice(4)} `;
  expectFound(piece, filled(piece), { text, start: 10, end: text.length - 1 });
});

test("escapes take time linear in the text", () => {
  for (const piece of ["\\/a", "\\u005cu005c", "&amp;#38;#38;", "%25255C", "\u001b[1ma", "token\\n", "\\\\\\\\n"]) {
    const time = (length: number) => {
      const text = filled(piece, length);
      return Math.min(...Array.from({ length: 3 }, () => cpuTime(() => findSecrets(text))));
    };
    time(20_000);
    expect([piece, time(1_000_000) / time(100_000) < 50]).toEqual([piece, true]);
  }
});

const LONG = `${"ey".repeat(100_000)}.`;

test.each([["ey"], ["eyJhbGciOiJIUzI1NiJ9."], [".ey"], ["ey".repeat(9)], [`${LONG}${LONG}`]])(
  "a megabyte of pieces of web tokens hides no token",
  (piece) => {
    const part = `ey${"Ab1".repeat(7)}`;
    const text = `${part}.${part}.${part}`;
    expectFound(piece.slice(0, 40), filled(piece), { text, start: 0, end: text.length });
  },
);

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
])("a quarter of a megabyte of %j hides no generic credential", (piece) => {
  const token = "q7Zf3D0LXCM3EIMbgJpUNnkRtOfOueHznB";
  const text = `apiKey = "${token}"`;
  expectFound(piece.slice(0, 40), `${filled(piece, MEGABYTE / 4)}\n\n`, { text, start: 10, end: 10 + token.length });
});

test("ten times the text takes about ten times the time", () => {
  const secret = sampleOf(SECRET_RULES[0]?.shape ?? "", randomFrom(1)).text;
  const time = (length: number) => {
    const text = `${secret} ey://a:b@ sk_ SK ghp_ `.repeat(length);
    return Math.min(...Array.from({ length: 5 }, () => cpuTime(() => findSecrets(text))));
  };
  time(2_000);
  expect(time(100_000) / time(10_000)).toBeLessThan(50);
});
