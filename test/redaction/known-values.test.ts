import { describe, expect, test } from "bun:test";
import { run } from "../../builtins/redact_secrets.ts";
import {
  rememberCredentials,
  rememberSecret,
  rememberUrl,
  rememberVariables,
  secretCandidates,
  secretCertaintyOf,
} from "../../src/lib/secrets/known-secrets.ts";
import { searchableValues } from "../../src/redaction/known-values.ts";
import { createRedactor, redactText, SECRET_RULES } from "../../src/redaction/redact.ts";
import { redactorOf } from "../../src/redaction/redaction-settings.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";
import { expectLinear } from "../helpers/growth.ts";
import { isFixed, randomFrom, sampleOf, textOf } from "./samples.ts";

const random = randomFrom(8);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const fresh = (length = 20) => textOf(LETTERS, length, random);
const redact = (text: string, ...known: string[]) => createRedactor({ known }).redact(text);

describe("a known value is redacted", () => {
  const VALUE = ["kT9x/q2W", 'm+7"RbV', "=p4 Zcé"].join("");

  test.each([
    ["as it is", VALUE],
    ["in JSON", JSON.stringify(VALUE).slice(1, -1)],
    ["in JSON inside JSON", JSON.stringify(JSON.stringify(VALUE)).slice(3, -3)],
    ["in JSON with escaped slashes", JSON.stringify(VALUE).slice(1, -1).replaceAll("/", "\\/")],
    ["in JSON without characters beyond ASCII", JSON.stringify(VALUE).slice(1, -1).replace("é", "\\u00e9")],
    ["in JSON as PHP writes it", JSON.stringify(VALUE).slice(1, -1).replaceAll("/", "\\/").replace("é", "\\u00e9")],
    ["in a query", encodeURIComponent(VALUE)],
    ["in a query with lower-case digits", encodeURIComponent(VALUE).replace(/%../g, (code) => code.toLowerCase())],
    ["in a form", encodeURIComponent(VALUE).replaceAll("%20", "+")],
    ["in a path", encodeURI(VALUE)],
    ["in base64", Buffer.from(VALUE).toString("base64").replace(/=*$/, "")],
    ["in base64 for URLs", Buffer.from(VALUE).toString("base64url")],
  ])("%s", (_name, written) => {
    const text = `before ${written} behind`;
    expect(redact(text, VALUE)).toBe("before [REDACTED] behind");
    expect(redact(`x${written}x`, VALUE)).not.toContain(written.slice(3, -3));
  });

  test.each([0, 1, 2, 3, 4, 5])("in base64 after %d other characters, whatever follows", (before) => {
    for (const behind of ["", "!", "!!", "!!!"]) {
      for (const length of [8, 9, 10, 11]) {
        const value = fresh(length);
        const encoded = Buffer.from("#".repeat(before) + value + behind).toString("base64");
        const redacted = redact(`data: ${encoded}`, value);
        expect(redacted).toContain("[REDACTED]");
        const rest = redacted
          .slice("data: ".length)
          .split("[REDACTED]")
          .map((part) => Buffer.from(part, "base64").toString("latin1"));
        expect(rest.join("")).not.toContain(value.slice(1, 3));
        expect(redact(redacted, value)).toBe(redacted);
      }
    }
  });

  test("as a whole, however long it is, and only if all of it is there", () => {
    for (const length of [63, 64, 65, 66, 300]) {
      const value = fresh(length);
      expect(redact(`a${value}b`, value)).toBe("a[REDACTED]b");
      expect(redact(`a${value.slice(0, -1)} b`, value)).not.toBe("a[REDACTED] b");
    }
  });

  test("in JSON where an escaped slash stands before a sign", () => {
    const value = "kT9x/(2Wm7 RbVé";
    for (const written of [JSON.stringify(value), '"kT9x/(2Wm7 RbV\\u00e9"'])
      expect(redact(written.replace("/", "\\/"), value)).toBe('"[REDACTED]"');
  });

  test("in base64 with the signs of either alphabet, and nothing before it", () => {
    const value = "???Zk3Qw8>>>Rt5";
    for (const alphabet of ["base64", "base64url"] as const) {
      const encoded = Buffer.from(value).toString(alphabet).replace(/=*$/, "");
      expect(encoded).toMatch(alphabet === "base64" ? /\/.*\+/ : /_.*-/);
      expect(redact(`x${encoded} x`, value)).toBe("x[REDACTED] x");
    }
  });

  test("inside longer text, without an edge, at every place", () => {
    const value = fresh();
    expect(redact(`a${value}b${value}${value}.`, value)).toBe("a[REDACTED]b[REDACTED][REDACTED].");
  });

  test("with its kind where the mark names it", () => {
    const value = fresh();
    const token = ["gho", textOf(LETTERS, 36, random)].join("_");
    const { redact: labelled } = createRedactor({ known: [value, token], label: true });
    const redacted = labelled(`a${value}b ${token}c`);
    expect(redacted).toBe("a[REDACTED:known-value]b [REDACTED:github-oauth]c");
    expect(labelled(redacted)).toBe(redacted);
  });

  test("and JSON stays JSON", () => {
    const text = JSON.stringify({ [VALUE]: [VALUE, `x\n${VALUE}\u0001`, { deep: JSON.stringify({ VALUE }) }] });
    expect(JSON.parse(redact(text, VALUE))).toEqual({
      "[REDACTED]": ["[REDACTED]", "x\n[REDACTED]\u0001", { deep: '{"VALUE":"[REDACTED]"}' }],
    });
  });
});

