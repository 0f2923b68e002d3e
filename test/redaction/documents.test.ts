import { describe, expect, test } from "bun:test";
import { parse, parseAllDocuments } from "yaml";
import { createRedactor, redactText } from "../../src/redaction/redact.ts";
import { randomFrom, textOf } from "./samples.ts";

const random = randomFrom(41);
const ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const T = `z3${textOf(ALNUM, 34, random)}`;
const PASS = "hunter2!x";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const FENCE = "-".repeat(5);
const pem = (label: string) =>
  `${FENCE}BEGIN ${label}${FENCE}\n${`${textOf(ALNUM, 64, random)}\n`.repeat(6)}${FENCE}END ${label}${FENCE}\n`;
const KEY = base64(pem("RSA PRIVATE KEY"));
const CERTIFICATE = base64(pem("CERTIFICATE"));
const GITHUB = ["ghp", textOf(ALNUM, 36, random)].join("_");

/** Expects one pass to redact exactly the text in double angle brackets, and a second pass to change nothing. */
function check(pattern: string): string {
  const expected = pattern.replaceAll(/<<.*?>>/gs, "[REDACTED]");
  const redacted = redactText(pattern.replaceAll(/<<|>>/g, ""));
  expect(redacted).toBe(expected);
  expect(redactText(redacted)).toBe(expected);
  return redacted;
}

