import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { REDACTION_MARK } from "../../src/lib/secrets/redaction-mark.ts";
import { ASSIGNED_RULES } from "../../src/redaction/kinds/assigned.ts";
import { createRedactor, redactText } from "../../src/redaction/redact.ts";
import type { AssignedRule } from "../../src/redaction/rule.ts";
import { expectLinear } from "../helpers/growth.ts";
import { randomFrom, sampleOf, snakeOf, textOf } from "./samples.ts";

// Bun's own limit of five seconds is too short for these loops on a busy machine.
setDefaultTimeout(300_000);

/** Without credentials that no vendor's word marks, so that each is found for the word in its name. */
const { find, redact } = createRedactor({ generic: "off" });

/** A name in the spellings that languages use, and a value for it. */
interface Assignment {
  snake: string;
  upper: string;
  kebab: string;
  camel: string;
  value: string;
}

/** A name of a rule's vendor that says that its value is a credential. */
function assignmentOf(snake: string, value: string): Assignment {
  const camel = snake.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return { snake, upper: snake.toUpperCase(), kebab: snake.replaceAll("_", "-"), camel, value };
}

/** The ways to give a value to a name that people write. */
const CONTEXTS: [string, (assignment: Assignment) => string][] = [
  ["an environment file", ({ upper, value }) => `A=1\n${upper}=${value}\nB=2`],
  ["a quoted environment variable", ({ upper, value }) => `export ${upper}='${value}'; run`],
  ["a commented variable", ({ upper, value }) => `# ${upper}=${value}\n`],
  ["a shell default", ({ upper, value }) => `"\${${upper}:-${value}}"`],
  ["a shell default that assigns", ({ upper, value }) => `: \${${upper}:=${value}}`],
  ["a shell test", ({ upper, value }) => `[[ $${upper} == ${value} ]]`],
  ["a flag", ({ kebab, value }) => `tool login --${kebab} ${value} --verbose`],
  ["a flag with =", ({ kebab, value }) => `tool login --${kebab}=${value}`],
  ["a quoted flag", ({ kebab, value }) => `tool --${kebab} "${value}"`],
  ["a flag with its value on the next line", ({ kebab, value }) => `tool --${kebab} \\\n  ${value} \\\n  -v`],
  ["a JVM property", ({ snake, value }) => `java -D${snake.replaceAll("_", ".")}=${value} -jar a.jar`],
  ["docker -e", ({ upper, value }) => `docker run -e ${upper}=${value} image`],
  ["ENV of a Dockerfile", ({ upper, value }) => `FROM a\nENV ${upper} ${value}\nRUN x`],
  ["ARG of a Dockerfile", ({ upper, value }) => `ARG ${upper}=${value}\n`],
  ["set of Windows", ({ upper, value }) => `set ${upper}=${value}\r\n`],
  ["setx of Windows", ({ upper, value }) => `setx ${upper} "${value}"`],
  ["PowerShell", ({ upper, value }) => `$env:${upper} = "${value}"`],
  ["set of fish", ({ upper, value }) => `set -gx ${upper} ${value}\n`],
  ["setenv of csh", ({ upper, value }) => `setenv ${upper} ${value}\n`],
  ["a Makefile", ({ upper, value }) => `${upper} ?= ${value}\n${"\t"}x`],
  ["a Makefile with :::=", ({ upper, value }) => `${upper} :::= ${value}\n`],
  ["YAML", ({ snake, value }) => `a:\n  ${snake}: ${value}\n  b: 1\n`],
  ["a YAML block", ({ snake, value }) => `a:\n  ${snake}: |\n    ${value}\n  b: 1\n`],
  ["a folded YAML block", ({ snake, value }) => `a:\n  ${snake}: >-\n    ${value}\n`],
  ["Kubernetes", ({ upper, value }) => `env:\n- name: ${upper}\n  value: "${value}"\n- name: X\n  value: 1\n`],
  ["Kubernetes, value first", ({ upper, value }) => `env:\n- value: "${value}"\n  name: ${upper}\n- name: X\n`],
  ["ECS", ({ upper, value }) => `[{"name": "${upper}", "value": "${value}"}]`],
  ["ECS, value first", ({ upper, value }) => `[{"value": "${value}", "name": "${upper}"}]`],
  ["CloudFormation", ({ upper, value }) => `ParameterKey=${upper},ParameterValue=${value} ParameterKey=X`],
  ["a CloudFormation default", ({ camel, value }) => `  ${camel}:\n    Type: String\n    Default: ${value}\n`],
  [
    "a Terraform variable",
    ({ snake, value }) => `variable "${snake}" {\n  type    = string\n  default = "${value}"\n}`,
  ],
  ["a Terraform argument", ({ snake, value }) => `resource "x" "y" {\n  ${snake} = "${value}"\n}`],
  ["a Terraform setting", ({ upper, value }) => `setting {\n  name  = "${upper}"\n  value = "${value}"\n}`],
  ["TOML", ({ snake, value }) => `[a]\n${snake} = "${value}"\n`],
  ["properties", ({ snake, value }) => `app.${snake.replaceAll("_", ".")}=${value}\n`],
  ["JSON", ({ snake, value }) => `{"a":1,"${snake}":"${value}","b":[]}`],
  ["escaped JSON", ({ snake, value }) => `msg="{\\"${snake}\\":\\"${value}\\",\\"n\\":1}"`],
  ["JSON escaped twice", ({ snake, value }) => `"{\\\\\\"${snake}\\\\\\": \\\\\\"${value}\\\\\\"}"`],
  ["an XML element", ({ camel, value }) => `<c><${camel}>${value}</${camel}></c>`],
  ["an XML element over three lines", ({ camel, value }) => `<${camel} type="x">\n    ${value}\n</${camel}>`],
  ["a character section of XML", ({ camel, value }) => `<${camel}><![CDATA[${value}]]></${camel}>`],
  ["an XML attribute", ({ camel, value }) => `<service ${camel}="${value}" id="1"/>`],
  ["a pair of XML attributes", ({ camel, value }) => `<add key="${camel}" value="${value}" />`],
  ["an XML entry", ({ snake, value }) => `<string name="${snake}" translatable="false">${value}</string>`],
  ["a property list", ({ camel, value }) => `<key>${camel}</key>\n\t<string>${value}</string>`],
  ["a form", ({ snake, value }) => `<input type="hidden" name="${snake}" value="${value}">`],
  ["an HTML table", ({ snake, value }) => `<tr><td>${snake}</td><td><code>${value}</code></td></tr>`],
  ["JSX", ({ camel, value }) => `<Client ${camel}={"${value}"} />`],
  ["a URL", ({ snake, value }) => `GET https://api.example.com/v1?${snake}=${value}&page=2`],
  ["a header", ({ kebab, value }) => `curl -H "X-${kebab}: ${value}" https://example.com/`],
  ["a header with a scheme", ({ kebab, value }) => `X-${kebab}: Bearer ${value}\r\n\r\n`],
  ["System.setProperty", ({ upper, value }) => `System.setProperty("${upper}", "${value}");`],
  ["t.Setenv", ({ upper, value }) => `\tt.Setenv("${upper}", "${value}")`],
  ["os.Setenv", ({ upper, value }) => `_ = os.Setenv("${upper}", \`${value}\`)`],
  ["set_var of Rust", ({ upper, value }) => `std::env::set_var("${upper}", "${value}");`],
  ["setdefault", ({ upper, value }) => `os.environ.setdefault('${upper}', '${value}')`],
  ["getenv with a default", ({ upper, value }) => `key = os.getenv("${upper}", default="${value}")`],
  ["unwrap_or", ({ upper, value }) => `let k = env::var("${upper}").unwrap_or("${value}".into());`],
  ["a block of Ruby", ({ upper, value }) => `ENV.fetch("${upper}") { "${value}" }`],
  ["a setter", ({ camel, value }) => `client.${camel}("${value}");`],
  ["Set-Item of PowerShell", ({ upper, value }) => `Set-Item Env:${upper} -Value "${value}"`],
  ["define of PHP", ({ upper, value }) => `define('${upper}', '${value}');`],
  ["#define", ({ upper, value }) => `#define ${upper} "${value}"`],
  ["os.environ", ({ upper, value }) => `os.environ["${upper}"] = "${value}"`],
  ["process.env", ({ upper, value }) => `process.env["${upper}"] = "${value}";`],
  ["process.env with a default", ({ upper, value }) => `const key = process.env.${upper} ?? "${value}";`],
  ["C# index", ({ upper, value }) => `new() { ["${upper}"] = @"${value}" }`],
  ["an array of PHP", ({ snake, value }) => `['${snake}' => '${value}'],`],
  ["a symbol of Ruby", ({ snake, value }) => `{ :${snake} => '${value}' }`],
  ["a keyword of Clojure", ({ kebab, value }) => `{:${kebab} "${value}"}`],
  ["a keyword of Elixir", ({ snake, value }) => `put_env(:app, :${snake}, "${value}")`],
  ["Go", ({ camel, value }) => `\t${camel} := "${value}"`],
  ["a struct of Go", ({ camel, value }) => `Config{X${camel}: "${value}", Debug: true}`.replace("X", "my_")],
  ["a type of Go", ({ camel, value }) => `var ${camel} string = "${value}"`],
  ["bytes of Go", ({ camel, value }) => `const ${camel} = []byte("${value}")`],
  ["TypeScript", ({ camel, value }) => `const ${camel}: string = "${value}";`],
  ["Python", ({ snake, value }) => `${snake}: Optional[str] = "${value}"`],
  ["bytes of Python", ({ snake, value }) => `${snake} = b'${value}'`],
  ["an argument of Python", ({ snake, value }) => `Client(${snake}=SecretStr("${value}"), timeout=3)`],
  ["Rust", ({ snake, value }) => `let ${snake}: &'static str = "${value}";`],
  ["Kotlin", ({ camel, value }) => `val ${camel}: String? = "${value}"`],
  ["C", ({ snake, value }) => `const char ${snake}[33] = "${value}";`],
  ["R", ({ snake, value }) => `${snake} <- "${value}"`],
  ["Lua", ({ snake, value }) => `${snake} = [[${value}]]`],
  ["SET of SQL", ({ snake, value }) => `UPDATE s SET ${snake} = '${value}' WHERE id = 1;`],
  ["VALUES of SQL", ({ snake, value }) => `INSERT INTO s (k, v) VALUES ('${snake}', '${value}');`],
  ["CSV", ({ snake, value }) => `name,value\n${snake},${value}\nb,2`],
  ["a Markdown table", ({ upper, value }) => `| name | value |\n|---|---|\n| \`${upper}\` | \`${value}\` |`],
  ["Markdown", ({ snake, value }) => `**${snake}**: ${value}`],
  ["prose", ({ snake, value }) => `the ${snake} is ${value}, keep it`],
  ["a log line", ({ snake, value }) => `[info] using ${snake} ${value}`],
  ["a terminal with colours", ({ upper, value }) => `\u001b[1m${upper}\u001b[0m=\u001b[32m${value}\u001b[0m`],
  ["a name after an escape", ({ snake, value }) => `"a\\n${snake}=${value}\\nb"`],
];

