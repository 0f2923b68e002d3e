import type { FacetName } from "./schema-node.ts";

/** The part of JSON Schema that a family of models accepts. Descriptions mention the rest in words. */
export interface SchemaDialect {
  readonly facets: readonly FacetName[];
  /** Accepted values of `format`; all if absent. */
  readonly formats?: readonly string[];
  /** True if `type` may be a list. */
  readonly allowsTypeLists: boolean;
  /** False if every node must have a `type` or `anyOf`. */
  readonly allowsUntyped: boolean;
  /** `scalars` if the values of an `enum` must be all strings or all numbers. */
  readonly enums: "any" | "scalars";
  /** True if `$ref` and `$defs` are accepted; otherwise each use of a definition repeats it. */
  readonly allowsReferences: boolean;
  /** True if an array may have a schema for each of its first items (`prefixItems`). */
  readonly allowsTuples: boolean;
  /** True if optional properties should also accept null, because the models write null for an absent value. */
  readonly nullsForOptional: boolean;
  /**
   * True to close all objects of a schema if possible: every property is required, and optional ones become nullable.
   * Strict mode requires that, and OpenAI's models are trained on it.
   */
  readonly closesObjects: boolean;
  /** The pattern for names of properties; all names are accepted if absent. */
  readonly propertyNames?: RegExp;
}

const NUMBER_BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] as const;
const TEXT_BOUNDS = ["minLength", "maxLength", "pattern"] as const;
const LIST_BOUNDS = ["minItems", "maxItems"] as const;
const NOTES = ["title", "default"] as const;

/** The part that every family accepts, for models that no row of the families describes. */
const COMMON: SchemaDialect = {
  facets: [],
  allowsTypeLists: false,
  allowsUntyped: true,
  enums: "scalars",
  allowsReferences: false,
  allowsTuples: false,
  nullsForOptional: false,
  closesObjects: false,
};

/**
 * The dialects of JSON Schema for tool parameters, by family. All accept `type`, `description`, `properties`,
 * `required`, `additionalProperties`, `items`, `anyOf` below the root, and `enum`.
 */
export const SCHEMA_DIALECTS = {
  common: COMMON,
  /** OpenAI, "Function calling", without strict mode: the schema must be valid, arrays must have items. */
  openai: {
    ...COMMON,
    facets: [...NUMBER_BOUNDS, ...TEXT_BOUNDS, ...LIST_BOUNDS, ...NOTES, "uniqueItems"],
    allowsTypeLists: true,
    enums: "any",
    allowsReferences: true,
    closesObjects: true,
  },
  /** OpenAI, "Structured Outputs": strict mode refuses unknown keywords. */
  "openai-strict": {
    ...COMMON,
    facets: [...NUMBER_BOUNDS, ...LIST_BOUNDS, "pattern", "title"],
    allowsTypeLists: true,
    enums: "any",
    allowsReferences: true,
    closesObjects: true,
  },
  /** Azure OpenAI, "Structured outputs": no keyword that bounds a value. */
  "azure-strict": { ...COMMON, allowsTypeLists: true, enums: "any", allowsReferences: true, closesObjects: true },
  /** Anthropic, "Tool use": draft 2020-12, an object without `anyOf` at the root, restricted names. */
  anthropic: {
    ...COMMON,
    facets: [...NUMBER_BOUNDS, ...TEXT_BOUNDS, ...LIST_BOUNDS, ...NOTES, "format", "uniqueItems", "examples"],
    allowsTypeLists: true,
    enums: "any",
    allowsReferences: true,
    allowsTuples: true,
    propertyNames: /^[a-zA-Z0-9_.-]{1,64}$/,
  },
  /** Gemini API, `responseJsonSchema`: no keywords next to `$ref`, no circular references. */
  gemini: {
    ...COMMON,
    facets: ["minimum", "maximum", ...LIST_BOUNDS, "title", "format"],
    formats: ["date-time", "date", "time"],
    allowsTypeLists: true,
    allowsTuples: true,
  },
  /** Mistral compiles the schema into a grammar. */
  mistral: {
    ...COMMON,
    facets: [...NUMBER_BOUNDS, ...LIST_BOUNDS, "default"],
    allowsTypeLists: true,
    enums: "any",
    closesObjects: true,
  },
  /** Moonshot AI, "Moonshot Flavored JSON Schema": one type per node, no keywords next to `$ref`. */
  moonshot: { ...COMMON, facets: ["default"], allowsUntyped: false, allowsReferences: true },
  /** Groq validates the arguments from its models, which write null for an absent value. */
  groq: {
    ...COMMON,
    facets: [...NUMBER_BOUNDS, ...TEXT_BOUNDS, ...LIST_BOUNDS],
    allowsTypeLists: true,
    enums: "any",
    nullsForOptional: true,
  },
  /** xAI, "Structured outputs": no bounds on lengths. */
  xai: { ...COMMON, facets: [...NUMBER_BOUNDS, "default"], allowsTypeLists: true, enums: "any" },
} as const satisfies Record<string, SchemaDialect>;

export type SchemaDialectName = keyof typeof SCHEMA_DIALECTS;

/**
 * The maximum size of a strict schema, definitions included. OpenAI allows more today; these are its first limits,
 * which Azure still has.
 */
export const STRICT_LIMITS = { levels: 5, properties: 100, enumValues: 500, nameCharacters: 15_000 } as const;
