/** Generated texts in which secrets, their contexts and escapes run into each other. */
import { describe, expect, test } from "bun:test";
import { REDACTION_MARK as PLACEHOLDER } from "../../src/lib/secrets/redaction-mark.ts";
import { ASSIGNED_RULES } from "../../src/redaction/kinds/assigned.ts";
import { createRedactor, findSecrets, redactText, SECRET_RULES } from "../../src/redaction/redact.ts";
import { assignmentOf, CONTEXTS } from "./assignments.ts";
import { allSamples, randomFrom, sampleOf, snakeOf, textOf } from "./samples.ts";

test("redacting twice equals once, whatever texts are adjacent", () => {
  const random = randomFrom(99);
  const samples = allSamples(SECRET_RULES, 21).map(({ sample }) => sample.text);
  const glue = [
    "",
    "",
    " ",
    "\n",
    "=",
    "\\n",
    "_",
    "-",
    ".",
    "/",
    "@",
    ":",
    '"',
    "://",
    "a",
    "0",
    PLACEHOLDER,
    "postgres://u:",
    "heroku=",
  ];
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? "";
  for (let round = 0; round < 20_000; round++) {
    const pieces = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
      const sample = pick(samples);
      const cut = random() < 0.2 ? sample.slice(Math.floor(random() * sample.length)) : sample;
      return pick(glue) + cut + pick(glue);
    });
    const once = redactText(pieces.join(""));
    expect(redactText(once)).toBe(once);
    const json = redactText(JSON.stringify({ a: pieces }));
    expect(() => JSON.parse(json)).not.toThrow();
    expect(redactText(json)).toBe(json);
  }
});

test("redacting twice equals once where contexts run into each other", () => {
  const random = randomFrom(9);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  for (let round = 0; round < 5_000; round++) {
    const pieces = Array.from({ length: 6 }, () => {
      const rule = pick(ASSIGNED_RULES);
      const [, write] = pick(CONTEXTS);
      const text = write(assignmentOf(`${snakeOf(rule)}_key`, sampleOf(rule.value, random).text));
      const cut = random() < 0.6 ? 0 : Math.floor(random() * text.length);
      return (
        text.slice(cut, random() < 0.6 ? text.length : Math.floor(random() * text.length)) +
        pick(["", " ", "\n", "=", ":", "("])
      );
    });
    const once = redactText(pieces.join(""));
    expect(redactText(once)).toBe(once);
  }
});

const FENCE = "-".repeat(5);
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const forBodies = randomFrom(41);
const base64 = (length: number) => textOf(BASE64, length, forBodies);
const frameLine = (which: "BEGIN" | "END", label: string) => `${FENCE}${which} ${label}${FENCE}`;

