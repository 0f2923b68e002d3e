import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { REDACTION_MARK as MARK } from "../../src/lib/secrets/redaction-mark.ts";
import { createRedactor, findSecrets, redactText } from "../../src/redaction/redact.ts";
import { randomFrom, textOf } from "./samples.ts";

const FENCE = "-".repeat(5);
const frameLine = (which: "BEGIN" | "END", label: string) => `${FENCE}${which} ${label}${FENCE}`;
const random = randomFrom(41);
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64 = (length: number) => textOf(BASE64, length, random);
const wrap = (text: string, width: number) => text.match(new RegExp(`.{1,${width}}`, "g")) ?? [];

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const ed25519 = generateKeyPairSync("ed25519").privateKey;
const PEM = rsa.export({ type: "pkcs8", format: "pem" }).trimEnd();
const LINES = PEM.split("\n");
const BODY = LINES.slice(1, -1);

/** No 40 characters of key material in a row may be left, as they are spelled. */
function expectGone(redacted: string, lines: readonly string[]): void {
  for (const line of lines) {
    for (let at = 0; at + 40 <= line.length; at++) {
      if (redacted.includes(line.slice(at, at + 40))) expect(redacted).not.toContain(line.slice(at, at + 40));
    }
  }
}

/** The material of lines as it is spelled, without what a spelling puts around a line. */
const materialIn = (lines: readonly string[], spell: Spell) =>
  lines.map((line) => (spell(line, 0).includes(line) ? line : spell(line, 0)));

/** How a line is written that has this number, the first being 0. */
type Spell = (line: string, at: number) => string;

const percent = encodeURIComponent;
const entities =
  (code: (sign: string) => string): Spell =>
  (line) =>
    line.replace(/[^A-Za-z0-9 [\]]/g, code);
const seconds = (at: number) => String(at).padStart(2, "0");