const RULES = ASSIGNED_RULES.map((rule): [string, AssignedRule] => [
  `${rule.id} by ${snakeOf(rule)} ${rule.value}`,
  rule,
]);

describe.each(CONTEXTS)("in %s", (_context, write) => {
  test("every kind is found, and only the value is redacted", () => {
    for (const [kind, rule] of RULES) {
      const value = sampleOf(rule.value, randomFrom(rule.value.length + rule.word.length)).text;
      const assignment = assignmentOf(`${snakeOf(rule)}_api_key`, value);
      expect([kind, redact(write(assignment))]).toEqual([kind, write({ ...assignment, value: REDACTION_MARK })]);
    }
  });

  test("a name, a filler and a value under a harmless name stay", () => {
    const key = textOf("0123456789abcdefghij", 40, randomFrom(1));
    for (const [name, value] of [
      ["datadog_api_key", "getInternalDatadogCredentialsProviderFoo"],
      ["datadog_api_key", "DATADOG_DURABLE_OBJECT_QUERY_BINDINGS_XX"],
      ["datadog_api_key", "x".repeat(40)],
      ["datadog_api_key", "0".repeat(32)],
      ["datadog_app_sha", key],
      ["datadog_public_key", key],
      ["mydatadogs_api_key", key],
    ]) {
      const text = write(assignmentOf(name ?? "", value ?? ""));
      expect(redact(text)).toBe(text);
    }
  });

  test("redacting twice equals once, and takes linear time, where it is repeated", async () => {
    const value = textOf("0123456789abcdefghij", 40, randomFrom(2));
    const text = write(assignmentOf("datadog_api_key", value));
    const once = redact(`${text} ${text}\n${text}`);
    expect(once).not.toContain(value);
    expect(redact(once)).toBe(once);
    for (const part of [text, text.slice(0, text.indexOf(value)), text.slice(text.indexOf(value) + 1)]) {
      await expectLinear(100_000, (size) => {
        const long = part.repeat(Math.ceil(size / part.length));
        return () => find(long);
      });
    }
  });
});

