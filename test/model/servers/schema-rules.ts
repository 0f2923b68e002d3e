/** Returns why a provider refuses a schema, in its words; undefined if it accepts it. */
export type SchemaRule = (schema: unknown) => string | undefined;

type Keys = Record<string, unknown>;

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const UNIONS = ["anyOf", "oneOf", "allOf"];
const LISTS = [...UNIONS, "prefixItems"];
const MAPS = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];
const SINGLE = [
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
];

const isObject = (value: unknown): value is Keys =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const context = (path: readonly string[]) => `In context=(${path.map((part) => `'${part}'`).join(", ")})`;
const typesOf = ({ type }: Keys): unknown[] => (type === undefined ? [] : [type].flat());

/** Calls `check` for every schema in a schema; the first complaint counts. */
function walk(schema: unknown, check: (node: Keys, path: string[]) => string | undefined): string | undefined {
  const open: [unknown, string[]][] = [[schema, []]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, path] = next;
    if (typeof node === "boolean") continue;
    if (!isObject(node)) return `${context(path)}, ${JSON.stringify(node)} is not of type 'object', 'boolean'`;
    const complaint = check(node, path);
    if (complaint) return complaint;
    for (const name of SINGLE) if (node[name] !== undefined) open.push([node[name], [...path, name]]);
    for (const name of LISTS) {
      if (node[name] === undefined) continue;
      if (!Array.isArray(node[name]) || node[name].length === 0) return `${context([...path, name])}, [] is too short`;
      node[name].forEach((inner, index) => open.push([inner, [...path, name, String(index)]]));
    }
    for (const name of MAPS) {
      if (node[name] === undefined) continue;
      if (!isObject(node[name])) return `${context([...path, name])}, not of type 'object'`;
      for (const [key, inner] of Object.entries(node[name])) open.push([inner, [...path, name, key]]);
    }
  }
  return undefined;
}

const SHAPES: Record<string, (value: unknown) => boolean> = {
  description: (value) => typeof value === "string",
  title: (value) => typeof value === "string",
  format: (value) => typeof value === "string",
  pattern: (value) => typeof value === "string" && isRegExp(value),
  required: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === "string") && new Set(value).size === value.length,
  enum: (value) => Array.isArray(value) && value.length > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  uniqueItems: (value) => typeof value === "boolean",
  $ref: (value) => typeof value === "string",
};

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

function isRegExp(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, "u"));
  } catch {
    return false;
  }
}

/** The rules of the meta-schema of draft 2020-12; references must have a target inside the schema. */
function draft2020(schema: unknown): string | undefined {
  return walk(schema, (node, path) => {
    for (const [name, fits] of Object.entries(SHAPES)) {
      if (node[name] !== undefined && !fits(node[name]))
        return `${context([...path, name])}, ${JSON.stringify(node[name])} is not valid under any of the given schemas`;
    }
    const bad = typesOf(node).find((type) => !TYPES.has(String(type)));
    if (bad !== undefined)
      return `${context(path)}, ${JSON.stringify(bad)} is not valid under any of the given schemas`;
    if (Array.isArray(node["type"]) && (node["type"].length === 0 || new Set(node["type"]).size < node["type"].length))
      return `${context(path)}, ${JSON.stringify(node["type"])} has non-unique elements`;
    const ref = node["$ref"];
    if (typeof ref === "string" && resolve(schema, ref) === undefined)
      return `${context(path)}, reference to component '${ref}' which was not found in the schema`;
    return undefined;
  });
}

function resolve(schema: unknown, ref: string): unknown {
  if (ref === "#") return schema;
  if (!ref.startsWith("#/")) return undefined;
  return ref
    .slice(2)
    .split("/")
    .reduce<unknown>((node, part) => {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      return isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    }, schema);
}

