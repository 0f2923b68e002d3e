import type { JsonObject } from "../../lib/json.ts";
import type { Family } from "../catalog/families.ts";
import type { StructuredOutput } from "../model.ts";
import { SCHEMA_DIALECTS, type SchemaDialectName } from "./dialects.ts";
import { readSchema } from "./read-schema.ts";
import { strictObstacle } from "./strict-mode.ts";
import { writeSchema } from "./write-schema.ts";

/** A JSON Schema in a provider's dialect. */
export interface ProviderSchema {
  readonly schema: JsonObject;
  /** True if the provider can enforce it to the letter. */
  readonly strict: boolean;
}

/** https://platform.openai.com/docs/api-reference/responses/create: letters, digits, `_` and `-` */
const LONGEST_NAME = 64;

const known = new WeakMap<object, Map<string, ProviderSchema>>();

/**
 * The parameters of a tool as a provider takes them. Keywords that the dialect lacks go into descriptions, so that the
 * model still reads them; the given schema stays as it is. With `strictDialect` the schema is strict if it loses
 * nothing by it: top-level arguments that may be left out become nullable, since the runtime drops their nulls again.
 * Never throws, whatever the schema.
 */
export function toolParameters(
  parameters: JsonObject,
  dialect: SchemaDialectName,
  strictDialect?: SchemaDialectName,
): ProviderSchema {
  return remember(parameters, `tool ${dialect} ${strictDialect ?? ""}`, () => {
    const tree = readSchema(parameters);
    const closable = strictObstacle(tree, "null") === undefined;
    if (closable && strictDialect)
      return { schema: writeSchema(tree, SCHEMA_DIALECTS[strictDialect], { closed: true }), strict: true };
    const row = SCHEMA_DIALECTS[dialect];
    return { schema: writeSchema(tree, row, { closed: closable && row.closesObjects }), strict: false };
  });
}

/**
 * The schema of a structured output as a provider takes it. It is strict only if that is asked for and possible; see
 * {@link strictOutputProblem}.
 */
export function outputSchema(
  { schema, strict = false }: Pick<StructuredOutput, "schema" | "strict">,
  dialect: SchemaDialectName,
  strictDialect?: SchemaDialectName,
): ProviderSchema {
  return remember(schema, `output ${dialect} ${strict ? (strictDialect ?? "") : ""}`, () => {
    const tree = readSchema(schema);
    const possible = strict && strictDialect !== undefined && strictObstacle(tree, "required") === undefined;
    if (possible)
      return {
        schema: writeSchema(tree, SCHEMA_DIALECTS[strictDialect], { closed: true, isOutput: true }),
        strict: true,
      };
    return { schema: writeSchema(tree, SCHEMA_DIALECTS[dialect], { isOutput: true }), strict: false };
  });
}

/** Why a structured output cannot be strict, naming the place in the schema; undefined if it can. */
export function strictOutputProblem(schema: JsonObject): string | undefined {
  return strictObstacle(readSchema(schema), "required");
}

/** A structured output as OpenAI's APIs write it, with its schema as the family takes it. */
export function jsonSchemaFormat(
  output: StructuredOutput,
  family: Pick<Family, "schema" | "strictSchema">,
): JsonObject {
  const { schema, strict } = outputSchema(output, family.schema, family.strictSchema);
  const { name, description } = output;
  return {
    name: name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, LONGEST_NAME),
    ...(description === undefined ? {} : { description }),
    schema,
    ...(output.strict === undefined ? {} : { strict }),
  };
}

function remember(schema: object, key: string, make: () => ProviderSchema): ProviderSchema {
  const made = known.get(schema) ?? new Map<string, ProviderSchema>();
  known.set(schema, made);
  const found = made.get(key) ?? make();
  made.set(key, found);
  return found;
}
