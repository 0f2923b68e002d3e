import { describe, expect, test } from "bun:test";
import { REDACTION_MARK } from "../../src/lib/secrets/redaction-mark.ts";
import { ASSIGNED_RULES } from "../../src/redaction/kinds/assigned.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import type { AssignedRule } from "../../src/redaction/rule.ts";
import { assignmentOf, CONTEXTS } from "./assignments.ts";
import { randomFrom, sampleOf, snakeOf, textOf } from "./samples.ts";

/** Without credentials that no vendor's word marks, so that each is found for the word in its name. */
const { redact } = createRedactor({ generic: "off" });

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

  test("redacting twice equals once where it is repeated", () => {
    const value = textOf("0123456789abcdefghij", 40, randomFrom(2));
    const text = write(assignmentOf("datadog_api_key", value));
    const once = redact(`${text} ${text}\n${text}`);
    expect(once).not.toContain(value);
    expect(redact(once)).toBe(once);
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
