import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** The result of reading a line: a value, no answer, or an answer that the schema does not allow, and why. */
export type FieldReading = { kind: "value"; value: Json } | { kind: "omitted" } | { kind: "invalid"; problem: string };

/** Returns a hint for the user about the allowed values: `number, at least 1`. Empty if any text is allowed. */
export function hintOf(schema: JsonObject): string {
  const choices = choicesOf(schema);
  if (choices) return "";
  switch (typeOf(schema)) {
    case "boolean":
      return "yes or no";
    case "integer":
    case "number":
      return [typeOf(schema), ...bounds(schema, "minimum", "maximum")].join(", ");
    case "array":
      return "a list, separated by commas";
    case "object":
      return "JSON";
    default:
      return bounds(schema, "minLength", "maxLength", " characters").join(", ");
  }
}

/** Returns the allowed values if the schema lists them. */
export function choicesOf(schema: JsonObject): Json[] | undefined {
  if ("const" in schema && schema["const"] !== undefined) return [schema["const"]];
  if (Array.isArray(schema["enum"])) return schema["enum"];
  const alternatives = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(alternatives)) return undefined;
  const constants = alternatives.flatMap((each) =>
    isJsonObject(each) && each["const"] !== undefined ? [each["const"]] : [],
  );
  return constants.length === alternatives.length && constants.length > 0 ? constants : undefined;
}

/** Reads a line as a value of a schema. Checks types, choices and bounds, nothing else. */
export function readField(line: string, schema: JsonObject): FieldReading {
  const text = line.trim();
  const { default: preset } = schema;
  if (text === "") return preset === undefined ? { kind: "omitted" } : { kind: "value", value: preset };
  const choices = choicesOf(schema);
  if (choices) return readChoice(text, choices);
  switch (typeOf(schema)) {
    case "boolean":
      return readBoolean(text);
    case "integer":
    case "number":
      return readNumber(text, schema);
    case "array":
      return readArray(text, schema);
    case "object":
      return readJson(text);
    default:
      return readText(line, schema);
  }
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  const types = Array.isArray(type) ? type : [type];
  const first = types.find((each) => each !== "null");
  if (typeof first === "string") return first;
  return "properties" in schema ? "object" : "string";
}

function bounds(schema: JsonObject, low: string, high: string, unit = ""): string[] {
  return [
    ["at least", schema[low]],
    ["at most", schema[high]],
  ].flatMap(([words, value]) => (typeof value === "number" ? [`${String(words)} ${value}${unit}`] : []));
}

/** Reads a choice by its value or by its number in the list. */
function readChoice(text: string, choices: readonly Json[]): FieldReading {
  const lower = text.toLowerCase();
  const named =
    choices.find((choice) => String(choice) === text) ??
    choices.find((choice) => String(choice).toLowerCase() === lower);
  const value = named ?? (/^\d{1,4}$/.test(text) ? choices[Number(text) - 1] : undefined);
  return value === undefined ? { kind: "invalid", problem: `Choose 1 to ${choices.length}` } : { kind: "value", value };
}

function readBoolean(text: string): FieldReading {
  if (/^(y|yes|true)$/i.test(text)) return { kind: "value", value: true };
  if (/^(n|no|false)$/i.test(text)) return { kind: "value", value: false };
  return { kind: "invalid", problem: "Answer yes or no" };
}

function readNumber(text: string, schema: JsonObject): FieldReading {
  const value = Number(text);
  const { minimum, maximum } = schema;
  const fits =
    Number.isFinite(value) &&
    (typeOf(schema) !== "integer" || Number.isInteger(value)) &&
    (typeof minimum !== "number" || value >= minimum) &&
    (typeof maximum !== "number" || value <= maximum);
  return fits ? { kind: "value", value } : { kind: "invalid", problem: `Expected: ${hintOf(schema)}` };
}

function readText(text: string, schema: JsonObject): FieldReading {
  const { minLength, maxLength } = schema;
  const { length } = [...text];
  const fits =
    (typeof minLength !== "number" || length >= minLength) && (typeof maxLength !== "number" || length <= maxLength);
  return fits ? { kind: "value", value: text } : { kind: "invalid", problem: `Expected: ${hintOf(schema)}` };
}

function readArray(text: string, schema: JsonObject): FieldReading {
  if (text.startsWith("[")) return readJson(text);
  const { items } = schema;
  const readings = text.split(",").map((part) => readField(part.trim(), isJsonObject(items) ? items : {}));
  const wrong = readings.find((reading) => reading.kind === "invalid");
  if (wrong) return wrong;
  return { kind: "value", value: readings.flatMap((reading) => (reading.kind === "value" ? [reading.value] : [])) };
}

function readJson(text: string): FieldReading {
  try {
    const value: Json = JSON.parse(text);
    return { kind: "value", value };
  } catch {
    return { kind: "invalid", problem: "Expected JSON" };
  }
}
