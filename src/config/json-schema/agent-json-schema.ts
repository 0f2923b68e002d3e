import { SCRIPT_DIALECTS } from "../../dialects/script-events.ts";
import type { JsonObject } from "../../lib/json.ts";
import { EVALUATOR_TYPES } from "../../model/evaluators/evaluator.ts";
import { contractOf, EVENT_NAMES } from "../../protocol/events.ts";
import { DECISIONS, DISPATCH_DECISIONS } from "../../protocol/result.ts";
import { AgentFileSchema, AgentSchema } from "../agent/agent-schema.ts";
import { GROUP_KEYS, HOOK_KEYS, type KeyTable, type KindName } from "../hooks/hook-keys.ts";
import { COMMON_KEYS, HOOK_TYPE_NAMES, hookType } from "../hooks/hook-types.ts";
import { ERROR_POLICIES, HOOK_MODES } from "../hooks/read-hooks.ts";
import { EvaluatorSchema } from "../models/evaluator-schema.ts";
import { ModelSchema, ProviderSchema } from "../models/model-schema.ts";
import { SAFETY_MODES } from "../permissions/safety-modes.ts";
import { NOTIFICATIONS } from "../user/terminal-settings.ts";
import { USER_CONFIG_KEYS, type UserKey, type UserKeyTable } from "../user/user-keys.ts";
import { JSON_SCHEMA_DIALECT, toJsonSchema } from "./json-schema.ts";
import { RULE_PROPERTIES, ruleDefinitions } from "./rules-json-schema.ts";

/**
 * The JSON Schema of an agent file of the newest version. It accepts every file that loads. Checks that need the whole
 * file or our own code (references between names, matchers, durations) are left to `validate`.
 */
export function agentFileJsonSchema(): JsonObject {
  const file = toJsonSchema(AgentFileSchema);
  const agent = withProperties(toJsonSchema(AgentSchema), {
    hooks: reference("hooks"),
    commands: reference("commands"),
  });
  return {
    $schema: JSON_SCHEMA_DIALECT,
    title: "hooksh agent file",
    ...withProperties(file, {
      hooks: { ...reference("hooks"), description: "Hooks that hold for every agent of the file." },
      ...RULE_PROPERTIES,
      agents: { type: "object", minProperties: 1, additionalProperties: reference("agent") },
      commands: { type: ["object", "null"], additionalProperties: reference("commands") },
      evaluators: { type: ["object", "null"], additionalProperties: evaluatorJsonSchema() },
    }),
    required: ["agents"],
    $defs: { agent, commands: commandsJsonSchema(), ...hookDefinitions(), ...ruleDefinitions() },
  };
}

/** The JSON Schema of a bare hooks block, the format of the files in `hooks.d`. */
export function hooksJsonSchema(): JsonObject {
  const { hooks = {}, ...$defs } = hookDefinitions();
  const block = withProperties(hooks as JsonObject, {
    unknown_tools: UNKNOWN_TOOLS_SCHEMA,
    ...RULE_PROPERTIES,
  });
  return { $schema: JSON_SCHEMA_DIALECT, title: "hooksh hooks", ...block, $defs: { ...$defs, ...ruleDefinitions() } };
}

/** The JSON Schema of the user's `config.yaml`; names of aliases and references to models are left to `validate`. */
export function userConfigJsonSchema(): JsonObject {
  return {
    $schema: JSON_SCHEMA_DIALECT,
    title: "hooksh config.yaml",
    ...tableJsonSchema(USER_CONFIG_KEYS, []),
    $defs: { ...hookDefinitions(), ...ruleDefinitions() },
  };
}

const TEXT: JsonObject = { type: ["string", "null"] };
const RULES: JsonObject = { type: ["array", "null"], items: { type: "string" } };

const UNKNOWN_TOOLS_SCHEMA: JsonObject = {
  enum: ["allow", "ask", "deny", null],
  description:
    "What happens to a call of another agent's tool that hooksh does not know; the strictest of several files wins.",
};

const AUDIT_SCHEMA: JsonObject = {
  type: "object",
  properties: { required: { type: ["boolean", "null"] }, payload: { enum: ["redacted", null] } },
  additionalProperties: false,
};

