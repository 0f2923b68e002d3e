import type { JsonObject } from "../../lib/json.ts";
import type { StructuredOutput } from "../model.ts";
import { SCHEMA_DIALECTS, type SchemaDialectName } from "./dialects.ts";
import { readSchema } from "./read-schema.ts";
import { strictObstacle } from "./strict-mode.ts";
import { writeSchema } from "./write-schema.ts";

/** A JSON Schema in a provider's dialect. */
export interface ProviderSchema {
  readonly schema: JsonObject;
  /** True if the provider can enforce the schema exactly. */
  readonly strict: boolean;
}

/** https://platform.openai.com/docs/api-reference/responses/create: letters, digits, `_` and `-` */
const MAX_NAME_LENGTH = 64;

const known = new WeakMap<object, Map<string, ProviderSchema>>();

/**
 * Writes the parameters of a tool in a dialect. Keywords that the dialect lacks go into descriptions, so that the model
 * still reads them. With `strictDialect`, the schema is strict if its meaning stays the same: optional top-level
 * arguments become nullable, because the runtime drops their nulls. Does not change `parameters`, and never throws.
 */
export function toolParameters(
  parameters: JsonObject,
  dialect: SchemaDialectName,
  strictDialect?: SchemaDialectName,
): ProviderSchema {
  return remember(parameters, `tool ${dialect} ${strictDialect ?? ""}`, () => {
    const tree = readSchema(parameters);
    const closable = strictObstacle(tree, "nullable") === undefined;
    if (closable && strictDialect)
      return { schema: writeSchema(tree, SCHEMA_DIALECTS[strictDialect], { closed: true }), strict: true };
    const row = SCHEMA_DIALECTS[dialect];
    return { schema: writeSchema(tree, row, { closed: closable && row.closesObjects }), strict: false };
  });
}

/**
 * Writes the schema of a structured output in a dialect. It is strict only if requested and possible; see
 * {@link strictOutputProblem}.
 */
export function outputSchema(
  { schema, strict = false }: Pick<StructuredOutput, "schema" | "strict">,
  dialect: SchemaDialectName,
  strictDialect?: SchemaDialectName,
): ProviderSchema {
  return remember(schema, `output ${dialect} ${strict ? (strictDialect ?? "") : ""}`, () => {
    const tree = readSchema(schema);
    const possible = strict && strictDialect !== undefined && strictObstacle(tree, "refused") === undefined;
    if (possible)
      return {
        schema: writeSchema(tree, SCHEMA_DIALECTS[strictDialect], { closed: true, isOutput: true }),
        strict: true,
      };
    return { schema: writeSchema(tree, SCHEMA_DIALECTS[dialect], { isOutput: true }), strict: false };
  });
}

/** Returns why a structured output cannot be strict, naming the place in the schema; undefined if it can. */
export function strictOutputProblem(schema: JsonObject): string | undefined {
  return strictObstacle(readSchema(schema), "refused");
}

/** Returns a structured output in the form of OpenAI's APIs, with its schema in the dialect of the family. */
export function jsonSchemaFormat(
  output: StructuredOutput,
  family: { readonly schema: SchemaDialectName; readonly strictSchema?: SchemaDialectName },
): JsonObject {
  const { schema, strict } = outputSchema(output, family.schema, family.strictSchema);
  const { name, description } = output;
  return {
    name: name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME_LENGTH),
    ...(description === undefined ? {} : { description }),
    schema,
    ...(output.strict === undefined ? {} : { strict }),
  };
}

function remember(schema: object, key: string, make: () => ProviderSchema): ProviderSchema {
  const schemas = known.get(schema) ?? new Map<string, ProviderSchema>();
  known.set(schema, schemas);
  const found = schemas.get(key) ?? make();
  schemas.set(key, found);
  return found;
}