const SPELLINGS: readonly [name: string, spell: Spell, joint?: string][] = [
  ["as it is", (line) => line],
  ["with Windows line ends", (line) => line, "\r\n"],
  ["as a comment of a shell", (line) => `# ${line}`],
  ["as a block comment", (line) => ` * ${line}`],
  ["as a comment of C", (line) => `// ${line}`],
  ["as a comment of Rust", (line) => `/// ${line}`],
  ["as a comment of SQL", (line) => `-- ${line}`],
  ["as a comment of an INI file", (line) => `; ${line}`],
  ["as a comment of TeX", (line) => `% ${line}`],
  ["as a comment of Visual Basic", (line) => `' ${line}`],
  ["as a quotation", (line) => `> > ${line}`],
  ["added in a diff", (line) => `+${line}`],
  ["removed in a diff", (line) => `-${line}`],
  ["unchanged in a diff", (line) => ` ${line}`],
  ["added in a diff of a comment", (line) => `+# ${line}`],
  ["after a bar", (line) => `| ${line}`],
  ["in a table", (line) => `| ${line} |`],
  ["with numbers and arrows", (line, at) => `${String(at + 8).padStart(6)}→${line}`],
  ["with numbers and tabs", (line, at) => `${String(at + 8).padStart(6)}\t${line}`],
  ["with numbers and colons", (line, at) => `${at + 8}:${line}`],
  ["with numbers and hyphens", (line, at) => `${at + 8}-${line}`],
  ["with numbers and bars", (line, at) => `${String(at + 8).padStart(4)} | ${line}`],
  ["with numbers and dots", (line, at) => `${at + 8}. ${line}`],
  ["with numbers in brackets", (line, at) => `[${at + 8}] ${line}`],
  ["found by grep", (line, at) => `certs/server.pem:${at + 8}:${line}`],
  ["printed by grep next to a match", (line, at) => `certs/server.pem-${at + 8}-${line}`],
  ["found by grep in Windows", (line, at) => `C:\\certs\\server.pem:${at + 8}:${line}`],
  ["in colour", (line) => `\u001b[32m${line}\u001b[0m`],
  ["in bold colour", (line) => `\u001b[1;38;5;208m${line}\u001b[m\u001b[K`],
  ["in colour written out", (line) => `\\u001b[32m${line}\\u001b[0m`, "\\n"],
  ["in colour as a shell writes it", (line) => `\\e[32m${line}\\e[0m`],
  ["in lines of HTML", (line) => line, "<br>"],
  ["in lines of XHTML", (line) => line, "<br/>\n"],
  ["in paragraphs", (line) => `<p>${line}</p>`],
  ["in elements of a list", (line) => `<li><code>${line}</code></li>`],
  ["with line ends as decimal entities", (line) => line, "&#10;"],
  ["with line ends as hexadecimal entities", (line) => line, "&#xA;"],
  ["with Windows line ends as entities", (line) => line, "&#13;&#10;"],
  ["with carriage returns as entities", (line) => line, "&#xD;\n"],
  ["in decimal entities", entities((sign) => `&#${sign.charCodeAt(0)};`)],
  ["in hexadecimal entities", entities((sign) => `&#x${sign.charCodeAt(0).toString(16)};`), "&#xa;"],
  ["with line ends written out", (line) => line, "\\n"],
  ["with line ends written out twice", (line) => line, "\\\\n"],
  ["with line ends written out three times", (line) => line, "\\\\\\\\n"],
  ["with Windows line ends written out", (line) => line, "\\r\\n"],
  ["with Unicode line ends", (line) => line, "\\u000a"],
  ["as PHP writes JSON", (line) => line.replaceAll("/", "\\/"), "\\n"],
  ["in Unicode escapes", entities((sign) => `\\u00${sign.charCodeAt(0).toString(16)}`), "\\n"],
  ["in escapes of bytes", entities((sign) => `\\x${sign.charCodeAt(0).toString(16)}`), "\\x0a"],
  ["in one line with blanks", (line) => line, " "],
  ["in one line", (line) => line, ""],
  ["double-spaced", (line) => line, "\n\n"],
  ["with tabs", (line) => `\t\t${line}`],
  ["with blanks after it", (line) => `${line}  `],
  ["in a block of YAML", (line) => `      ${line}`],
  ["as an array of JSON", (line) => JSON.stringify(line), ",\n  "],
  ["as an array in one line", (line) => JSON.stringify(line), ","],
  ["as an array of JSON in JSON", (line) => JSON.stringify(JSON.stringify(line)).slice(1, -1), ", "],
  ["as an array of JavaScript", (line) => `  '${line}'`, ",\n"],
  ["as an array of PHP", (line, at) => `  ${at} => "${line}"`, ",\n"],
  ["as a list of YAML", (line) => `  - "${line}"`],
  ["joined in JavaScript", (line) => `  "${line}\\n"`, " +\n"],
  ["joined in JavaScript without line ends", (line) => `'${line}'`, " + '\\n' + "],
  ["joined in Java", (line) => `      + "${line}\\n"`],
  ["joined in Python", (line) => `    b"${line}\\n"`],
  ["joined in C", (line) => `"${line}\\n"`, " \\\n"],
  ["joined in Visual Basic", (line) => `  "${line}"`, " & vbCrLf & _\n"],
  ["joined in PHP", (line) => `  '${line}'`, " . PHP_EOL .\n"],
  ["joined in Go", (line) => `\t\`${line}\``, " +\n"],
  ["joined in Lua", (line) => `  "${line}"`, " ..\n"],
  ["appended by a shell", (line) => `echo "${line}" >> key.pem`],
  ["appended to a builder", (line) => `  sb.append("${line}\\n");`],
  ["with timestamps", (line, at) => `2024-05-01T10:00:${seconds(at)}.123456789Z ${line}`],
  ["in a system log", (line, at) => `May  1 10:00:${seconds(at)} web-01 app[12]: ${line}`],
  ["in a log of a container", (line) => `web-1  | ${line}`],
  ["in a log of Kubernetes", (line, at) => `2024-05-01T10:00:${seconds(at)}.123Z stdout F ${line}`],
  [
    "in a log of JSON",
    (line, at) => JSON.stringify({ log: `${line}\n`, stream: "stdout", time: `2024-05-01T10:00:${seconds(at)}.1Z` }),
  ],
  ["in a log with levels", (line, at) => `10:00:${seconds(at)} [main] DEBUG com.example.Loader - ${line}`],
  ["with its ends shown", (line) => `${line}$`],
  ["with its Windows ends shown", (line) => `${line}^M$`],
  ["percent-encoded", percent, "%0A"],
  ["percent-encoded with Windows line ends", percent, "%0D%0A"],
  ["percent-encoded twice", (line) => percent(percent(line)), "%250A"],
  ["in a form", (line) => percent(line).replaceAll("%20", "+"), "%0A"],
  ["as quoted-printable text", (line) => line.replaceAll("=", "=3D"), "=0A=\n"],
  ["as quoted-printable text with Windows line ends", (line) => line.replaceAll("=", "=3D"), "\r\n"],
];