/** The values of keys that the table of keys leaves to other code, in whole or in part, by the path to the key. */
const USER_VALUES: Readonly<Record<string, () => JsonObject>> = {
  version: () => ({}),
  "settings.hooks": () => reference("hooks"),
  "settings.rules": () => RULE_PROPERTIES["rules"] as JsonObject,
  "settings.sets": () => RULE_PROPERTIES["sets"] as JsonObject,
  "settings.audit": () => ({ anyOf: [{ enum: [true, false, "required", null] }, AUDIT_SCHEMA] }),
  "settings.unknown_tools": () => UNKNOWN_TOOLS_SCHEMA,
  "settings.trace": () => ({ anyOf: [{ type: ["boolean", "null"] }, { type: "string", minLength: 1 }] }),
  "settings.theme": () => ({
    ...TEXT,
    description: "A theme that `/theme` lists; other names are themes of docker-agent.",
  }),
  "settings.notify": () => ({ enum: [...NOTIFICATIONS, false, null] }),
  "settings.permissions.allow": () => RULES,
  "settings.permissions.ask": () => RULES,
  "settings.permissions.deny": () => RULES,
  default_model: () => ({ anyOf: [TEXT, toJsonSchema(ModelSchema)] }),
  "aliases.*.path": () => ({ type: "string", minLength: 1 }),
  "aliases.*.model": () => TEXT,
  providers: () => ({ type: ["object", "null"], additionalProperties: toJsonSchema(ProviderSchema) }),
};

function tableJsonSchema(table: UserKeyTable, path: readonly string[]): JsonObject {
  const properties = Object.entries(table).map(([name, key]): [string, JsonObject] => [
    name,
    userKeyJsonSchema(key, [...path, name]),
  ]);
  return { type: ["object", "null"], properties: Object.fromEntries(properties), additionalProperties: false };
}

function userKeyJsonSchema(key: UserKey, path: readonly string[]): JsonObject {
  const value = USER_VALUES[path.join(".")];
  if (value) return value();
  if (key === "flag") return { type: ["boolean", "null"] };
  if (key === "safety") return { enum: [...SAFETY_MODES, "", null] };
  if (key === "ignored") return { description: "Only docker-agent uses it." };
  if (key === "checked") throw new Error(`no JSON Schema for ${path.join(".")} of config.yaml`);
  if ("keys" in key) return tableJsonSchema(key.keys, path);
  const entry = { ...tableJsonSchema(key.each, [...path, "*"]), type: "object", required: ["path"] };
  return { type: ["object", "null"], additionalProperties: { anyOf: [{ type: "string", minLength: 1 }, entry] } };
}

function hookDefinitions(): JsonObject {
  const group = withProperties(keysJsonSchema(GROUP_KEYS), { hooks: oneOrMore("hook"), mode: MODE_SCHEMA });
  const events = EVENT_NAMES.map((event): [string, JsonObject] => {
    const { matcher, summary } = contractOf(event);
    const shape = oneOrMore(matcher ? "matcher_group" : "hook");
    return [event, { description: summary, anyOf: [...listOf(shape["anyOf"]), { type: "null" }] }];
  });
  const hooks = { type: ["object", "null"], properties: Object.fromEntries(events), additionalProperties: false };
  return { hooks, hook: hookJsonSchema(), matcher_group: { ...group, required: ["hooks"] } };
}

const KIND_SCHEMAS: Record<KindName, JsonObject> = {
  text: { type: ["string", "null"] },
  texts: { type: ["array", "null"], items: { type: "string" } },
  textMap: { type: ["object", "null"], additionalProperties: { type: "string" } },
  whole: { type: ["integer", "null"] },
  flag: { type: ["boolean", "null"] },
  any: {},
};

function keysJsonSchema(table: KeyTable): JsonObject {
  const properties = Object.fromEntries(Object.entries(table).map(([key, kind]) => [key, KIND_SCHEMAS[kind]]));
  return { type: "object", properties, additionalProperties: false };
}

const MODE_SCHEMA: JsonObject = { enum: [...HOOK_MODES, "", null] };

const EXAMPLES_SCHEMA: JsonObject = {
  description: "Inputs by the decision that they must lead to; hooksh test runs them.",
  type: ["object", "null"],
  properties: Object.fromEntries(
    DISPATCH_DECISIONS.map((decision) => [
      decision,
      { type: "array", minItems: 1, items: { type: ["string", "object"] } },
    ]),
  ),
  additionalProperties: false,
};

