import { expect, test } from "bun:test";
import { createRedactor } from "../../src/redaction/redact.ts";
import { base64, LICENSE, PASS, T, USER } from "./generic-secrets.ts";
import { randomFrom } from "./samples.ts";

const on = createRedactor();
const strict = createRedactor({ generic: "strict" });

test("redacting twice equals once, and JSON stays JSON, in any combination", () => {
  const pieces = [
    `Authorization: Basic ${USER}`,
    `Bearer ${T}`,
    `curl -u alice:${PASS} `,
    `curl -H "Api-Token: Sk94HG7f6KB"`,
    `password=${PASS}`,
    "host=db user=a ",
    `;Password=${PASS};`,
    `API_KEY=${T}`,
    `token: "${T}"`,
    `{"auth": "${USER}"}`,
    `_authToken=${T}`,
    "kind: Secret\n",
    `data:\n  a: ${base64(PASS)}\n`,
    `{"kind":"Secret","data":{"a":"${USER}"}}`,
    base64(`API_KEY=${T}`),
    `machine a login b password ${PASS}`,
    `</username><password>${PASS}</password>`,
    "mysql -p",
    `--password ${PASS}`,
    `LICENSE_KEY=${LICENSE}`,
    "secret",
    "token",
    "key",
    "=",
    ": ",
    " ",
    "\n",
    '"',
    "'",
    "\\",
    ",",
    "-",
    "_",
    "/",
    T,
    PASS,
    USER,
    "[REDACTED]",
    "[REDACTED:generic-api-key]",
    "$",
    "{",
    "}",
  ];
  const next = randomFrom(77);
  for (let round = 0; round < 4_000; round++) {
    const text = Array.from(
      { length: 1 + Math.floor(next() * 6) },
      () => pieces[Math.floor(next() * pieces.length)],
    ).join("");
    for (const redactor of [on, strict]) {
      const once = redactor.redact(text);
      expect([text, redactor.redact(once)]).toEqual([text, once]);
      const json = redactor.redact(JSON.stringify({ a: [text] }));
      expect(() => JSON.parse(json)).not.toThrow();
      expect([text, redactor.redact(json)]).toEqual([text, json]);
    }
  }
});
