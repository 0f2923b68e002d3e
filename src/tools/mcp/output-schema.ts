import type { ErrorObject, Options, ValidateFunction } from "ajv/dist/2020.js";
import { isDeeperThan, type JsonObject } from "../../lib/json.ts";
import { compilePattern } from "../../pattern/pattern.ts";

/** Maximum length of a schema. A larger one is not compiled. */
const SCHEMA_LIMIT = 256 * 1024;
/** Content that nests deeper is not checked. */
const MAX_DEPTH = 200;

/** Returns why structured content does not match its schema; undefined if it does. */
export type CheckOutput = (content: unknown) => string | undefined;

/**
 * Compiles the `outputSchema` of a tool. Ignores formats and runs patterns in linear time, because the schema comes
 * from the server. Throws an `Error` if the schema cannot be used: it is too large, not JSON Schema, or refers to
 * another document.
 */
export async function compileOutputSchema(schema: JsonObject): Promise<CheckOutput> {
  if (JSON.stringify(schema).length > SCHEMA_LIMIT) throw new Error(`it is larger than ${SCHEMA_LIMIT / 1024} KiB`);
  if (schema["$async"] !== undefined) throw new Error("it is asynchronous");
  const validate = (await validatorFor(schema["$schema"])).compile(schema) as ValidateFunction;
  return (content) => {
    if (isDeeperThan(content, MAX_DEPTH)) return undefined;
    try {
      if (validate(content)) return undefined;
    } catch {
      return undefined; // infinite recursion in the schema is not an error of the content
    }
    return validate.errors?.map(problemText)[0] ?? "it does not satisfy the schema";
  };
}

/** Returns the validator for the schema's dialect; without one 2020-12, the default of MCP. */
async function validatorFor(dialect: unknown) {
  const isOlder = typeof dialect === "string" && /\/draft-0[67]\//.test(dialect);
  return isOlder ? new (await import("ajv")).Ajv(OPTIONS) : new (await import("ajv/dist/2020.js")).Ajv2020(OPTIONS);
}

/** A JSON Schema pattern may match anywhere in a text. */
const linearPattern = Object.assign(
  (pattern: string) => ({ ...compilePattern(`(?s:.*)(?:${pattern})(?s:.*)`), toString: () => `/${pattern}/` }),
  { code: "linearPattern" },
);

const OPTIONS: Options = {
  strict: false,
  validateSchema: false,
  validateFormats: false,
  logger: false,
  code: { regExp: linearPattern },
};

function problemText({ instancePath, message = "is not valid", params }: ErrorObject): string {
  const name: unknown = Reflect.get(params, "additionalProperty");
  return `${instancePath || "the content"} ${message}${typeof name === "string" ? ` (${JSON.stringify(name)})` : ""}`;
}