function rootOf(schema: unknown): string | undefined {
  const type = isObject(schema) ? schema["type"] : undefined;
  if (!isObject(schema) || type !== "object")
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(type) ?? "None"}'.`;
  const taken = [...UNIONS, "enum", "not"].some((name) => schema[name] !== undefined);
  return taken
    ? "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
    : undefined;
}

function onlyKeys(
  schema: unknown,
  keys: readonly string[],
  say: (key: string, path: readonly string[]) => string,
): string | undefined {
  return walk(schema, (node, path) => {
    const other = Object.keys(node).find((key) => !keys.includes(key));
    return other === undefined ? undefined : say(other, path);
  });
}

const CORE = ["type", "description", "properties", "required", "additionalProperties", "items", "anyOf", "enum"];
const REFERENCES = ["$ref", "$defs"];
const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/** OpenAI's functions without strict mode; the Responses API refuses `oneOf` and similar keywords at every level. */
export const openai: SchemaRule = (schema) =>
  rootOf(schema) ??
  draft2020(schema) ??
  walk(schema, (node, path) => {
    const refused = ["oneOf", "allOf", "not", "if", "patternProperties", "dependentRequired"].find(
      (name) => node[name] !== undefined,
    );
    if (refused) return `${context(path)}, '${refused}' is not permitted.`;
    if (typesOf(node).includes("array") && node["items"] === undefined)
      return `${context(path)}, array schema missing items.`;
    const wrong = (Array.isArray(node["enum"]) && typesOf(node).length > 0 ? node["enum"] : []).find(
      (value) => !typesOf(node).some((type) => fitsType(value, type)),
    );
    return wrong === undefined
      ? undefined
      : `${context(path)}, enum value ${JSON.stringify(wrong)} does not validate against {'type': '${String(node["type"])}'}.`;
  });

function fitsType(value: unknown, type: unknown): boolean {
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  return type === "integer" ? Number.isInteger(value) : type === typeof value;
}

const STRICT_KEYS = [...CORE, ...REFERENCES, ...NUMBERS, "const", "title", "pattern", "format", "minItems", "maxItems"];
const STRICT_FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/** OpenAI's strict mode: see "Structured Outputs", supported schemas. The limits are the lower ones of Azure. */
export const openaiStrict: SchemaRule = (schema) =>
  openai(schema) ??
  onlyKeys(schema, STRICT_KEYS, (key, path) => `${context(path)}, '${key}' is not permitted.`) ??
  walk(schema, strictNode) ??
  strictSize(schema);