describe("redacting twice equals once for keys in keys", () => {
  const LABELS = ["PRIVATE KEY", "RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "OPENSSH PRIVATE KEY", "CERTIFICATE"];
  const WIDTHS = [64, 64, 64, 48, 40, 39, 20, 17, 15, 8, 3];
  const dice = randomFrom(97);
  const roll = (sides: number) => Math.floor(dice() * sides);
  const pick = <T>(from: readonly T[]): T => from[roll(from.length)] as T;
  const key = (depth: number): string[] => {
    const label = pick(LABELS);
    const body = Array.from({ length: 1 + roll(4) }, () => base64(pick(WIDTHS)));
    if (roll(6) === 0)
      body.unshift("Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,3E1714DE130BC5E81327F36564B05462", "");
    const lines = [frameLine("BEGIN", label), ...body, frameLine("END", roll(5) > 0 ? label : pick(LABELS))];
    if (depth > 0 && roll(5) > 1) {
      const inner = key(depth - 1);
      const spelled = pick([inner, inner, [JSON.stringify(inner.join("\n"))], inner.map((line) => `  ${line}`)]);
      lines.splice(1 + roll(lines.length - 1), 0, ...spelled);
    }
    if (roll(4) === 0) lines.splice(roll(lines.length), 1);
    return lines;
  };
  test.each([
    ["as they are", (lines: string[]) => lines.join("\n")],
    ["indented", (lines: string[]) => lines.map((line) => `    ${line}`).join("\r\n")],
    ["in a log", (lines: string[]) => lines.map((line) => `2024-01-01T00:00:00Z INFO ${line} |`).join("\n")],
    ["in JSON", (lines: string[]) => JSON.stringify({ key: lines.join("\n") })],
    [
      "in JSON in JSON",
      (lines: string[]) => JSON.stringify({ a: JSON.stringify(lines.map((line) => `key=${line} |`).join("\n")) }),
    ],
    ["in one line", (lines: string[]) => lines.join(" ")],
    ["cut at both ends", (lines: string[]) => lines.join("\n").slice(roll(60), -1 - roll(60))],
  ])("%s", (_name, spell) => {
    for (const level of ["on", "strict"] as const) {
      const { redact } = createRedactor({ generic: level });
      for (let round = 0; round < 2000; round++) {
        const text = spell([...key(3), ...(roll(3) === 0 ? key(1) : [])]);
        const once = redact(text);
        if (redact(once) !== once) expect({ text, twice: redact(once) }).toEqual({ text, twice: once });
      }
    }
  });
});

const unicode = (text: string) => text.replace(/[^A-Za-z0-9]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);

describe("random JSON documents with secrets", () => {
  const samples = allSamples(SECRET_RULES, 31)
    .map(({ sample }) => sample.text)
    .filter((text) => redactText(`x ${text} x`) !== `x ${text} x`);
  const random = randomFrom(2026);
  const pick = <Item>(from: readonly Item[]): Item => from[Math.floor(random() * from.length)] as Item;
  const words = [
    "a/b",
    "line\nend",
    'a "quote"',
    "C:\\new\\table",
    "<p>&amp;</p>",
    "100 %",
    "",
    "é 漢",
    "\u001b[1m",
    "x=y",
    "tab\t",
  ];
  const plain = () => pick([...words, 12345678901234567890n.toString(), textOf('abc /\\"\n', 12, random)]);
  const documentWith = (secrets: string[], depth = 0): unknown => {
    const value = () =>
      random() < 0.3 && depth < 3
        ? documentWith(secrets, depth + 1)
        : random() < 0.4
          ? `x ${pick(secrets)} ${plain()}`
          : plain();
    const values = Array.from({ length: 1 + Math.floor(random() * 4) }, value);
    return random() < 0.5 ? values : Object.fromEntries(values.map((each, at) => [`key${at}`, each]));
  };
  const spell = (json: string) =>
    pick([
      (text: string) => text,
      (text: string) => text.replaceAll("/", "\\/"),
      (text: string) => text.replaceAll(/[-_=.+]/g, unicode),
    ])(json);

  test("are redacted and still parse, at any depth and after other text, and stay as they are elsewhere", () => {
    for (let round = 0; round < 4_000; round++) {
      const secrets = [pick(samples), pick(samples)];
      const value = documentWith(secrets);
      const levels = Math.floor(random() * 4);
      let json = spell(JSON.stringify(value));
      for (let level = 0; level < levels; level++) json = JSON.stringify({ level, inner: json });
      const redacted = redactText(json);
      expect(unwrap(redacted, levels)).toEqual(redactedDeep(unwrap(json, levels)));
      const before = pick(["", "2024-01-01T00:00:00Z INFO got ", "\n- ", "x\\"]);
      const embedded = redactText(before + json);
      expect(embedded).toStartWith(before);
      expect(redactText(embedded)).toBe(embedded);
      expect(redactText(redacted)).toBe(redacted);
    }
  });

  function unwrap(json: string, levels: number): unknown {
    let value: unknown = JSON.parse(json);
    for (let level = 0; level < levels; level++) value = JSON.parse((value as { inner: string }).inner);
    return value;
  }

  function redactedDeep(value: unknown): unknown {
    if (typeof value === "string") return redactText(value);
    if (Array.isArray(value)) return value.map(redactedDeep);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactedDeep(each)]));
  }
});

test("random text full of escapes is redacted once, and no place overlaps another", () => {
  const random = randomFrom(77);
  const samples = allSamples(SECRET_RULES, 32).map(({ sample }) => sample.text);
  const glue = [
    "\\",
    "\\\\",
    '\\"',
    "\\/",
    "\\n",
    "\\u002",
    "\\u002f",
    "&#",
    "&#47;",
    "&amp;",
    "%",
    "%2",
    "%2F",
    "%25",
    "=\n",
    "=3D",
    "\u001b[31m",
    "\\\n",
    "<wbr>",
    "\u200b",
    "|\n ",
    ":",
  ];
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? "";
  for (let round = 0; round < 20_000; round++) {
    const pieces = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
      const sample = pick(samples);
      const at = Math.floor(random() * sample.length);
      return random() < 0.5 ? pick(glue) : sample.slice(0, at) + pick(glue) + sample.slice(at);
    });
    const text = pieces.join("");
    let end = 0;
    for (const found of findSecrets(text)) {
      expect(found.start).toBeGreaterThanOrEqual(end);
      expect(found.end).toBeGreaterThan(found.start);
      end = found.end;
    }
    expect(end).toBeLessThanOrEqual(text.length);
    const once = redactText(text);
    expect([text, redactText(once)]).toEqual([text, once]);
  }
});