describe.each([
  ["plain marks", false, /\[REDACTED\]/g],
  ["marks of different lengths", true, /\[REDACTED:[\w-]+\]/g],
] as const)("a secret that only a known value hid is redacted in the same pass, with %s", (_name, label, marks) => {
  const value = fresh(16);
  const { redact, find } = createRedactor({ known: [value], label });

  test("if it touches the value", () => {
    const samples = SECRET_RULES.filter(({ edge, pattern }) => (!edge || edge === "word") && isFixed(pattern))
      .flatMap(({ pattern }) => Array.from({ length: 40 }, () => sampleOf(pattern, random).text))
      .filter((text) => redactText(`${text}${value}`) === `${text}${value}` && redactText(text) === "[REDACTED]");
    expect(samples.length).toBeGreaterThan(20);
    for (const sample of samples) {
      const text = `a ${value} b ${sample}${value} c ${value} d ${value}${sample} e ${value} f`;
      const once = redact(text);
      expect(once.replace(marks, "_")).toBe("a _ b __ c _ d __ e _ f");
      expect(redact(once)).toBe(once);
      const found = find(text).map(({ start, end }) => text.slice(start, end));
      expect(found).toEqual([value, sample, value, value, value, sample, value]);
    }
  });

  test("if the value touches the command that it is given to", () => {
    const password = "pcmjvI7WRSlO";
    const command = `CREATE USER 'app' IDENTIFIED BY '${password}';`;
    expect(redactText(`${value}${command}`)).toBe(`${value}${command}`);
    const text = `a ${value} b ${value}${command} c ${value} d ${value}${command}${value}${value}${command}`;
    const rest = "CREATE USER 'app' IDENTIFIED BY '_';";
    const once = redact(text);
    expect(once.replace(marks, "_")).toBe(`a _ b _${rest} c _ d _${rest}__${rest}`);
    expect(redact(once)).toBe(once);
    const found = find(text).map(({ start, end }) => text.slice(start, end));
    expect(found).toEqual([value, value, password, value, value, password, value, value, password]);
  });
});

test("a value in quotes of its own is searched without them, so that JSON stays valid", () => {
  const values = searchableValues([
    { value: '"kT9xq2Wm7RbV"', certainty: "named" },
    { value: "'hunter22!'", certainty: "named" },
  ]);
  const redacted = JSON.parse(redact('{"a":"kT9xq2Wm7RbV","b":"\'hunter22!\'"}', ...values));
  expect(redacted).toEqual({ a: "[REDACTED]", b: "'[REDACTED]'" });
});

