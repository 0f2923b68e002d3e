import { describe, expect, test } from "bun:test";
import { REDACTION_MARK as PLACEHOLDER } from "../../src/lib/secrets/redaction-mark.ts";
import { createRedactor, findSecrets, redactText } from "../../src/redaction/redact.ts";
import { randomFrom, textOf } from "./samples.ts";

const BODY = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
const TOKEN = ["ghp", BODY].join("_");
const FENCE = "-".repeat(5);
const frame = (label: string, body: string) => `${FENCE}BEGIN ${label}${FENCE}${body}${FENCE}END ${label}${FENCE}`;
const LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";

const random = randomFrom(13);
const hex = (length: number) => textOf("0123456789abcdef", length, random);
const bytesFrom = (seed: number, length: number) => {
  const next = randomFrom(seed);
  return Buffer.from(Array.from({ length }, () => Math.floor(next() * 256)));
};

describe("connection strings", () => {
  test.each([
    ["postgresql://u:PASS@h/db"],
    ["postgresql+asyncpg://u:PASS@h"],
    ["mysql://root:PASS@127.0.0.1:3306"],
    ["mongodb+srv://u:PASS@c.example.net/?a=b"],
    ["redis://:PASS@cache:6379/0"],
    ["rediss://default:PASS@h"],
    ["amqp://u:PASS@h"],
    ["AMQPS://u:PASS@h"],
    ["https://x-access-token:PASS@github.com/a/b.git"],
    ["mongodb://u:PASS@h1:1,h2:2/db"],
    ['{"url":"postgres://u:PASS@h"}'],
    ["'mysql://u:PASS@h'"],
    ["a://u:PASS@h b://v:PASS@i"],
    ["jdbc:oracle:thin:app/PASS@db"],
    ["jdbc:oracle:thin:app/PASS@//db.internal:1521/XE"],
    ["JDBC:Oracle:OCI:app/PASS@(DESCRIPTION=(ADDRESS=(HOST=db)))"],
    ['jdbc:oracle:thin:app/"PASS"@db:1521:XE'],
    ['{"url":"jdbc:oracle:thin:app/PASS@db"}'],
    ["<url>jdbc:oracle:thin:app/PASS@db</url>"],
  ])("of %s the password goes and nothing else", (pattern) => {
    expect(redactText(pattern.replaceAll("PASS", "hunter22"))).toBe(pattern.replaceAll("PASS", PLACEHOLDER));
  });

  test.each([
    "p@ss",
    "p#ss",
    "pa%40ss",
    "%40ss",
    "xx",
    "x***",
    "a/b",
    "[x]",
    "p:q",
    "pässwort",
    "a'b",
    "1234",
    "x".repeat(5000),
  ])("the whole of the password %j goes", (password) => {
    expect(redactText(`postgres://user:${password}@host/db`)).toBe("postgres://user:[REDACTED]@host/db");
  });

  test.each([
    "$PASSWORD",
    "${DB_PASSWORD}",
    "{{ .Pass }}",
    "<password>",
    "%s",
    "%(pass)s",
    "#{pass}",
    "\\(pass)",
    "'+pass+'",
    "'.$pass.'",
    "***",
    "xxxxx",
    "XXX",
    "...",
    "\u2022\u2022\u2022",
    "\u2026",
    PLACEHOLDER,
    `a${PLACEHOLDER}b`,
  ])("the password %j is left", (password) => {
    const text = `postgres://user:${password}@host/db`;
    expect(redactText(text)).toBe(text);
  });

  test.each([
    "postgres://user:password@localhost/db",
    "https://username:password@proxy.internal:3128",
    "redis://:secret@localhost:6379",
    "mysql://scott:tiger@db.corp/test",
    "postgres://jack:my_secret@127.0.0.1:5432/db",
    "https://abc:xyz@www.example.com/",
    "http://joe:hunter@proxy.example.com",
    "a://u:p@h",
    "jdbc:oracle:thin:scott/tiger@db:1521:XE",
    "jdbc:oracle:thin:@//db.corp:1521/XE",
    "jdbc:oracle:thin:app/${PASSWORD}@db",
  ])("%j is one of documentation", (text) => {
    expect(redactText(text)).toBe(text);
  });

  test.each([
    ["postgres://app:PASS@db.internal/app", "password"],
    ["postgres://app:PASS@db.example.com/app", "hunter2"],
    ["postgres://user:PASS@localhost/db", "hunter"],
    ["https://user:PASS@git.corp/", "pass1234"],
    ["redis://:PASS@cache.corp:6379", "secret"],
    ["https://admin:PASS@example.com.evil.net/", "password"],
    ["jdbc:oracle:thin:app/PASS@//db.corp/XE", "walnut"],
  ])("%s is not, with the password %s", (pattern, password) => {
    expect(redactText(pattern.replace("PASS", password))).toBe(pattern.replace("PASS", PLACEHOLDER));
  });

  test.each([
    "redis://localhost:6379/0?x=a@b",
    "http://localhost:8080/path@2",
    "https://user@host/x:y",
    "see http://a.b: mail c@d.e",
    '["redis://localhost:6379","a@b.example"]',
    "redis://cache:6379, admin@example.com",
    "git@github.com:a/b.git",
    "https://packages.example:443/@scope/pkg",
    "postgres://host:5432\nme@example.com",
    "std::vector<a>://:@",
  ])("%j has no password", (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe("private keys", () => {
  test.each([
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "DSA PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
  ])("of a %s the body goes and the frame stays", (label) => {
    for (const end of ["\n", "\r\n", "\\n", "\\\\n", "\n    "]) {
      const body = [LINE, LINE, "Ab12+/=="].join(end);
      const redacted = redactText(`key: ${frame(label, end + body + end)} end`);
      expect(redacted).toBe(`key: ${frame(label, end + PLACEHOLDER + end)} end`);
    }
  });

  test("headers and armour lines are redacted with the body", () => {
    const legacy = `\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123ABCD\n\n${LINE}\n`;
    expect(redactText(frame("RSA PRIVATE KEY", legacy))).toBe(frame("RSA PRIVATE KEY", `\n${PLACEHOLDER}\n`));
    const armour = `\nVersion: GnuPG v2.2 (Linux)\nComment: https://example.org\n\n${LINE}\n=AbCd\n`;
    const label = "PGP PRIVATE KEY BLOCK";
    expect(redactText(frame(label, armour))).toBe(frame(label, `\n${PLACEHOLDER}\n`));
  });

  test("a key written as source code is redacted", () => {
    const code = `"${FENCE}BEGIN PRIVATE KEY${FENCE}\\n" +\n  "${LINE}\\n" +\n  "${FENCE}END PRIVATE KEY${FENCE}"`;
    expect(redactText(code)).not.toContain(LINE.slice(0, 20));
  });

  test("a key whose end is missing is redacted as far as it goes, and the text after it stays", () => {
    const cut = `${FENCE}BEGIN PRIVATE KEY${FENCE}\n${LINE}\n${LINE}`;
    expect(redactText(cut)).toBe(`${FENCE}BEGIN PRIVATE KEY${FENCE}\n${PLACEHOLDER}`);
    expect(redactText(`${cut}\nand so on`)).toBe(`${FENCE}BEGIN PRIVATE KEY${FENCE}\n${PLACEHOLDER}\nand so on`);
  });

  test("the name of a frame alone is not a key", () => {
    const [begin, end] = [`${FENCE}BEGIN PRIVATE KEY${FENCE}`, `${FENCE}END PRIVATE KEY${FENCE}`];
    const code = `if (text.includes("${begin}")) return parse(text, "${end}");`;
    expect(redactText(code)).toBe(code);
    expect(redactText(frame("PRIVATE KEY", PLACEHOLDER))).toBe(frame("PRIVATE KEY", PLACEHOLDER));
    expect(redactText(frame("CERTIFICATE", `\n${LINE}\n`))).toBe(frame("CERTIFICATE", `\n${LINE}\n`));
    expect(redactText(frame("PUBLIC KEY", `\n${LINE}\n`))).toBe(frame("PUBLIC KEY", `\n${LINE}\n`));
  });
});

test("overlapping secrets become one placeholder, adjacent ones stay apart", () => {
  expect(redactText(`postgres://u:a${TOKEN}b@h`)).toBe("postgres://u:[REDACTED]@h");
  expect(redactText(TOKEN + TOKEN)).toBe(PLACEHOLDER + PLACEHOLDER);
  expect(redactText(`${TOKEN} ${TOKEN}`)).toBe(`${PLACEHOLDER} ${PLACEHOLDER}`);
});

describe("a key that touches other text", () => {
  const random = randomFrom(31);
  const alnum = (length: number) =>
    textOf("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789", length, random);
  const aws = () => `AKIA${textOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, random)}`;
  const github = () => ["ghp", alnum(36)].join("_");
  const stripe = () => ["sk", "live", alnum(24)].join("_");

  test.each<[string, string[], string]>([
    ["two AWS keys", [aws(), aws()], PLACEHOLDER.repeat(2)],
    ["three AWS keys", [aws(), aws(), aws()], PLACEHOLDER.repeat(3)],
    ["keys of two vendors", [aws(), github(), aws()], PLACEHOLDER.repeat(3)],
    ["a name in capitals before it", ["KEY", stripe()], `KEY${PLACEHOLDER}`],
    ["a word before it and one after it", ["token", github(), "suffix"], `token${PLACEHOLDER}suffix`],
    ["an AWS key before it and a word after it", [aws(), github(), "suffix"], `${PLACEHOLDER}${PLACEHOLDER}suffix`],
    ["two examples of letters in order, side by side", [TOKEN, aws()], PLACEHOLDER.repeat(2)],
  ])("is found: %s", (_name, pieces, redacted) => {
    for (const [before, after] of [
      ["", ""],
      ['{"a":"', '"}'],
      ["see ", ", then"],
      ["X=", "\n"],
    ] as const) {
      const once = redactText(before + pieces.join("") + after);
      expect(once).toBe(before + redacted + after);
      expect(redactText(once)).toBe(once);
    }
  });

  test.each<[string, string]>([
    ["a name with a prefix in its middle", "c.googleclouddapigeev1getsyncauthorizationrequest = x"],
    ["a name that begins with a prefix", "hf_requiredCharacteristicTypesForDisplayMetadata"],
    ["a name exactly as long as a token", `hf_${"requiredCharacteristicTypesForDisplayMetadata".slice(0, 36)}`],
    ["words after the end of a word", "task_live_migrationOfTheWholeDatabase(); risk_test_environmentForEverything"],
    ["a random name after the end of a word", `task_live_${alnum(24)}`],
    ["a name in capitals", "ASIAPACIFICREGIONALS = MYAKIALIGATORSWIMMINGS"],
    [
      "a prefix that is a word",
      "key-value-pairs-of-the-configuration secret_santaClausIsComingToTownThisEveningForEveryone",
    ],
    [
      "placeholders",
      "xoxb-your-bot-token xoxp-your-user-token-here sk-proj-your-openai-api-key-goes-right-here-please",
    ],
    [
      "a piece of data",
      `${bytesFrom(5, 30).toString("base64url")}ghp_${alnum(36)}${bytesFrom(6, 30).toString("base64url")}`,
    ],
    ["a digest of 64 characters after a short prefix", `dapi${hex(64)} SK${hex(64)} key-${hex(64)} cu_${hex(64)}`],
    [
      "checksums that begin like a token",
      `sha256=ghp_${alnum(36)},12 sha512-npm_${alnum(36)} h1:AKIA${"Q2RT7XZ5WPM3LKJ4"}=`,
    ],
    ["names with a UUID", "my-api-123e4567-e89b-12d3-a456-426614174000 x_sdk-123e4567-e89b-12d3-a456-426614174000"],
  ])("stays in a place that is not for keys: %s", (_name, text) => {
    expect(redactText(text)).toBe(text);
  });
});

test("a text without a secret is returned as it is", () => {
  expect(findSecrets("")).toEqual([]);
  expect(redactText("a")).toBe("a");
  expect(redactText("\ud800 broken \udfff")).toBe("\ud800 broken \udfff");
});

test("a secret is found between characters of every kind", () => {
  for (const around of ["漢字", "🔑", "\u0000", "\ud800", "ß", "\u00a0", "=", "\\"]) {
    expect(redactText(around + TOKEN + around)).toBe(around + PLACEHOLDER + around);
  }
});

const png = `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ${"A".repeat(400)}`;

describe("ordinary text is left", () => {
  test.each([
    ["prose", "The linear regression of heroku prices: a token of thanks, a secret key. They discord."],
    ["a commit", `commit ${hex(40)}\nAuthor: A <a@b.c>\nDate:   Mon Jan 1 00:00:00 2024 +0000`],
    ["digests", `sha256:${hex(64)} sha1 ${hex(40)} md5 ${hex(32)} sha512 ${hex(128)}`],
    ["a digest of a vendor", `datadog_commit_sha: ${hex(40)}\nalgolia-checksum = ${hex(32)}\nadobeHash: ${hex(32)}`],
    ["UUIDs", "id: 123e4567-e89b-12d3-a456-426614174000, trace=00f067aa0ba902b7"],
    ["an image", png],
    [
      "lock files",
      `"node_modules/algoliasearch": {"version": "1.2.3", "resolved" : "https://a.example/a/-/a.tgz",
      "integrity": "sha512-${bytesFrom(1, 64).toString("base64")}", "dependencies": {"@sentry/node": "^7.0.0"}}`,
    ],
    ["go sums", `github.com/datadog/datadog-go v1.0.0 h1:${bytesFrom(2, 32).toString("base64")}`],
    ["identifiers", "task_test_environment, risk_live_monitoring(); fork_test_connection; leaf_nodes_of_the_tree"],
    ["source code", 'const key = env.STRIPE_KEY ?? ""; // sk_, pk_, ghp_, xoxb- and AKIA\nif (a.b.c) return d["e"];'],
    ["keys for the public", "pk_live_AbCdEfGhIjKlMnOpQrStUvWx pk_test_AbCdEfGhIjKlMnOp"],
    ["variables", "HEROKU_API_KEY=$KEY\nDD_API_KEY=${DD_API_KEY}\nAWS_SECRET_ACCESS_KEY=<your key>\nNPM_TOKEN=xxxx"],
    ["times and paths", "Meet at 12:00 AA, 1/2 cup, 1/home/user, v1.0-beta, the disk. is full, http://a/c:d"],
    ["words below a prompt", `Password:\n\napp-7d9f8b6c5d-x2x9k   1/1   Running\npasswd: \r\nq1x7-k2m9p4z8w3r5 ok`],
    ["a hash in the name of a file", `video_box.ico-${hex(32)} and /static/app.ico-${hex(32)}.png`],
    ["identifiers of tests", `{"id":"task_test_${textOf(BODY, 24, random)}"} "task_test_${hex(32)}"`],
    ["a class in a regular expression", "const STEP21_IDENT_RE = '[A-Z_][A-Z0-9_.]*';"],
    [
      "a table of encoded data",
      `"AA0ZWsqSxpcNYnI4lAPTmEUOqYcdI3rRzpwd",\n"c0Oyb96G8MbMU6XaWNVCy7cNNM9XnS4QCIQUZh4WvKT",`,
    ],
    ["an image of a container", `image: confluentinc/cp-kafka@sha256:${hex(64)}\nimage: datadog/agent:7`],
    ["headings", "ASIA PACIFIC REGION, AKIALA, NOTE: THE API-KEY IS SECRET"],
    ["placeholders", `${PLACEHOLDER} postgres://user:${PLACEHOLDER}@host AWS_SECRET_ACCESS_KEY=${PLACEHOLDER}`],
  ])("%s", (_name, text) => {
    expect(redactText(text)).toBe(text);
  });

  test("four megabytes of random base64 and hex, in lines and in one piece", () => {
    const bytes = bytesFrom(17, 1 << 20);
    const base64 = bytes.toString("base64");
    const wrapped = base64.replaceAll(/.{76}/g, "$&\n");
    for (const text of [base64, wrapped, bytes.toString("hex")]) expect(findSecrets(text)).toEqual([]);
  });

  test("four megabytes of base64 for URLs, of letters and digits, and of base 32", () => {
    const bytes = bytesFrom(19, 3 << 19);
    const base64 = bytes.toString("base64url");
    const digests = base64.replaceAll(/.{43}/g, "sha256=$&\n");
    const [alnum, upper] = [base64.replaceAll(/[-_]/g, "x"), base64.replaceAll(/[-_a-z]/g, "Q")];
    for (const text of [base64, digests, alnum, upper]) expect(findSecrets(text)).toEqual([]);
  });

  test("base64 of data that is mostly zeros", () => {
    const bytes = Buffer.alloc(300_000);
    for (let at = 0; at < bytes.length; at += 37) bytes[at] = at;
    expect(findSecrets(bytes.toString("base64"))).toEqual([]);
  });

  test("the sources of this repository's dependencies", async () => {
    let read = 0;
    for await (const path of new Bun.Glob("{yaml,openai,valibot,citty}/**/*.{js,ts,md,json}").scan("node_modules")) {
      const text = await Bun.file(`node_modules/${path}`).text();
      read += text.length;
      const found = findSecrets(text).map(({ kind, start, end }) => ({ path, kind, text: text.slice(start, end) }));
      expect(found).toEqual([]);
    }
    expect(read).toBeGreaterThan(1_000_000);
  });
});

test("only letters match in both cases, not the control characters that differ from a sign in the same bit", () => {
  const value = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/Ab";
  const { redact } = createRedactor({ generic: "off" });
  for (const name of ["secret\raccess-key", "secret-access\rkey"]) {
    expect(redact(`${name}=${value}`)).toBe(`${name}=${value}`);
  }
  expect(redact(`Secret-ACCESS-key=${value}`)).toBe(`Secret-ACCESS-key=${PLACEHOLDER}`);
});

test.each(["1", "2", "3", "4", "5", "6", "7", "8", "9"])(
  "a Discord bot token is found when the bot's number begins with %s",
  (first) => {
    const token = [btoa(`${first}23456789012345678`), "GAbCdE", "aB3-_xYz9".repeat(4)].join(".");
    expect(redactText(`bot ${token} is up`)).toBe("bot [REDACTED] is up");
  },
);

test("a mark can name the kind of secret, and a second pass leaves it", () => {
  const redactor = createRedactor({ label: true });
  const once = redactor.redact(`a ${TOKEN} b postgres://u:hunter22@h`);
  expect(once).toBe("a [REDACTED:github-pat] b postgres://u:[REDACTED:postgres-password]@h");
  expect(redactor.redact(once)).toBe(once);
  const assigned = `[REDACTED:datadog-api-key] = ${"0a1b2c3d".repeat(4)}`;
  expect(redactor.redact(assigned)).toBe(assigned);
});

describe("a secret that matches several kinds has the most specific one", () => {
  test.each([
    [`GITHUB_TOKEN=${TOKEN}`, "github-pat"],
    [`Authorization: Bearer ${TOKEN}`, "github-pat"],
    [`https://user:${TOKEN}@github.com/a/b`, "github-pat"],
    [`curl -u me:${TOKEN} https://api.github.com`, "github-pat"],
    [`DATADOG_API_KEY=${["0f1e2d3c4b5a6978", "8796a5b4c3d2e1f0"].join("")}`, "datadog-api-key"],
    [`API_KEY="${frame("RSA PRIVATE KEY", `\\n${LINE}\\n`)}"`, "private-key"],
  ])("%s", (text, kind) => {
    expect(findSecrets(text).map((found) => found.kind)).toEqual([kind]);
  });
});