describe.each(SPELLINGS.map(([name, spell, joint = "\n"]) => ({ name, spell, joint })))(
  "a private key $name",
  ({ spell, joint }) => {
    const last = LINES.length - 1;

    test("loses its body, and nothing else is redacted", () => {
      const text = LINES.map(spell).join(joint);
      const redacted = redactText(`before\n${text}\nafter`);
      expectGone(redacted, materialIn(BODY, spell));
      const lines = [spell(LINES[0] ?? "", 0), spell("BODY", 1).replace("BODY", MARK), spell(LINES[last] ?? "", last)];
      expect(withoutNumbers(redacted)).toBe(withoutNumbers(`before\n${lines.join(joint)}\nafter`));
      expect(redacted).toStartWith(`before\n${spell(LINES[0] ?? "", 0)}`);
      expect(redacted).toEndWith(`${spell(LINES[last] ?? "", last)}\nafter`);
      expect(redactText(redacted)).toBe(redacted);
    });

    test("loses its body without a first or a last line", () => {
      const [head, tail] = [LINES.slice(0, 12), LINES.slice(12)];
      for (const part of [head, tail]) {
        const redacted = redactText(`before\n${part.map(spell).join(joint)}\nafter it`);
        expectGone(
          redacted,
          materialIn(
            part.filter((line) => BODY.includes(line)),
            spell,
          ),
        );
        expect(redacted).toStartWith("before\n");
        expect(redacted).toEndWith("\nafter it");
        expect(redactText(redacted)).toBe(redacted);
      }
    });

    test("loses its body with lines left out in the middle", () => {
      const text = [...LINES.slice(0, 8), "... [12 lines truncated] ...", ...LINES.slice(-8)].map(spell).join(joint);
      expectGone(redactText(text), materialIn(BODY, spell));
    });
  },
);

/** The number of the line that follows the mark may be that of the line which followed it before. */
const withoutNumbers = (text: string) => text.replace(/\d+/g, "0");

const armour = (label: string, headers: string[], lines: string[]) =>
  [frameLine("BEGIN", label), ...headers, ...lines, frameLine("END", label)].join("\n");
const KEYS: readonly [string, string, string[]][] = [
  ["RSA", rsa.export({ type: "pkcs1", format: "pem" }).trimEnd(), []],
  ["EC", ec.export({ type: "sec1", format: "pem" }).trimEnd(), []],
  ["Ed25519", ed25519.export({ type: "pkcs8", format: "pem" }).trimEnd(), []],
  [
    "encrypted",
    rsa.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }).toString().trimEnd(),
    [],
  ],
  [
    "encrypted RSA",
    rsa.export({ type: "pkcs1", format: "pem", cipher: "aes-128-cbc", passphrase: "x" }).toString().trimEnd(),
    [],
  ],
  ["DSA", armour("DSA PRIVATE KEY", [], wrap(base64(444), 64)), []],
  ["any", armour("ANY PRIVATE KEY", [], wrap(base64(1200), 64)), []],
  [
    "OpenSSH",
    armour("OPENSSH PRIVATE KEY", [], wrap(`b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB${base64(500)}`, 70)),
    [],
  ],
  [
    "PGP",
    armour(
      "PGP PRIVATE KEY BLOCK",
      ["Version: GnuPG v2.2 (Linux)", "Comment: https://example.org", ""],
      [...wrap(`lQOYBF${base64(1200)}`, 64), "=AbC+"],
    ),
    [],
  ],
  [
    "SSH2",
    armour("SSH2 ENCRYPTED PRIVATE KEY", ['Comment: "2048-bit rsa"'], wrap(`P2/56wAAA${base64(900)}`, 70))
      .replaceAll(FENCE, "----")
      .replaceAll("----BEGIN", "---- BEGIN")
      .replaceAll("----END", "---- END")
      .replaceAll("KEY----", "KEY ----"),
    [],
  ],
];