describe("which values are searched for", () => {
  const searched = (value: string, certainty: "key" | "named" | "hinted" = "named") =>
    searchableValues([{ value, certainty }]).length > 0;
  const RANDOM = fresh(12);

  test.each(["hunter22", "postgres1!", "Tr0ub4dor&3", "p@ssw0rd!", fresh(8), "a1b2c3d4", "sk-local-0001"])(
    "a password or token: %s",
    (value) => {
      expect(searched(value)).toBe(true);
      expect(searched(value, "key")).toBe(true);
    },
  );

  test.each([
    "short77",
    "password",
    "production",
    "localhost",
    "not-needed",
    "lm-studio",
    "changeme",
    "12345678",
    "2026-01-01",
    "aaaaaaaaaaaa",
    "abababababab",
    "/run/secrets/token-1",
    "~/.ssh/id_ed25519",
    "C:\\keys\\a1.pem",
    "https://example.com/token-1",
    "[REDACTED]",
    "x[REDACTED:known-value]",
  ])("nothing that a text holds by chance: %s", (value) => {
    expect(searched(value)).toBe(false);
    expect(searched(value, "key")).toBe(false);
  });

  test.each(["walnut-orchard-gate", "correct-horse-battery-staple", "sunflower", "Trüffel_Garten", "open the gate"])(
    "words only if they are declared as a credential: %s",
    (value) => {
      expect(searched(value)).toBe(false);
      expect(searched(value, "hinted")).toBe(false);
      expect(searched(value, "key")).toBe(true);
    },
  );

  test.each([
    "no-key-needed",
    "dummy-api-key",
    "sk-no-key-required",
    "local-llm",
    "my_secret_token",
    "unused-key",
    "your-api-key",
  ])("never words that stand for a key: %s", (value) => expect(searched(value, "key")).toBe(false));

  test("under a name that only hints at a secret, only random values", () => {
    expect(searched("v1-linux-x64-node20", "hinted")).toBe(false);
    expect(searched(RANDOM, "hinted")).toBe(true);
  });

  test.each([
    "q49413d944c1944z",
    "499e61185551",
    "A99E61185551",
    "953034704326dda81389ba12cdc199de",
    "good-8a66780c-1034-438d-89bf-031227471391",
    "12345678-1034-438d-89bf-031227471391",
    ["sk", "3ef259eb8dffe6722535013717779bab"].join("-"),
  ])("and of these also hexadecimal digits that read like a number or a name: %s", (value) => {
    expect(searched(value, "hinted")).toBe(true);
  });

  test("random hexadecimal text of 16 characters or more, and UUIDs", () => {
    for (let round = 0; round < 20_000; round++) {
      const hex = textOf("0123456789abcdef", 32, random);
      const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
      for (const value of [hex, `${hex.slice(0, 15)}a`, `q${hex.slice(0, 14)}7az`, uuid, `good-${uuid}`]) {
        expect({ value, isSearched: searched(value, "hinted") }).toEqual({ value, isSearched: true });
      }
    }
  });

  test.each([
    "claude-3-5-sonnet-20241022",
    "localhost:8080",
    "20261122-9f8e7dc",
    "20260115beta",
    "node:20.11.1-slim",
    "000000000001",
    "deadbeefcafe",
    "1111aaaa1111",
    "11111111-1111-1111-1111-111111111111",
    "/work/8a66780c-1034-438d-89bf-031227471391/src",
  ])("but no version, date, number, word or path: %s", (value) => {
    expect(searched(value, "hinted")).toBe(false);
  });
});

describe("the certainty that a name gives", () => {
  test.each([
    "OPENAI_API_KEY",
    "GITHUB_TOKEN",
    "DB_PASSWORD",
    "PGPASSWORD",
    "PASSWORD",
    "CLIENT_SECRET",
    "SECRET_KEY_BASE",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "HF_TOKEN",
    "NPM_AUTH_TOKEN",
    "apiKey",
    "x-api-key",
    "Authorization",
    "X-Auth-Token",
    "clientSecret",
    "GPG_PASSPHRASE",
    "GOOGLE_CREDENTIALS",
  ])("%s holds a secret", (name) => expect(secretCertaintyOf(name)).toBe("named"));

  test.each(["CACHE_KEY", "SSHPASS", "MYSQL_PWD", "REDISCLI_AUTH", "GITHUB_PAT", "PWD", "Cookie"])(
    "%s may hold one",
    (name) => expect(secretCertaintyOf(name)).toBe("hinted"),
  );

  test.each([
    "AWS_ACCESS_KEY_ID",
    "SSH_AUTH_SOCK",
    "SSH_KEY_PATH",
    "TOKEN_FILE",
    "PASSWORD_MIN_LENGTH",
    "TOKENIZERS_PARALLELISM",
    "KEYBOARD_LAYOUT",
    "PATH",
    "HOME",
    "GIT_AUTHOR_NAME",
    "TOKEN_URL",
    "MAX_TOKENS",
    "LANG",
    "SECRETARY",
  ])("%s holds none", (name) => expect(secretCertaintyOf(name)).toBeUndefined());
});