/** 40 letters and digits, as a Datadog application key has them, and what is made of a text that holds them. */
const KEY = textOf("0123456789abcdefghijklmnopqrstuvwxyz", 40, randomFrom(4));
const HEX = textOf("0123456789abcdef", 40, randomFrom(5));
const UUID = sampleOf("<uuid>", randomFrom(6)).text;

test.each([
  ["datadog_api_key"],
  ["DATADOG_API_KEY"],
  ["datadogApiKey"],
  ["DatadogApiKey"],
  ["DataDogApiKey"],
  ["dataDogApiKey"],
  ["DATADOGAPIKEY"],
  ["datadogapikey"],
  ["DATADOGKey"],
  ["myDatadogKey"],
  ["AWSDatadogKey"],
  ["API_KEY_DATADOG"],
  ["x-datadog-api-key"],
  ["X-DataDog-Api-Key"],
  ["config.datadog.apiKey"],
  ["datadog2Key"],
  ["2datadog_key"],
  ["DD_DATADOG__KEY"],
  ["ünïdatadog_key"],
  ["Datadog API key"],
  ["datadog api key for production"],
])("%s is a name with a vendor's word in it", (name) => {
  expect(redact(`${name}: ${KEY}`)).toBe(`${name}: ${REDACTION_MARK}`);
});