describe.each(KEYS.map(([name, pem]) => ({ name, pem })))("of a key that is $name", ({ pem }) => {
  const lines = pem.split("\n");
  const [begin = "", end = ""] = [lines[0], lines.at(-1)];

  test("one mark is left between the frame lines, in any JSON", () => {
    expect(redactText(`${pem}\n`)).toBe(`${begin}\n${MARK}\n${end}\n`);
    const whole = { a: [pem, { key: `${pem}\n`, n: 1 }], b: "text" };
    const redacted = { a: [`${begin}\n${MARK}\n${end}`, { key: `${begin}\n${MARK}\n${end}\n`, n: 1 }], b: "text" };
    expect(redactText(JSON.stringify(whole))).toBe(JSON.stringify(redacted));
    expect(redactText(`x ${JSON.stringify(JSON.stringify(whole))}`)).toBe(
      `x ${JSON.stringify(JSON.stringify(redacted))}`,
    );
    const nested = JSON.stringify({ c: JSON.stringify(JSON.stringify(whole)) });
    expect(redactText(nested)).toBe(JSON.stringify({ c: JSON.stringify(JSON.stringify(redacted)) }));
  });

  test("both halves lose their material", () => {
    const body = lines.filter((line) => line.length >= 40 && !line.startsWith("-"));
    if (body.length < 4) return;
    const middle = Math.ceil(lines.length / 2);
    for (const half of [lines.slice(0, middle), lines.slice(middle)]) {
      expectGone(redactText(half.join("\n")), body);
      expectGone(redactText(JSON.stringify({ out: half.join("\n") })), body);
    }
  });
});

test("keys whose lines are values of objects leave valid JSON", () => {
  const values = [
    LINES.map((line, at) => ({ at, line })),
    LINES.map((line, at) => [at, line, "x"]),
    { begin: LINES[0], body: { one: BODY.slice(0, 9), two: BODY.slice(9) }, end: LINES.at(-1) },
    { body: [[LINES[0], BODY[0]], { more: BODY.slice(1) }], end: LINES.at(-1) },
    Object.fromEntries(LINES.map((line, at) => [`line${at}`, line])),
  ];
  for (const value of values) {
    for (const indent of [0, 2]) {
      const redacted = redactText(JSON.stringify(value, null, indent));
      expect(() => JSON.parse(redacted)).not.toThrow();
      expectGone(redacted, BODY);
      expect(redactText(redacted)).toBe(redacted);
    }
  }
});

describe("a key without its own frame", () => {
  const expectMark = (text: string, material: readonly string[], kept: readonly string[]) => {
    const redacted = redactText(text);
    expectGone(redacted, material);
    for (const piece of kept) expect(redacted).toContain(piece);
    expect(redactText(redacted)).toBe(redacted);
  };

  test.each([1, 2, 3])("of PuTTY, version %d", (version) => {
    const [shared, own] = [wrap(base64(372), 64), wrap(base64(812), 64)];
    const mac = textOf("0123456789abcdef", version === 3 ? 64 : 40, random);
    const file = [
      `PuTTY-User-Key-File-${version}: ssh-rsa`,
      "Encryption: none",
      "Comment: rsa-key-20240501",
      `Public-Lines: ${shared.length}`,
      ...shared,
      `Private-Lines: ${own.length}`,
      ...own,
      `${version === 1 ? "Private-Hash" : "Private-MAC"}: ${mac}`,
    ];
    for (const joint of ["\n", "\r\n", "\n\n", "\\r\\n", "\n> ", "\n    ", "<br>\n"]) {
      expectMark(file.join(joint), own, [...shared, `Private-Lines: ${own.length}${joint}${MARK}${joint}Private-`]);
      expectMark(file.slice(0, -6).join(joint), own.slice(0, -5), shared);
    }
    expectMark(JSON.stringify(file.join("\n")), own, shared);
  });

  test("in base64", () => {
    const encoded = Buffer.from(`${PEM}\n`).toString("base64");
    expect(redactText(`tls.key: ${encoded}\ntype: x`)).toBe(`tls.key: ${MARK}\ntype: x`);
    expect(redactText(JSON.stringify({ key: encoded, n: 1 }))).toBe(JSON.stringify({ key: MARK, n: 1 }));
    for (const indent of ["", "    ", "# "]) {
      const text = wrap(encoded, 76)
        .map((line) => indent + line)
        .join("\n");
      expect(redactText(`a: |\n${text}\nb: 1`)).toBe(`a: |\n${indent}${MARK}\nb: 1`);
    }
    const chain = `${armour("CERTIFICATE", [], wrap(base64(900), 64))}\n${PEM}\n`;
    expect(redactText(`bundle: ${Buffer.from(chain).toString("base64")}\n`)).toBe(`bundle: ${MARK}\n`);
    const certificate = Buffer.from(armour("CERTIFICATE", [], wrap(base64(900), 64))).toString("base64");
    expect(redactText(`certificate-authority-data: ${certificate}\n`)).toBe(
      `certificate-authority-data: ${certificate}\n`,
    );
  });

  test.each([
    ["RSA", rsa],
    ["EC", ec],
    ["Ed25519", ed25519],
  ])("in JSON, %s", (_name, key) => {
    const jwk = key.export({ format: "jwk" }) as Record<string, string>;
    const isPrivate = (name: string) => ["d", "p", "q", "dp", "dq", "qi"].includes(name);
    const redacted = Object.fromEntries(
      Object.entries(jwk).map(([name, value]) => [name, isPrivate(name) ? MARK : value]),
    );
    for (const write of [
      JSON.stringify,
      (value: unknown) => JSON.stringify(value, null, 2),
      (value: unknown) => JSON.stringify(JSON.stringify(value)),
    ]) {
      expect(redactText(write({ keys: [jwk], a: {} }))).toBe(write({ keys: [redacted], a: {} }));
    }
    const shared = Object.fromEntries(Object.entries(jwk).filter(([name]) => !isPrivate(name)));
    expect(redactText(JSON.stringify(shared))).toBe(JSON.stringify(shared));
  });

  test("in JSON, for one secret key", () => {
    const value = textOf(`${BASE64.slice(0, 62)}-_`, 43, random);
    expect(redactText(`{ kty: 'oct', k: '${value}', alg: 'HS256' }`)).toBe(
      `{ kty: 'oct', k: '${MARK}', alg: 'HS256' }`,
    );
  });

  test("in XML", () => {
    const part = (name: string, length: number) => `<${name}>${base64(length)}=</${name}>`;
    const whole = ["P", "Q", "DP", "DQ", "InverseQ", "D"].map((name) => part(name, 171));
    const shared = `<Modulus>${base64(343)}=</Modulus><Exponent>AQAB</Exponent>`;
    const hidden = (text: string) => text.replace(/[A-Za-z0-9+/=]{60,}/, MARK);
    const xml = (parts: string[]) => `<RSAKeyValue>${shared}${parts.join("\n  ")}</RSAKeyValue>`;
    const [text, redacted] = [xml(whole), xml(whole.map(hidden))];
    expect(redactText(text)).toBe(redacted);
    const escaped = (value: string) => value.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    expect(redactText(escaped(text))).toBe(escaped(redacted));
    const written = (value: string) => JSON.stringify(value).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
    expect(redactText(written(text))).toBe(written(redacted));
    expect(redactText(`<RSAKeyValue>${shared}</RSAKeyValue>`)).toBe(`<RSAKeyValue>${shared}</RSAKeyValue>`);
  });
});