function strictNode(node: Keys, path: string[]): string | undefined {
  const types = typesOf(node);
  if (node["$ref"] !== undefined) {
    const others = Object.keys(node).filter((key) => key !== "$ref");
    return others.length > 0 ? `${context(path)}, $ref cannot have keywords {'${others.join("', '")}'}.` : undefined;
  }
  if (types.length === 0 && node["anyOf"] === undefined && node["enum"] === undefined)
    return `${context(path)}, schema must have a 'type' key.`;
  if (typeof node["format"] === "string" && !STRICT_FORMATS.includes(node["format"]))
    return `${context(path)}, '${node["format"]}' is not a valid format.`;
  if (typeof node["pattern"] === "string" && /\(\?[=!<]/.test(node["pattern"]))
    return `${context(path)}, look-around is not supported in 'pattern'.`;
  const firsts = (Array.isArray(node["anyOf"]) ? node["anyOf"] : [])
    .filter(isObject)
    .map(({ properties }) => Object.entries(isObject(properties) ? properties : {})[0]);
  const clash = firsts.some(
    (first, index) =>
      first &&
      firsts.slice(index + 1).some((other) => other?.[0] === first[0] && !(isObject(first[1]) && first[1]["enum"])),
  );
  if (clash) return `${context(path)}, Objects provided via 'anyOf' must not share identical first keys.`;
  if (!types.includes("object")) return undefined;
  if (node["additionalProperties"] !== false)
    return `${context(path)}, 'additionalProperties' is required to be supplied and to be false.`;
  const names = Object.keys(isObject(node["properties"]) ? node["properties"] : {});
  const required = Array.isArray(node["required"]) ? node["required"] : [];
  const missing = names.find((name) => !required.includes(name));
  if (missing !== undefined || node["required"] === undefined)
    return `${context(path)}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  const extra = required.find((name) => !names.includes(String(name)));
  return extra === undefined ? undefined : `${context(path)}, Extra required key '${String(extra)}' supplied.`;
}

function strictSize(schema: unknown): string | undefined {
  let properties = 0;
  let values = 0;
  let deepest = 0;
  walk(schema, (node, path) => {
    properties += Object.keys(isObject(node["properties"]) ? node["properties"] : {}).length;
    values += Array.isArray(node["enum"]) ? node["enum"].length : 0;
    if (typesOf(node).includes("object"))
      deepest = Math.max(
        deepest,
        1 + path.filter((part, index) => part === "properties" && path[index - 1] !== "properties").length,
      );
    return undefined;
  });
  if (deepest > 6) return `${deepest} levels of nesting exceeds limit of 5.`;
  if (properties > 100) return `Expected at most 100 properties, got ${properties}.`;
  return values > 500 ? `Expected at most 500 enum values in total, got ${values}.` : undefined;
}

/** Azure's strict mode, which has no keywords for bounds. */
export const azureStrict: SchemaRule = (schema) =>
  openaiStrict(schema) ??
  onlyKeys(schema, [...CORE, ...REFERENCES, "const"], (key, path) => `${context(path)}, '${key}' is not permitted.`);

/** Anthropic's tools. */
export const anthropic: SchemaRule = (schema) => {
  if (!isObject(schema) || schema["type"] !== "object") return "tools.0.custom.input_schema.type: Field required";
  if (UNIONS.some((name) => schema[name] !== undefined))
    return "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level";
  if (draft2020(schema) !== undefined)
    return "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12";
  return walk(schema, (node) => {
    const names = Object.keys(isObject(node["properties"]) ? node["properties"] : {});
    return names.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))
      ? undefined
      : "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
  });
};

const GEMINI_KEYS = [
  ...CORE,
  "$id",
  "$defs",
  "$ref",
  "$anchor",
  "format",
  "title",
  "prefixItems",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "oneOf",
  "propertyOrdering",
];

/** Gemini's `parametersJsonSchema` and `responseJsonSchema`. */
export const gemini: SchemaRule = (schema) =>
  draft2020(schema) ??
  onlyKeys(
    schema,
    GEMINI_KEYS,
    (key, path) =>
      `* GenerateContentRequest.tools[0].function_declarations[0].parameters_json_schema${path.map((part) => `.${part}`).join("")}: unsupported keyword "${key}"`,
  ) ??
  walk(schema, (node) => {
    if (
      Array.isArray(node["enum"]) &&
      !node["enum"].every((value) => typeof value === "string" || typeof value === "number")
    )
      return "enum: only allowed for strings and numbers";
    return node["$ref"] !== undefined && Object.keys(node).some((key) => !key.startsWith("$"))
      ? "no other fields may be set beside $ref"
      : undefined;
  }) ??
  circle(schema, () => "cyclic $ref in a required property");

/** Refuses circular references. */
function circle(schema: unknown, say: () => string): string | undefined {
  const seen = (node: unknown, trail: readonly string[]): boolean => {
    if (Array.isArray(node)) return node.some((inner) => seen(inner, trail));
    if (!isObject(node)) return false;
    const ref = node["$ref"];
    if (typeof ref === "string") return trail.includes(ref) || seen(resolve(schema, ref), [...trail, ref]);
    return Object.entries(node).some(([key, inner]) => key !== "$defs" && seen(inner, trail));
  };
  return seen(schema, []) ? say() : undefined;
}

/** Mistral compiles schemas into grammars: refuses `$id`, `$schema` and keywords that a grammar cannot express. */
export const mistral: SchemaRule = (schema) =>
  rootOf(schema) ??
  (draft2020(schema) === undefined ? undefined : `Invalid tool schema: ${draft2020(schema)}`) ??
  onlyKeys(
    schema,
    [
      ...CORE,
      ...REFERENCES,
      ...NUMBERS,
      "const",
      "default",
      "title",
      "minItems",
      "maxItems",
      "minLength",
      "maxLength",
      "pattern",
    ],
    () => "Grammar error: at 3(11): failed to compile JSON schema",
  );

/** Moonshot AI: docs/mfjs-spec.md of MoonshotAI/walle. */
export const moonshot: SchemaRule = (schema) => {
  const say = (path: readonly string[], what: string) =>
    `tools.function.parameters is not a valid moonshot flavored json schema, details: <At path '${path.join(".") || "root"}': ${what}>`;
  if (!isObject(schema) || schema["type"] !== "object")
    return 'tools.function.parameters.type is required and must be "object"';
  const invalid = draft2020(schema);
  if (invalid) return say([], invalid);
  return (
    onlyKeys(schema, [...CORE, ...REFERENCES, "default"], (key, path) => say(path, `unexpected keyword ${key}`)) ??
    walk(schema, (node, path) => {
      if (node["$ref"] !== undefined) {
        const other = Object.keys(node).find((key) => key !== "$ref");
        return other === undefined ? undefined : say(path, `conflicting keywords found after $ref expansion: ${other}`);
      }
      if (path.length > 0 && node["$defs"] !== undefined) return say(path, "$defs must be at the root");
      if (node["anyOf"] !== undefined)
        return node["type"] === undefined
          ? undefined
          : say(path, "when using anyOf, type should be defined in anyOf items instead of the parent schema");
      if (typeof node["type"] !== "string") return say(path, "type is not defined");
      const kinds = new Set((Array.isArray(node["enum"]) ? node["enum"] : []).map((value) => typeof value));
      if (kinds.size > 1 || [...kinds].some((kind) => kind !== "string" && kind !== "number"))
        return say(path, "enum values must be of one type");
      return undefined;
    })
  );
};

/** Groq. */
export const groq: SchemaRule = (schema) => {
  const say = (what: string) => `invalid JSON schema for tool t, tools[0].function.parameters: ${what}`;
  const invalid = rootOf(schema) ?? draft2020(schema);
  if (invalid) return say(invalid);
  return walk(schema, (node) => {
    const properties: unknown = node["properties"];
    return node["required"] !== undefined && !isObject(properties)
      ? say("'required' present but 'properties' is missing")
      : undefined;
  });
};

/** xAI. */
export const xai: SchemaRule = (schema) =>
  rootOf(schema) ??
  draft2020(schema) ??
  walk(schema, (node) =>
    ["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"].some(
      (name) => node[name] !== undefined,
    )
      ? "Invalid arguments passed to the model."
      : undefined,
  );

/** Servers that compile schemas into grammars and put them into chat templates: `type` is a string, patterns are anchored. */
export const common: SchemaRule = (schema) =>
  groq(schema) ??
  xai(schema) ??
  walk(schema, (node) => {
    if (Array.isArray(node["type"])) return "chat template error: Unknown filter 'upper' for type list";
    if (node["$ref"] !== undefined) return "JSON schema conversion failed: Unresolvable reference";
    if (node["pattern"] !== undefined)
      return "JSON schema conversion failed: Pattern must start with '^' and end with '$'";
    return ["not", "if", "oneOf", "allOf", "patternProperties"].some((name) => node[name] !== undefined)
      ? "JSON schema conversion failed: Unrecognized schema"
      : undefined;
  });

/** The rules by the name of the dialect that must satisfy them. */
export const SCHEMA_RULES = {
  common,
  openai,
  "openai-strict": openaiStrict,
  "azure-strict": azureStrict,
  anthropic,
  gemini,
  mistral,
  moonshot,
  groq,
  xai,
} as const satisfies Record<string, SchemaRule>;