test.each([
  ["ReactNativeCameraKitKey", HEX],
  ["AmerakiKey", HEX],
  ["amerakikey", HEX],
  ["AMERAKI_KEY", HEX],
  ["merakiomKey", HEX],
  ["MERAKIOM_KEY", HEX],
  ["Merakiom_key", HEX],
  ["DaTaDogKey", KEY],
  ["dataDOGs_key", KEY],
  ["datadogged_key", KEY],
  ["blob_key", `live_${HEX.slice(5)}`],
  ["global_key", `test_${HEX.slice(5)}`],
  ["sumOfKeys", `su${KEY.slice(0, 12)}`],
  ["presumokey", `su${KEY.slice(0, 12)}`],
  ["betsyKey", KEY.slice(0, 24)],
])("%s holds no vendor's word", (name, value) => {
  const text = `${name}: "${value}"`;
  expect(redact(text)).toBe(text);
});

test.each([
  ['datadog["api_key"]'],
  ["config['datadog']['api_key']"],
  ["datadog[:api_key]"],
  ["$datadog->api_key"],
  ["Datadog::API_KEY"],
  ["datadog?.apiKey"],
  ["$a['datadog']->keys['api_key']"],
])("a member of an object is part of the name in %s", (name) => {
  expect(redact(`${name} = "${UUID}"`)).toBe(`${name} = "${UUID}"`);
  expect(redact(`${name} = "${HEX}"`)).toBe(`${name} = "${REDACTION_MARK}"`);
});

test.each([
  ["new_relic"],
  ["new-relic"],
  ["new.relic"],
  ["newrelic"],
  ["newRelic"],
  ["NewRelic"],
  ["NEW_RELIC"],
  ["NEWRELIC"],
  ["New Relic"],
])("a word of two parts is found as %s", (word) => {
  const value = textOf("0123456789abcdefghijklmnopqrstuvwxyz", 64, randomFrom(7));
  expect(redact(`${word}_key=${value}`)).toBe(`${word}_key=${REDACTION_MARK}`);
});

test.each([
  ["asana_task_id", "1234567890123456"],
  ["ASANA_TASK_ID", "1234567890123456"],
  ["asanaTaskId", "1234567890123456"],
  ["asanataskid", "1234567890123456"],
  ["asana.token.id", "1234567890123456"],
  ["discord_guild_id", "357356345911095803"],
  ["discordGuildId", "357356345911095803"],
  ["DISCORD_GUILD_ID", "357356345911095803"],
  ["discord-guild-ids", "357356345911095803"],
  ["heroku_app_id", UUID],
  ["heroku_app_uuid", UUID],
  ["herokuAppGuid", UUID],
  ["heroku", UUID],
  ["heroku_app", UUID],
  ["datadog_app_sha", KEY],
  ["datadogCommit", KEY],
  ["DATADOG_CHECKSUM", KEY],
  ["datadog_md5", HEX.slice(0, 32)],
  ["datadog.integrity", KEY],
  ["datadog_revision", KEY],
  ["datadog_key_hash", KEY],
  ["datadog_public_key", KEY],
  ["PUBLISHABLE_DATADOG_KEY", KEY],
  ["datadog_key_name", KEY],
  ["datadog_key_url", KEY],
  ["datadog_key_path", KEY],
  ["datadog_version", KEY],
  ["datadog_key_size", KEY],
  ["DatadogCore", HEX],
  ["DatadogCore", HEX.slice(0, 32)],
  ["Meraki", HEX],
  ["linear", HEX.slice(0, 32)],
  ["linearGradient", HEX.slice(0, 32)],
  ["linkedin", KEY.slice(0, 16)],
  ["discord", "357356345911095803"],
])("%s is the name of no secret", (name, value) => {
  for (const text of [`${name}: ${value}`, `${name} = "${value}"`, `{"${name}":"${value}"}`])
    expect(redact(text)).toBe(text);
});