describe("the remembered values", () => {
  const certainty = (value: string) => secretCandidates().find((each) => each.value === value)?.certainty;

  test("variables by their names, and the password of a URL in any variable", () => {
    const [token, plain, password] = [fresh(), fresh(), `${fresh(8)}@/`];
    rememberVariables({
      APP_TOKEN: token,
      APP_VERSION: plain,
      DATABASE: `postgres://u:${encodeURIComponent(password)}@h/d`,
    });
    expect(certainty(token)).toBe("named");
    expect(certainty(plain)).toBeUndefined();
    expect(certainty(password)).toBe("named");
  });

  test("headers without their scheme, and the password of Basic", () => {
    const [token, password, own] = [fresh(), fresh(), fresh()];
    const pair = Buffer.from(`user:${password}`).toString("base64");
    rememberCredentials({
      Authorization: `Bearer ${token}`,
      "Proxy-Authorization": `Basic ${pair}`,
      "X-Team": own,
      Accept: `text/${own}x`,
    });
    expect([token, pair, password, own].map(certainty)).toEqual(["key", "key", "key", "hinted"]);
    expect(certainty(`text/${own}x`)).toBeUndefined();
  });

  test("values in a source of credentials under the name of one", () => {
    const names = ["X-Api-Key", "DB_PASSWORD", "MYSQL_PWD", "GITHUB_PAT", "CACHE_KEY", "SERVICE_SETTING"];
    const values = names.map(() => fresh());
    rememberCredentials(Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""])));
    expect(values.map(certainty)).toEqual(["key", "key", "key", "key", "hinted", "hinted"]);
  });

  test("the greatest certainty given for a value, and no value shorter than eight characters", () => {
    const value = fresh();
    rememberSecret(value, "hinted");
    rememberSecret(` ${value}\n`, "key");
    rememberSecret(value, "named");
    rememberSecret("seven77");
    expect(certainty(value)).toBe("key");
    expect(certainty("seven77")).toBeUndefined();
  });

  test("no URL that cannot be read, and a password with a bare percent sign", () => {
    const password = `${fresh(8)}%`;
    rememberUrl("http://[user:password1@");
    rememberUrl(`http://u:${password}@h/`);
    expect(certainty(new URL(`http://u:${password}@h/`).password)).toBe("named");
  });
});

describe("the builtin", () => {
  test("knows the variables of its environment, and a token from the moment it is refreshed, along with the old one", async () => {
    const [old, next, variable] = [fresh(), fresh(), fresh()];
    const respond = async (tool_response: string) => {
      const call = await callBuiltin(run, { hook_event_name: "tool_response_transform", tool_response }, [], {
        env: { APP_SECRET: variable },
      });
      return call.output?.hook_specific_output?.updated_tool_response;
    };
    expect(await respond(`x${variable}x`)).toBe("x[REDACTED]x");
    rememberSecret(old);
    expect(await respond(`${old} ${next}`)).toBe(`[REDACTED] ${next}`);
    rememberSecret(next);
    expect(await respond(`${old} ${next}`)).toBe("[REDACTED] [REDACTED]");
  });

  test("uses one redactor until more is known", () => {
    const before = redactorOf([]);
    expect(redactorOf([])).toBe(before);
    rememberSecret(fresh());
    expect(redactorOf([])).not.toBe(before);
  });
});

test("the search takes time linear in the text, however many values there are and however a value repeats itself", async () => {
  const repeating = "abcdefg1".repeat(500);
  const known = [repeating, ...Array.from({ length: 200 }, () => fresh(40))];
  const { find } = createRedactor({ known });
  await expectLinear(2_000_000, (size) => {
    const text = "abcdefg1"
      .repeat(300)
      .concat(" ")
      .repeat(Math.ceil(size / 2401));
    return () => find(text);
  });
});
