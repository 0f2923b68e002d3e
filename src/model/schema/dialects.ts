import type { FacetName } from "./schema-node.ts";

/** The part of JSON Schema that a family of models takes. Everything else goes into the description. */
export interface SchemaDialect {
  readonly facets: readonly FacetName[];
  /** Values of `format`; absent: all. */
  readonly formats?: readonly string[];
  /** True if `type` may be a list. */
  readonly allowsTypeLists: boolean;
  /** False if every node must have a `type` or a choice. */
  readonly allowsUntyped: boolean;
  /** `scalars`: the values of an `enum` are texts only or numbers only. */
  readonly enums: "any" | "scalars";
  /** True if `$ref` and `$defs` are understood; otherwise definitions are written where they are used. */
  readonly allowsReferences: boolean;
  /** True if a list may have a schema for each of its first items (`prefixItems`). */
  readonly allowsTuples: boolean;
  /** True if a property that may be left out should take null too, because models write null for what they leave out. */
  readonly nullsForOptional: boolean;
  /**
   * True if a schema whose objects can all be closed is sent so: every property required, those that were optional
   * nullable. Strict mode requires that, and OpenAI's models are trained on it.
   */
  readonly closesObjects: boolean;
  /** What the names of properties must match. */
  readonly propertyNames?: RegExp;
}

const NUMBER_BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] as const;
const TEXT_BOUNDS = ["minLength", "maxLength", "pattern"] as const;
const LIST_BOUNDS = ["minItems", "maxItems"] as const;
const NOTES = ["title", "default"] as const;

/** The part that every family takes: for models that no row of the families describes. */
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
 * The dialects of JSON Schema in which families take the parameters of tools. All take `type`, `description`, `properties`,
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
  /** OpenAI, "Structured Outputs": a keyword that strict mode does not know fails the request. */
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
  /** Anthropic, "Tool use": draft 2020-12, an object without choices at the root, names of one kind. */
  anthropic: {
    ...COMMON,
    facets: [...NUMBER_BOUNDS, ...TEXT_BOUNDS, ...LIST_BOUNDS, ...NOTES, "format", "uniqueItems", "examples"],
    allowsTypeLists: true,
    enums: "any",
    allowsReferences: true,
    allowsTuples: true,
    propertyNames: /^[a-zA-Z0-9_.-]{1,64}$/,
  },
  /** Gemini API, `responseJsonSchema`: references must stand alone and not lead in circles. */
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
  /** Moonshot AI, "Moonshot Flavored JSON Schema": one type for every node, references alone. */
  moonshot: { ...COMMON, facets: ["default"], allowsUntyped: false, allowsReferences: true },
  /** Groq judges the arguments its models write by the schema, and they write null for what they leave out. */
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

/** The name of a {@link SchemaDialect}. */
export type SchemaDialectName = keyof typeof SCHEMA_DIALECTS;

/**
 * How large a schema strict mode takes. OpenAI allows more today; these are its first limits, which Azure still has.
 * Counted in the schema with its definitions.
 */
export const STRICT_LIMITS = { levels: 5, properties: 100, enumValues: 500, nameCharacters: 15_000 } as const;