const [BEGIN, END] = [frameLine("BEGIN", "PRIVATE KEY"), frameLine("END", "PRIVATE KEY")];
const hash = textOf("0123456789abcdef", 64, random);

test.each([
  ["constants of source code", `const BEGIN = "${BEGIN}";\nconst END = "${END}";`],
  [
    "constants with code between",
    `export const BEGIN = "${BEGIN}";\n${"export function parsePrivateKeyFromPemEncodedString(text: string) { return decodeBase64(text.trim()); }\n".repeat(8)}export const END = "${END}";`,
  ],
  ["a regular expression", `/${BEGIN}([\\s\\S]+?)${END}/`],
  ["a condition", `if (text.includes("${BEGIN}")) return parse(text, "${END}");`],
  ["documentation", `The file begins with \`${BEGIN}\` and ends with \`${END}\`. Its body is encoded in Base64.`],
  ["a template", `${BEGIN}\n...\n${END}`],
  ["a template with a name", `${BEGIN}\n<your private key goes here>\n${END}`],
  ["a variable", `${BEGIN}\n\${PRIVATE_KEY_BODY}\n${END}`],
  ["an ellipsis after the first characters", `${BEGIN}\\nMIIEvQ...\\n${END}`],
  ["a head and prose", `${BEGIN}\nThe key that was here is revoked. See internationalizationConfiguration for more.`],
  ["a tail and prose", `See internationalizationConfiguration for more.\n${END}`],
  ["a tail after a checksum", `const digest = "${hash}";\nconst end = "${END}";`],
  ["a head before a checksum", `const begin = "${BEGIN}";\nconst digest = "${hash}";`],
  ["a certificate", armour("CERTIFICATE", [], wrap(base64(1200), 64))],
  ["a chain of certificates", `${armour("CERTIFICATE", [], wrap(base64(900), 64))}\n`.repeat(3)],
  ["a request", armour("CERTIFICATE REQUEST", [], wrap(base64(900), 64))],
  ["a public key", armour("PUBLIC KEY", [], wrap(base64(392), 64))],
  [
    "a public key of PGP",
    armour("PGP PUBLIC KEY BLOCK", ["Version: GnuPG v2", ""], [...wrap(base64(900), 64), "=AbCd"]),
  ],
  ["a message of PGP", armour("PGP MESSAGE", [], wrap(base64(900), 64))],
  ["parameters of a curve", armour("EC PARAMETERS", [], ["BggqhkjOPQMBBw=="])],
  ["a public key of SSH", `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${base64(500)} me@host`],
  ["a key redacted before", `${BEGIN}\n${MARK}\n${END}`],
  ["a key redacted with its kind", `${BEGIN}\n[REDACTED:private-key]\n${END}`],
  [
    "frames with a certificate between",
    `cat > k <<E\n${BEGIN}\nE\n${armour("CERTIFICATE", [], wrap(base64(600), 64))}\necho "${END}"`,
  ],
  [
    "the code that writes a key",
    `{"kty": "RSA", "d": to_base64url_uint(numbers.d).decode(), "k": base64url_encode(force_bytes(key_obj))}`,
  ],
  ["the members of another object", `{"kty_name":"x","d":"${hash}"} {"kty":"other","d":"${hash}"}`],
  ["the text of a form", "Private-Lines: how many lines of the key follow. Private-MAC: a checksum."],
])("%s is not a private key", (_name, text) => {
  expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual([]);
});

