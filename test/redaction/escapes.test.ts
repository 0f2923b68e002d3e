import { describe, expect, test } from "bun:test";
import { REDACTION_MARK as MARK } from "../../src/lib/secrets/redaction-mark.ts";
import { redactText } from "../../src/redaction/redact.ts";

/** `deadbeef` keeps it from also being found as a key of no vendor, which may begin earlier. */
const AWS = ["wJalrXUtnFEMI/K7MDENG", "bPxRfiCYdeadbeefLs"].join("/");
const TOKEN = ["ghp", "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"].join("_");
const SLACK = ["https://hooks.slack.com", "services", "T01ABCDEFGH", "B01ABCDEFGH", "AbCdEfGhIjKlMnOpQrStUvWx"].join(
  "/",
);
const DISCORD = [
  "https://discord.com/api",
  "webhooks",
  "123456789012345678",
  "AbCdEfGhIj0123456789".repeat(4).slice(0, 68),
].join("/");
const LINK = ["postgres://app:hunter", "22@db.example.com/app"].join("");
const SECRETS = { aws: AWS, token: TOKEN, slack: SLACK, discord: DISCORD };

/** Text as PHP writes it into JSON. */
const php = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/");
const unicode = (text: string) => text.replace(/[^A-Za-z0-9]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
const decimal = (text: string) => text.replace(/[^A-Za-z0-9]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const hexadecimal = (text: string) =>
  text.replace(/[^A-Za-z0-9]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16).toUpperCase()};`);

/** The name, the operator and the secret as they are written: all but the secret has to stay, and no piece of it may. */
function expectRedacted(before: string, secret: string, after: string): void {
  const redacted = redactText(before + secret + after);
  expect(redacted).toStartWith(before);
  expect(redacted).toEndWith(after);
  expect(redacted.slice(before.length, redacted.length - after.length)).toMatch(/^(.*)\[REDACTED\]/);
  for (let at = 0; at + 12 <= secret.length; at++) {
    const piece = secret.slice(at, at + 12);
    if (!redactText(`x ${piece} x`).includes(MARK) && isPrivate(piece)) expect(redacted).not.toContain(piece);
  }
  expect(redactText(redacted)).toBe(redacted);
}

/** The host and the path of a webhook may stay. */
const isPrivate = (piece: string) => /[A-Z].*[A-Z]|[0-9].*[A-Z]/.test(piece) && !/slack|http|disc/.test(piece);

describe("JSON as PHP writes it", () => {
  test.each(Object.entries(SECRETS))("an %s secret goes", (_name, secret) => {
    expectRedacted('{"url":"https:\\/\\/example.com\\/","aws_secret_access_key":"', php(secret), '","n":1}');
    expectRedacted('2024-01-01 DEBUG response {"aws_secret_access_key":"', php(secret), '"} took 3ms');
  });

  test("the password of a connection string is redacted, and the escapes around it stay", () => {
    const text = `log: {"dsn":"${php(LINK)}"}`;
    expect(redactText(text)).toBe(text.replace("hunter22", MARK));
  });

  test("text without a secret stays byte for byte", () => {
    const text =
      '{"a":"https:\\/\\/example.com\\/x","b":"\\u003cp\\u003e caf\\u00e9 \\ud83d\\ude00","c":"C:\\\\new\\\\table"}';
    expect(redactText(text)).toBe(text);
  });
});

test.each([
  ["a slash", (text: string) => text.replaceAll("/", "\\/")],
  ["Unicode escapes", unicode],
  ["Unicode escapes in JSON in JSON", (text: string) => unicode(text).replaceAll("\\", "\\\\")],
  ["escapes of bytes", (text: string) => unicode(text).replaceAll("\\u00", "\\x")],
  ["decimal entities", decimal],
  ["hexadecimal entities", hexadecimal],
  ["entities of entities", (text: string) => decimal(text).replaceAll("&", "&amp;")],
  ["entities in JSON", (text: string) => decimal(text).replaceAll("&", "\\u0026")],
  ["entities in JSON in a page", (text: string) => decimal(unicode(decimal(text)))],
  ["percent-encoding", encodeURIComponent],
  [
    "percent-encoding in lower case",
    (text: string) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ["doubled percent-encoding", (text: string) => encodeURIComponent(encodeURIComponent(text))],
  ["colours", (text: string) => `${text.slice(0, 6)}\u001b[1;31m${text.slice(6)}`],
  ["colours that end a line", (text: string) => `${text.slice(0, 6)}\u001b[m\u001b[K${text.slice(6)}`],
  ["colours written out", (text: string) => `${text.slice(0, 6)}\\u001b[1;31m${text.slice(6)}`],
  ["colours as a shell writes them", (text: string) => `${text.slice(0, 6)}\\033[0m${text.slice(6)}`],
  ["a continued line", (text: string) => `${text.slice(0, 12)}\\\n${text.slice(12)}`],
  ["a continued line in YAML", (text: string) => `${text.slice(0, 12)}\\\n      ${text.slice(12)}`],
  ["a place for a line break", (text: string) => `${text.slice(0, 12)}<wbr>${text.slice(12)}`],
  ["a space of no width", (text: string) => `${text.slice(0, 12)}\u200b${text.slice(12)}`],
  ["a soft hyphen as an entity", (text: string) => `${text.slice(0, 12)}&shy;${text.slice(12)}`],
])("%s in a secret hide it nowhere", (_name, spell) => {
  for (const secret of [AWS, TOKEN]) {
    expectRedacted("config: aws_secret_access_key = ", spell(secret), "\nregion: eu");
    expectRedacted('{"n":1,"aws_secret_access_key":"', spell(secret), '"}');
  }
  for (const secret of [SLACK, DISCORD]) expectRedacted("see ", spell(secret), " today");
});

test.each([
  ["Markdown", (text: string) => text.replaceAll("_", "\\_").replaceAll("-", "\\-")],
  ["properties", (text: string) => text.replaceAll("=", "\\=").replaceAll(":", "\\:")],
])("a secret is found as %s escapes it", (_name, spell) => {
  expectRedacted("token: ", spell(TOKEN), " ok");
  expect(redactText(`url=${spell("postgres://u:hunter22@h/db")}`)).toBe(`url=${spell("postgres://u:[REDACTED]@h/db")}`);
});

test.each([
  ['{\\"aws_secret_access_key\\":\\"', '\\"}'],
  ["<td>aws_secret_access_key&quot;:&quot;", "&quot;</td>"],
  ["aws_secret_access_key&#34;: &#34;", "&#34;"],
  ["aws_secret_access_key&amp;quot;:&amp;quot;", "&amp;quot;"],
  ["a%26aws_secret_access_key%3D", "%26b%3D1"],
  ["a%2526aws_secret_access_key%253D", "%2526b%253D1"],
  ["aws_secret_access_key=3D", "\n"],
  ["\u001b[1mAWS_SECRET_ACCESS_KEY\u001b[0m=\u001b[32m", "\u001b[0m\n"],
  ["\\u001b[1mAWS_SECRET_ACCESS_KEY\\u001b[0m=\\u001b[32m", "\\u001b[0m\\n"],
  ["aws_secret_access_key: >-\n    ", "\nb: 1"],
  ["aws_secret_access_key: |\r\n    ", "\r\nb: 1"],
  ['{"content":"a:\\n  aws_secret_access_key: |\\n    ', '\\nb: 1"}'],
  ['{"content":"env:\\n  - name: AWS_SECRET_ACCESS_KEY\\n    value: ', '\\n"}'],
  ["tool --region eu \\\n  --aws-secret-access-key=\\\n  ", " \\\n  --x"],
  ["aws_secret_access_key =\\u003e ", "\\n"],
])("between %j and %j a value is found by its name", (before, after) => {
  expectRedacted(before, AWS, after);
});

test("a replacement ends where an escape ends", () => {
  expect(redactText(`{"t":"x\\u002d${unicode(TOKEN)}\\u002d"}`)).toBe('{"t":"x\\u002d[REDACTED]\\u002d"}');
  expect(redactText(`a&#32;${decimal(TOKEN)}&#32;b`)).toBe("a&#32;[REDACTED]&#32;b");
  expect(redactText(`%20${encodeURIComponent(SLACK)}%20`)).toMatch(/^%20.*\[REDACTED\]%20$/);
});

test("an equals sign at the end of a line joins lines in quoted-printable text alone", () => {
  const text = `AZURE=${"Ab1".repeat(15)};=\n${TOKEN.slice(0, 19)}=\n${TOKEN.slice(19)}`;
  expect(redactText(text)).toBe(text);
  expect(redactText(`a=3D1 ${text}`)).toBe(`a=3D1 AZURE=${"Ab1".repeat(15)};=\n${MARK}`);
  const mail = `Content-Transfer-Encoding: quoted-printable\r\n\r\nkey ${TOKEN.slice(0, 19)}=\r\n${TOKEN.slice(19)} and more`;
  expect(redactText(mail)).toBe(`Content-Transfer-Encoding: quoted-printable\r\n\r\nkey ${MARK} and more`);
});
