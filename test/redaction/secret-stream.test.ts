import { describe, expect, test } from "bun:test";
import { createRedactor, findSecrets, replaceFound } from "../../src/redaction/redact.ts";
import { RedactingStream } from "../../src/redaction/redacting-stream.ts";
import { type SearchedText, SecretStream } from "../../src/redaction/secret-stream.ts";
import { type Dice, diceFrom, pick } from "../helpers/dice.ts";

const token = ["ghp", "a1B2".repeat(9)].join("_");
const key = [
  "-----BEGIN RSA PRIVATE",
  `KEY-----\n${"MIIEpAIBAAKCAQEA7bq8\n".repeat(12)}-----END RSA PRIVATE KEY-----`,
].join(" ");
const link = "postgres://app:hunter-two@db.example/x";
const SECRETS = [token, key, link];

/** Text with secrets, in lines or without line ends. */
function textOf(dice: Dice, separator: string): string {
  const words = Array.from({ length: 400 }, () => (dice(8) === 0 ? pick(dice, SECRETS) : "word".repeat(1 + dice(6))));
  return words.join(separator);
}

/** Splits the text into parts, with pauses between some. */
function pieces(text: string, dice: Dice, sizes: { window: number; shared: number }, pauses: boolean): SearchedText[] {
  const stream = new SecretStream(createRedactor(), sizes);
  const found: (SearchedText | undefined)[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + dice(90);
    found.push(stream.push(text.slice(at, at + size)));
    if (pauses && dice(5) === 0) found.push(stream.pause());
    at += size;
  }
  found.push(stream.end());
  return found.filter((piece) => piece !== undefined);
}

const redacted = (list: readonly SearchedText[]) =>
  list.map(({ text, found }) => replaceFound(text, found, true)).join("");

describe.each([[" "], ["\n"], [";"]])("a stream of words with %j between them", (separator) => {
  test("is redacted like the whole text, wherever it is cut into parts", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const dice = diceFrom(seed);
      const text = textOf(dice, separator);
      const found = pieces(text, dice, { window: 2500, shared: 600 }, false);
      expect(found.map((piece) => piece.text).join("")).toBe(text);
      expect(found.length).toBeGreaterThan(2);
      expect(redacted(found)).toBe(replaceFound(text, findSecrets(text), true));
    }
  });

  test("returns no secret when it pauses", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const dice = diceFrom(seed);
      const text = textOf(dice, separator);
      const found = pieces(text, dice, { window: 2500, shared: 600 }, true);
      expect(found.map((piece) => piece.text).join("")).toBe(text);
      for (const secret of [token, "hunter-two", "MIIEpAIBAAKCAQEA7bq8"]) expect(redacted(found)).not.toContain(secret);
    }
  });
});

/** The text in two forms: redacted as a whole, and redacted as a stream that pauses after every line. */
function pausing(text: string, ...known: string[]): { whole: string; early: string; all: string } {
  const redactor = createRedactor({ known });
  const stream = new RedactingStream(redactor);
  let early = "";
  for (const line of text.split(/(?<=\n)/)) {
    early += stream.push(line) ?? "";
    early += stream.pause() ?? "";
  }
  return { whole: redactor.redact(text), early, all: early + stream.end() };
}