test("a short line of a key that follows a mark goes with it", () => {
  const body = ["MEnJ1hnzjUa6xa58Wd9zsSX3pgJdRN9KXgY7Ad+2P+AeHqgjI+QgvwImxYklV0D7==", "ustPLRH59v17ulapPmWO"];
  const lines = [frameLine("BEGIN", "RSA PRIVATE KEY"), ...body, frameLine("END", "RSA PRIVATE KEY")];
  const text = JSON.stringify({ a: JSON.stringify({ b: lines.map((line) => `key=${line} |`).join("\n") }) });
  const { redact } = createRedactor({ generic: "off" });
  for (const line of body) expect(redact(text)).not.toContain(line);
});

/** The key of the example of Go's package `crypto/tls`. */
const EXAMPLE_OF_GO = [
  frameLine("BEGIN", "EC PRIVATE KEY"),
  "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49",
  "AwEHoUQDQgAEPR3tU2Fta9ktY+6P9G0cWO+0kETA6SFs38GecTyudlHz6xvCdz8q",
  "EKTcWGekdmdDPsHloRNtsiCa697B2O9IFA==",
  frameLine("END", "EC PRIVATE KEY"),
];

test("a private key that ships with a language stays, and a key beside it goes", () => {
  const spellings = [
    EXAMPLE_OF_GO.join("\n"),
    EXAMPLE_OF_GO.map((line) => `    # ${line}`).join("\r\n"),
    JSON.stringify({ key: EXAMPLE_OF_GO.join("\n") }),
  ];
  for (const text of spellings) {
    expect(redactText(text)).toBe(text);
    expect(redactText(text.replace("IrYSS", "IrYST"))).not.toContain("NQFaA2Hwf1duRSxKtLYX5CB04f");
  }
  expect(redactText(`${PEM}\n${spellings[0]}\n`)).toBe(`${LINES[0]}\n${MARK}\n${LINES.at(-1)}\n${spellings[0]}\n`);
});

test("the body of a key that is the letter X stays", () => {
  const text = [frameLine("BEGIN", "PRIVATE KEY"), "x".repeat(64), frameLine("END", "PRIVATE KEY")].join("\n");
  expect(redactText(text)).toBe(text);
});

test("several keys and certificates in one file stay apart", () => {
  const certificate = armour("CERTIFICATE", [], wrap(base64(900), 64));
  const file = `${certificate}\n${PEM}\n${certificate}\n${PEM}\n`;
  const redacted = `${BEGIN}\n${MARK}\n${END}`;
  expect(redactText(file)).toBe(`${certificate}\n${redacted}\n${certificate}\n${redacted}\n`);
  expect(redactText(JSON.stringify({ file }))).toBe(
    JSON.stringify({ file: `${certificate}\n${redacted}\n${certificate}\n${redacted}\n` }),
  );
  expect(redactText(`${LINES.slice(0, 9).join("\n")}\n${certificate}\n${LINES.slice(9).join("\n")}`)).toBe(
    `${BEGIN}\n${MARK}\n${certificate}\n${MARK}\n${END}`,
  );
});