describe("a Kubernetes Secret", () => {
  const DATA = base64("s3cr3t");
  const forms: [string, string][] = [
    [
      "kind first",
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: <<${DATA}>>\n  username: <<YWRtaW4=>>\ntype: Opaque\n`,
    ],
    ["kind last", `apiVersion: v1\ndata:\n  password: <<${DATA}>>\nmetadata:\n  name: db\nkind: Secret\n`],
    ["quoted", `kind: "Secret"\ndata:\n  password: "<<${DATA}>>"\n  'user': '<<YWRtaW4=>>'\n`],
    ["comments", `kind: Secret # the database\ndata: # all of it\n  # the password\n  password: <<${DATA}>> # now\n`],
    [
      "a block",
      `kind: Secret\ndata:\n  .dockercfg: |\n    <<${base64('{"auths":{}}')}>>\n  other: >-\n    <<${DATA}>>\nmetadata: {}\n`,
    ],
    ["a tag", `kind: Secret\ndata:\n  key: !!binary |\n    <<${DATA}>>\n`],
    [
      "a list",
      `apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    a: <<${DATA}>>\n  kind: Secret\n  metadata:\n    name: x\n- apiVersion: v1\n  data:\n    b: ${DATA}\n  kind: ConfigMap\nkind: List\n`,
    ],
    [
      "JSON with a private key before its kind",
      `{"apiVersion":"v1","data":{"password":"<<${DATA}>>","tls.key":"<<${KEY}>>","user":"<<YWRtaW4=>>"},"kind":"Secret"}`,
    ],
    [
      "several documents",
      `kind: ConfigMap\ndata:\n  a: ${DATA}\n---\nkind: Secret\ndata:\n  a: <<${DATA}>>\n---\nkind: ConfigMap\ndata:\n  a: ${DATA}\n`,
    ],
    ["indented", `  manifest:\n    kind: Secret\n    data:\n      a: <<${DATA}>>\n    b: ${DATA}\n`],
    ["a here-document", `cat <<EOF | kubectl apply -f -\nkind: Secret\ndata:\n  a: @${DATA}@\nEOF\n`],
    ["flow style", `kind: Secret\ndata: {password: <<${DATA}>>, user: "<<YWRtaW4=>>"}\n`],
    [
      "line numbers",
      `     1\tapiVersion: v1\n     2\tkind: Secret\n     3\tdata:\n     4\t  password: <<${DATA}>>\n     5\tmetadata:\n`,
    ],
    ["carriage returns", `kind: Secret\r\ndata:\r\n  password: <<${DATA}>>\r\nx: ${DATA}\r\n`],
    [
      "string data",
      `kind: Secret\nstringData:\n  password: <<${PASS}>>\n  url: https://example.com\n  API_TOKEN: "<<${PASS}>>"\n  mode: production\n`,
    ],
    ["JSON", `{"apiVersion":"v1","data":{"password":"<<${DATA}>>"},"kind":"Secret","metadata":{"name":"${DATA}"}}`],
    [
      "JSON over lines",
      `{\n  "kind": "Secret",\n  "data": {\n    "a": "<<${DATA}>>"\n  },\n  "stringData": {"password": "<<${PASS}>>", "mode": "production"}\n}\n`,
    ],
    [
      "a JSON list",
      `{"kind":"List","items":[{"kind":"Secret","data":{"a":"<<${DATA}>>"}},{"kind":"ConfigMap","data":{"a":"${DATA}"}}]}`,
    ],
    [
      "a SecretList",
      `{"kind":"SecretList","items":[{"metadata":{"name":"x"},"data":{"a":"<<${DATA}>>","b":"<<${DATA}>>"}}]}`,
    ],
    ["JSON in JSON", JSON.stringify({ body: `{"data":{"a":"<<${DATA}>>"},"kind":"Secret"}`, n: 1 })],
    [
      "JSON in JSON in JSON",
      JSON.stringify({ body: JSON.stringify([{ data: { a: `<<${DATA}>>` }, kind: "Secret" }]) }),
    ],
    ["YAML in a string", `{"manifest": "kind: Secret\\ndata:\\n  a: <<${DATA}>>\\r\\nmetadata:\\n  b: ${DATA}\\n"}`],
    [
      "JSON in a log",
      `level=info text="it's 5 inches" body="{\\"kind\\":\\"Secret\\",\\"data\\":{\\"a\\":\\"<<${DATA}>>\\"}}"`,
    ],
    ["JSON after text", `$ kubectl get secret db -o json\n{"kind":"Secret","data":{"a":"<<${DATA}>>"}}\n`],
  ];

  test.each(forms)("with %s: every value of data is redacted", (name, pattern) => {
    if (name === "a here-document") {
      expect(redactText(pattern.replaceAll("@", ""))).toBe(pattern.replaceAll(/@.*@/g, "[REDACTED]"));
      return;
    }
    const redacted = check(pattern);
    if (name !== "line numbers" && !name.includes(" text") && !name.includes(" log"))
      expect(() => parseAllDocuments(redacted).map((each) => each.toJS())).not.toThrow();
  });

  test.each([
    ["another kind", `kind: ExternalSecret\ndata:\n  a: ${DATA}\n`],
    ["a SecretStore", `kind: SecretStore\ndata:\n  a: ${DATA}\n`],
    ["templates", "kind: Secret\ndata:\n  password: {{ .Values.password | b64enc }}\n  b: \"\"\n  c: ''\n"],
    ["encrypted values", "kind: Secret\ndata:\n  a: ENC[AES256_GCM,data:abcd,iv:abcd]\n"],
    ["a reference", "secretRef:\n  kind: Secret\n  name: db\nother:\n  data:\n    a: abcdefgh\n"],
    ["prose", "This kind: secret agents.\n\ndata:\n  a: abcdefgh\n"],
    ["JSON of another kind", `{"kind":"ConfigMap","data":{"a":"${DATA}"},"ref":{"kind":"Secret","name":"x"}}`],
  ])("%s: nothing goes", (_name, text) => expect(redactText(text)).toBe(text));
});

test("a kubeconfig", () => {
  const pattern =
    `apiVersion: v1\nkind: Config\nclusters:\n- cluster:\n    certificate-authority-data: ${CERTIFICATE}\n    server: https://10.0.0.1:6443\n  name: dev\n` +
    `users:\n- name: admin\n  user:\n    client-certificate-data: ${CERTIFICATE}\n    client-key-data: <<${KEY}>>\n- name: bot\n  user:\n    token: <<${T}>>\n`;
  expect(parse(check(pattern))).toHaveProperty("users");
});

test("a configuration of Docker", () => {
  const pattern =
    `{\n\t"auths": {\n\t\t"https://index.docker.io/v1/": {\n\t\t\t"auth": "<<${base64(`alice:${PASS}`)}>>"\n\t\t},\n` +
    `\t\t"packages.example.com": {"identitytoken": "<<${T}>>"},\n\t\t"ghcr.io": {"auth": "<<${base64(`bob:${GITHUB}`)}>>"}\n\t},\n\t"credsStore": "desktop"\n}\n`;
  expect(JSON.parse(check(pattern))).toHaveProperty("auths");
});

test("an .npmrc, a .yarnrc.yml", () => {
  check(
    `registry=https://packages.example.com/\n//packages.example.com/:_authToken=<<${T}>>\n//npm.example.com/:_auth=<<${base64(`a:${PASS}`)}>>\n` +
      `//npm.example.com/:username=alice\n//npm.example.com/:_password=<<${base64(PASS)}>>\n//other.example.com/:_authToken=\${NPM_TOKEN}\nalways-auth=true\n`,
  );
  check(
    `npmScopes:\n  acme:\n    npmAuthToken: "<<${T}>>"\n    npmRegistryServer: "https://npm.example.com"\n  other:\n    npmAuthIdent: "<<${base64(`a:${PASS}`)}>>"\n`,
  );
});

test("a settings.xml, a NuGet.Config", () => {
  check(
    `<settings><servers><server>\n  <id>releases</id>\n  <username>deploy</username>\n  <password><<${PASS}>></password>\n</server>\n` +
      "<server><id>b</id><username>c</username><password>${env.PASSWORD}</password></server></servers></settings>\n",
  );
  check(
    `<acme>\n  <add key="Username" value="alice" />\n  <add key="ClearTextPassword" value="<<${PASS}>>" />\n</acme>\n`,
  );
  check('<add key="ClearTextPassword" value="%TOKEN_OF_SOURCE%" />');
});

test("a .netrc, an auth.toml, a pgpass line of variables", () => {
  check(
    `machine api.example.com\n  login alice\n  password <<${PASS}>>\nmachine b.example.com login bob password <<${T}>>\ndefault login anonymous password guest\n`,
  );
  check(
    `[http-basic]\n[http-basic.acme]\nusername = "alice"\npassword = "<<${PASS}>>"\n\n[repositories]\nname = "x"\n`,
  );
});

describe("Base64 of text with a secret in it", () => {
  const text = `# settings\nuser=alice\nexport GITHUB_TOKEN=${GITHUB}\nmode=production\n`;
  const wrap = (encoded: string, end: string) => encoded.replaceAll(/.{76}(?!$)/g, `$&${end}`);

  test.each([
    ["alone", `<<${base64(GITHUB)}>>`],
    ["in a command", `echo <<${base64(GITHUB)}>> | base64 -d`],
    ["in JSON", `{"content": "<<${base64(text)}>>", "encoding": "base64"}`],
    ["in lines", `content:\n<<${wrap(base64(text), "\n")}>>\n\nend`],
    ["in lines of JSON", `{"content":"<<${wrap(base64(text), "\\n")}>>"}`],
    ["twice", `x: <<${base64(base64(text))}>>`],
    ["in a data URL", `data:text/plain;base64,<<${base64(text)}>>`],
    ["after an escape", `"a\\n<<${base64(GITHUB)}>>"`],
    ["of a private key", `KEY=<<${KEY}>>`],
  ])("%s: all of it goes", (_name, pattern) => {
    const expected = pattern.replaceAll(/<<.*?>>/gs, "[REDACTED]");
    const redacted = redactText(pattern.replaceAll(/<<|>>/g, ""));
    expect(redacted).toBe(expected);
    expect(redactText(redacted)).toBe(expected);
  });

  test.each([
    [
      "of other text",
      base64("The quick brown fox jumps over the lazy dog, and nothing else happens here.\n".repeat(20)),
    ],
    ["of a certificate", CERTIFICATE],
    ["of bytes", base64(textOf("\u0000\u0001\u00ff\u0080abc", 3000, random))],
    ["that is a name", "someVeryLongIdentifierOfTheProgram/and/a/path/of/a/file/thatIsLong"],
  ])("%s: nothing goes", (_name, encoded) => expect(redactText(`x = "${encoded}"`)).toBe(`x = "${encoded}"`));

  test("is left when generic credentials are not looked for", () => {
    const encoded = base64(GITHUB);
    expect(createRedactor({ generic: "off" }).redact(encoded)).toBe(encoded);
  });
});