describe("a pause returns nothing that a later line makes a secret", () => {
  const inLines = ["kT9x/q2Wm", "z8Lp3Vd1Ys", "h5Rb7Nc2Xe"].join("\n");
  const secret = "  kind: Secret\n  metadata:\n    name: x\n";

  test.each([
    ["a known value of several lines", `a\n${inLines}\nb\n`, "z8Lp3Vd1Ys"],
    [
      "the data of a Kubernetes Secret",
      "data:\n  a: aHVudGVyMg==\n  other: c2VjcmV0MTIz\nkind: Secret\n",
      "c2VjcmV0MTIz",
    ],
    ["such data in a list", `items:\n- apiVersion: v1\n  data:\n    other: c2VjcmV0MTIz\n${secret}`, "c2VjcmV0MTIz"],
    ["such data in JSON", '{\n  "data": {\n    "other": "c2VjcmV0MTIz"\n  },\n  "kind": "Secret"\n}\n', "c2VjcmV0MTIz"],
    ["a value before its name", "- value: kT9xq2WmZ8Lp3Vd1\n  name: DB_PASSWORD\n", "kT9xq2WmZ8Lp3Vd1"],
    [
      "the end of a private key",
      `${"MIIEpAIBAAKCAQEA7bq8kT9xq2WmZ8Lp3Vd1h5Rb7Nc2Xe4Ua6\n".repeat(3)}${key.slice(-29)}\n`,
      "kT9xq2Wm",
    ],
    ["a name that is continued", "export DB_PASS\\\nWORD=kT9xq2WmZ8Lp3Vd1\n", "kT9xq2Wm"],
  ])("%s", (_what, text, value) => {
    const { whole, early, all } = pausing(text, inLines);
    expect(whole).not.toContain(value);
    expect(early).not.toContain(value);
    expect(early).toMatch(/^$|\n$/);
    expect(all).not.toContain(value);
  });

  test("but all other lines, as soon as they are complete", () => {
    const log = "GET /data: 200\ndata: x\n======\nsrc/commands/tui\nvalue of it\ndone\n";
    expect(pausing(log).early).toBe(log);
    const map = "data:\n  a: YQ==\nkind: ConfigMap\nmetadata: {}\n";
    expect(pausing(map).early).toBe(map);
  });
});

describe("a pause", () => {
  test("returns complete lines, once", () => {
    const stream = new SecretStream(createRedactor());
    stream.push(`one ${token}\ntwo ${token.slice(0, 9)}`);
    expect(redacted([stream.pause() as SearchedText])).toBe("one [REDACTED:github-pat]\n");
    expect(stream.pause()).toBeUndefined();
    stream.push(token.slice(9));
    expect(redacted([stream.end()])).toBe("two [REDACTED:github-pat]");
  });

  test("sees a secret that only a known value hides", () => {
    const [value, password] = ["kT9xq2WmRbVp4ZzQ", "pcmjvI7WRSlO"];
    const stream = new RedactingStream(createRedactor({ known: [value] }));
    stream.push(`a ${value}CREATE USER 'app' IDENTIFIED BY '${password}';\n`);
    expect(stream.pause()).toBe("a [REDACTED]CREATE USER 'app' IDENTIFIED BY '[REDACTED]';\n");
  });

  test("inside a private key returns none of its lines", () => {
    const stream = new SecretStream(createRedactor());
    const [head = "", ...lines] = key.split("\n");
    const found = [head, ...lines].map((line) => {
      stream.push(`${line}\n`);
      return stream.pause() as SearchedText;
    });
    expect(redacted(found)).toMatch(/^-+BEGIN RSA PRIVATE KEY-+\n(\[REDACTED:[a-z-]+\]\n)+-+END RSA PRIVATE KEY-+\n$/);
  });
});

test("lines that stay unsettled are not read again at each pause", () => {
  let read = 0;
  const settled = (lines: string) => {
    read += lines.length;
    return 0;
  };
  const stream = new SecretStream({ find: findSecrets, settled });
  for (let part = 0; part < 1000; part++) {
    stream.push(`${"x".repeat(999)}\n`);
    expect(stream.pause()).toBeUndefined();
  }
  expect(read).toBeLessThan(10_000_000);
  expect(stream.end().text).toHaveLength(1_000_000);
});

test("a secret longer than a window is not searched again for each part", () => {
  let searches = 0;
  const find = (text: string) => {
    searches++;
    return [{ start: 5, end: text.length, kind: "x" }];
  };
  const stream = new SecretStream({ find, settled: (lines) => lines.length }, { window: 1000, shared: 100 });
  for (let part = 0; part < 1000; part++) stream.push("x".repeat(10));
  stream.end();
  expect(searches).toBeLessThan(15);
});