const THRESHOLD_SCHEMA: JsonObject = { type: "number", exclusiveMinimum: 0, maximum: 1 };

const DECISION_POLICY_SCHEMA: JsonObject = {
  description: "What follows from the answer of an evaluator about a tool call.",
  type: ["object", "null"],
  properties: {
    decisions: { type: "object", minProperties: 1, additionalProperties: { enum: [...DECISIONS] } },
    min_probability: THRESHOLD_SCHEMA,
    fallback: { enum: ["ask", "deny"] },
  },
  required: ["decisions", "min_probability", "fallback"],
  additionalProperties: false,
};

const ROUTE_POLICY_SCHEMA: JsonObject = {
  description: "The agent for each choice of an evaluator.",
  type: ["object", "null"],
  properties: {
    routes: { type: "object", minProperties: 1, additionalProperties: { type: "string", minLength: 1 } },
    min_probability: THRESHOLD_SCHEMA,
  },
  required: ["routes", "min_probability"],
  additionalProperties: false,
};

function hookJsonSchema(): JsonObject {
  const hook = withProperties(keysJsonSchema(HOOK_KEYS), {
    type: { enum: HOOK_TYPE_NAMES },
    timeout: { type: ["integer", "null"], minimum: 0 },
    on_error: { enum: [...ERROR_POLICIES, "", null] },
    other_exit_codes: { enum: ["allow", "", null] },
    dialect: { enum: [...SCRIPT_DIALECTS, "", null] },
    mode: MODE_SCHEMA,
    examples: EXAMPLES_SCHEMA,
    evaluator_policy: DECISION_POLICY_SCHEMA,
    routing_policy: ROUTE_POLICY_SCHEMA,
  });
  return { ...hook, required: ["type"], allOf: HOOK_TYPE_NAMES.map(unreadKeysJsonSchema) };
}

/** The schema for a key that its hook's type does not read: only the empty value is allowed. */
const EMPTY_SCHEMAS: Record<KindName, JsonObject> = {
  text: { enum: ["", null] },
  texts: { maxItems: 0 },
  textMap: { maxProperties: 0 },
  whole: { enum: [0, null] },
  flag: { enum: [false, null] },
  any: { enum: [null] },
};

function unreadKeysJsonSchema(type: string): JsonObject {
  const read: readonly string[] = [...COMMON_KEYS, ...(hookType(type)?.keys ?? [])];
  const unread = Object.entries(HOOK_KEYS).filter(([key]) => !read.includes(key));
  const empty = Object.fromEntries(unread.map(([key, kind]) => [key, EMPTY_SCHEMAS[kind]]));
  return { if: { properties: { type: { const: type } } }, then: { properties: empty } };
}

/** The keys that every type of evaluator needs. */
function evaluatorJsonSchema(): JsonObject {
  const evaluator = toJsonSchema(EvaluatorSchema);
  const required = withProperties(evaluator, {
    type: { enum: [...EVALUATOR_TYPES] },
    model: { type: "string", minLength: 1 },
    instructions: { type: "string", minLength: 1 },
  });
  return { ...required, required: ["type", "model", "instructions"] };
}

/** A mapping of commands, or a list of mappings with one command each. */
function commandsJsonSchema(): JsonObject {
  const wrapped = AgentSchema.entries.commands.wrapped;
  const mapping = toJsonSchema(wrapped);
  return { anyOf: [mapping, { type: "array", items: { ...mapping, maxProperties: 1 } }, { type: "null" }] };
}

/** Accepts a list of a definition, or a single item without a list. */
function oneOrMore(definition: string): JsonObject {
  return { anyOf: [reference(definition), { type: "array", items: reference(definition) }] };
}

function reference(definition: string): JsonObject {
  return { $ref: `#/$defs/${definition}` };
}

function withProperties(schema: JsonObject, properties: JsonObject): JsonObject {
  const own = schema["properties"];
  return { ...schema, properties: { ...(typeof own === "object" && own !== null ? own : {}), ...properties } };
}

function listOf(value: JsonObject[string] | undefined): JsonObject[] {
  return Array.isArray(value) ? value : [];
}