test.each([
  ["asana_client_id", "1234567890123456"],
  ["discordClientId", "357356345911095803"],
  ["SUMO_ACCESS_ID", "su1a2b3c4d5e6f"],
  ["sumologic_accessid", "su1a2b3c4d5e6f"],
  ["heroku_session_id", UUID],
  ["HEROKU_SECRET_ID", UUID],
  ["private_key_id", HEX],
  ["datadog_hash_key", KEY],
  ["datadog_app_key_2", KEY],
  ["heroku_auth", UUID],
  ["meraki_dashboard_password", HEX],
])("%s is the name of a secret", (name, value) => {
  expect(redact(`${name}: ${value}`)).toBe(`${name}: ${REDACTION_MARK}`);
});

test.each([
  ["a name of source code", "AwsSecurityCredentialsProvider: toInternalAwsSecurityCredentialsProvider1"],
  ["a name without a digit", "CLOUDFLARE_API_TOKEN=CLOUDFLARE_DURABLE_OBJECT_QUERY_BINDINGS"],
  ["a call", `datadogApiKey = ${KEY}()`],
  ["an index", `datadogApiKey = ${KEY}[0]`],
  ["a member", `datadogApiKey = ${KEY}.value`],
  ["a path", `datadogApiKey = ${KEY}::new`],
  ["one character more", `datadogApiKey = "${KEY}a"`],
  ["more after a sign", `datadogApiKey = "${KEY}-a"`],
  ["a filler", `datadogApiKey = "${"x".repeat(40)}"`],
  ["a repeated filler", `datadogApiKey = "${"0a".repeat(16)}"`],
  ["an empty UUID", "heroku_api_key: 00000000-0000-0000-0000-000000000000"],
  ["another field", `source: heroku\nid: ${UUID}`],
  ["a list of texts", `["heroku", "${UUID}"]`],
  ["a path of a URL", `https://heroku.com/keys/${UUID}`],
  ["a value in which the word is", `key: heroku/${UUID}`],
  ["a comment between", `heroku_key: # ${UUID}`],
  ["the next item", `- name: HEROKU_KEY\n  valueFrom: x\n- name: X\n  value: ${UUID}\n`],
  ["the next object", `[{"name": "HEROKU_KEY"}, {"name": "X", "value": "${UUID}"}]`],
  ["the item before", `- value: ${UUID}\n- name: HEROKU_KEY\n`],
  ["the object before", `[{"value": "${UUID}"}, {"name": "HEROKU_KEY"}]`],
  ["a lock file", `SPEC CHECKSUMS:\n  DatadogCore: ${HEX}\n  ReactNativeCameraKit: ${HEX}\n  TwitterKit: ${HEX}\n`],
  ["a lock file of Go", `github.com/datadog/sketches-go v1.4.6 h1:${KEY}/${"a".repeat(2)}=`],
  ["a lock file of Rust", `name = "datadog-key"\nversion = "0.1.0"\nchecksum = "${HEX}${HEX.slice(0, 24)}"\n`],
  [
    "a lock file of npm",
    `"node_modules/twitter-api-key": {\n"version": "1.0.0",\n"integrity": "sha512-${KEY}${KEY}=="`,
  ],
])("the value stays in %s", (_name, text) => {
  expect(redact(text)).toBe(text);
});

test("a value can begin with the sign that assigns it", () => {
  const value = `=${textOf("0123456789abcdefghij", 59, randomFrom(8))}`;
  expect(redact(`INTERCOM_TOKEN=${value}`)).toBe(`INTERCOM_TOKEN=${REDACTION_MARK}`);
});

test("redacting twice equals once where contexts run into each other", () => {
  const random = randomFrom(9);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  for (let round = 0; round < 5_000; round++) {
    const pieces = Array.from({ length: 6 }, () => {
      const [, rule] = pick(RULES);
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
