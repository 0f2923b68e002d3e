import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { checkAgentFile } from "../../../src/config/agent/agent-file.ts";
import {
  agentFileJsonSchema,
  hooksJsonSchema,
  userConfigJsonSchema,
} from "../../../src/config/json-schema/agent-json-schema.ts";
import { toJsonSchema } from "../../../src/config/json-schema/json-schema.ts";
import { readUserConfig } from "../../../src/config/user/user-config.ts";
import { parseDocument } from "../../../src/config/yaml/document.ts";
import { isObject } from "../../../src/lib/json.ts";
import { duration, number, oneOf, optional, sinceVersion, wholeNumber } from "../../../src/lib/schema/keys.ts";
import { settled } from "../../helpers/settled.ts";

/** As much of JSON Schema as is generated; throws on a keyword that is not among it. */
function accepts(schema: unknown, value: unknown, root: unknown = schema): boolean {
  if (!isObject(schema)) throw new Error("a schema is an object");
  return Object.entries(schema).every(([keyword, wanted]) => acceptsKeyword(keyword, wanted, value, schema, root));
}

function acceptsKeyword(
  keyword: string,
  wanted: unknown,
  value: unknown,
  schema: Record<string, unknown>,
  root: unknown,
): boolean {
  const list: unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  const keys = isObject(value) ? Object.keys(value) : [];
  const at = (key: string) => (isObject(value) ? value[key] : undefined);
  switch (keyword) {
    case "$schema":
    case "title":
    case "description":
    case "$defs":
      return true;
    case "$ref":
      return accepts(
        String(wanted)
          .slice(2)
          .split("/")
          .reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), root),
        value,
        root,
      );
    case "anyOf":
      return list.some((option) => accepts(option, value, root));
    case "allOf":
      return list.every((part) => accepts(part, value, root));
    case "if":
      return !accepts(wanted, value, root) || accepts(schema["then"], value, root);
    case "then":
      return true; // belongs to "if"
    case "maxItems":
      return !Array.isArray(value) || value.length <= Number(wanted);
    case "type":
      return (
        list.includes(value === null ? "null" : Array.isArray(value) ? "array" : typeof value) ||
        (list.includes("integer") && Number.isInteger(value))
      );
    case "enum":
      return list.includes(value);
    case "const":
      return wanted === value;
    case "properties":
      return keys.every(
        (key) => !isObject(wanted) || !Object.hasOwn(wanted, key) || accepts(wanted[key], at(key), root),
      );
    case "additionalProperties": {
      const others = keys.filter((key) => !isObject(schema["properties"]) || !Object.hasOwn(schema["properties"], key));
      return others.every((key) => (wanted === false ? false : accepts(wanted, at(key), root)));
    }
    case "required":
      return !isObject(value) || list.every((key) => Object.hasOwn(value, String(key)));
    case "items":
      return !Array.isArray(value) || value.every((item) => accepts(wanted, item, root));
    case "minProperties":
      return !isObject(value) || keys.length >= Number(wanted);
    case "maxProperties":
      return !isObject(value) || keys.length <= Number(wanted);
    case "minLength":
      return typeof value !== "string" || value.length >= Number(wanted);
    case "minimum":
      return typeof value !== "number" || value >= Number(wanted);
    case "maximum":
      return typeof value !== "number" || value <= Number(wanted);
    case "exclusiveMinimum":
      return typeof value !== "number" || value > Number(wanted);
    default:
      throw new Error(`unknown keyword ${keyword}`);
  }
}

describe("the JSON Schema of a Valibot schema", () => {
  test("has the bounds, the words and the facts of its keys", () => {
    const schema = v.strictObject({
      a: wholeNumber(1, 5),
      b: optional(oneOf("x", "y")),
      c: sinceVersion(3, number(0)),
      d: optional(duration),
      e: optional(v.unknown()),
    });
    expect(toJsonSchema(schema)).toEqual({
      type: "object",
      properties: {
        a: { type: "integer", minimum: 1, maximum: 5 },
        b: { enum: ["x", "y", null] },
        c: { type: ["number", "null"], minimum: 0, description: "Schema version 3." },
        d: { anyOf: [{ anyOf: [{ type: "string" }, { type: "number" }] }, { type: "null" }] },
        e: {},
      },
      required: ["a"],
      additionalProperties: false,
    });
  });

  test("is refused for an unknown schema or check", () => {
    expect(() => toJsonSchema(v.date())).toThrow('The "date" schema cannot be converted');
    expect(() => toJsonSchema(v.pipe(v.string(), v.trim()))).toThrow('The "trim" action cannot be converted');
    expect(() => toJsonSchema(v.custom(() => true))).toThrow('The "custom" schema cannot be converted');
    expect(() => toJsonSchema(v.pipe(v.number(), v.gtValue(-Infinity)))).toThrow("not JSON compatible");
  });
});

const AGENT = "model: openai/gpt-4o";
const GOOD = [
  `agents: {root: {${AGENT}}}`,
  `agents: {root: {${AGENT}, description: , toolsets: , hooks: }}`,
  `agents: {root: {${AGENT}, commands: [{a: b}, {c: {description: d}}], skills: [x, {name: a, description: b, instructions: c}]}}`,
  `agents: {root: {${AGENT}, hooks: {stop: {type: command, command: x}, pre_tool_use: [{matcher: a, hooks: {type: command, command: x}}]}}}`,
  `agents: {root: {${AGENT}, toolsets: [{type: mcp, command: x, tools: [a]}, {type: shell, env: {A: b}}]}}\nversion: "15"`,
  `agents: {root: {${AGENT}, fallback: {cooldown: 90s}, cache: {enabled: true}}}\nmodels: {m: {provider: openai, model: x, thinking_budget: 5}}`,
  `agents: {root: {${AGENT}, use_commands: [c]}}\ncommands: {c: [{a: b}]}`,
  `agents: {root: {${AGENT}}}\nhooks: {stop: {type: command, command: x}}`,
  `agents: {root: {${AGENT}, hooks: {tool_guard: [{hooks: [{type: evaluator, evaluator: e, evaluator_policy: {decisions: {true: deny}, min_probability: 0.9, fallback: ask}}]}]}}}\nevaluators: {e: {provider: typesafe, model: m, type: boolean, instructions: i, timeout: 5s, cost: {}}}`,
];
const BAD = [
  "agents: {}",
  "models: {}",
  `agents: {root: {${AGENT}, instrucion: x}}`,
  `agents: {root: {${AGENT}, toolsets: [{type: shel}]}}`,
  `agents: {root: {${AGENT}, toolsets: [{type: shell, path: x}]}}`,
  `agents: {root: {${AGENT}, max_iterations: -1}}`,
  `agents: {root: {${AGENT}, compaction_threshold: 0}}`,
  `agents: {root: {${AGENT}, safety: yolo}}`,
  `agents: {root: {${AGENT}, hooks: {stopp: []}}}`,
  `agents: {root: {${AGENT}}}\nhooks: {stopp: []}`,
  `agents: {root: {${AGENT}, hooks: {stop: [{type: evaluatr}]}}}`,
  `agents: {root: {${AGENT}}}\nevaluators: {e: {provider: typesafe, model: m, type: text, instructions: i}}`,
  `agents: {root: {${AGENT}}}\nevaluators: {e: {provider: typesafe, model: m, type: boolean}}`,
  `agents: {root: {${AGENT}}}\nevaluators: {e: {provider: typesafe, model: m, type: boolean, instructions: i, treshold: 1}}`,
  `agents: {root: {${AGENT}, hooks: {stop: [{type: command, command: x, on_error: maybe}]}}}`,
  `agents: {root: {${AGENT}, hooks: {stop: [{type: command, command: x, timeout: -1}]}}}`,
  `agents: {root: {${AGENT}, hooks: {pre_tool_use: [{type: command, command: x}]}}}`,
];

describe("the JSON Schema of agent files", () => {
  const schema = agentFileJsonSchema();

  test.each(GOOD)("accepts what loads: %s", async (text) => {
    const document = await parseDocument(text, "a.yaml");
    expect((await checkAgentFile(document, undefined)).problems).toEqual([]);
    expect(accepts(schema, document.value)).toBe(true);
  });

  test.each(BAD)("refuses what does not load: %s", async (text) => {
    const document = await parseDocument(text, "a.yaml");
    expect((await checkAgentFile(document, undefined)).problems).not.toEqual([]);
    expect(accepts(schema, document.value)).toBe(false);
  });
});

test("the JSON Schema of a hooks file knows its events", () => {
  const schema = hooksJsonSchema();
  expect(accepts(schema, { stop: [{ type: "command", command: "x" }] })).toBe(true);
  expect(accepts(schema, { stopp: [] })).toBe(false);
});

describe("the JSON Schema of config.yaml", () => {
  const schema = userConfigJsonSchema();

  test.each([
    "{}",
    "version: v1\nboard: {x: 1}\nsettings: {theme: dark, snapshot: true, safety: strict, YOLO: }",
    "settings: {hooks: {stop: [{type: command, command: x}]}, permissions: {deny: [shell]}}",
    "aliases: {a: ./a.yaml, b: {path: c, safety: balanced, model: a/b, sandbox: true}}",
    "default_model: openai/gpt-4o\nproviders: {p: {base_url: http://x}}",
    "default_model: {provider: openai, model: x}",
  ])("accepts what loads: %s", async (text) => {
    const document = await parseDocument(text, "config.yaml");
    expect(await readUserConfig(document)).toMatchObject({ warnings: [] });
    expect(accepts(schema, document.value)).toBe(true);
  });

  test.each([
    "setings: {}",
    "hooks: {}",
    "settings: {hook: {}}",
    "settings: {snapshot: yes}",
    "settings: {safety: yolo}",
    "settings: {permissions: {denny: [x]}}",
    "settings: []",
    "aliases: {a: {model: b}}",
    "aliases: {a: {path: b, yolo: 1}}",
    "providers: {a: {base_uri: b}}",
  ])("refuses what does not load: %s", async (text) => {
    const document = await parseDocument(text, "config.yaml");
    expect(await settled(readUserConfig(document))).toThrow();
    expect(accepts(schema, document.value)).toBe(false);
  });
});
