import { isJsonObject, type Json, type JsonObject } from "../../lib/json.ts";
import { METHODS } from "../http/http-methods.ts";
import { validToolName } from "../valid-name.ts";

/** The place of an argument in the request. */
export interface Target {
  place: "path" | "query" | "body" | "whole body";
  /** Its name there. */
  name: string;
}

/** One operation of an OpenAPI document. */
export interface Operation {
  /** The name of its tool. */
  name: string;
  description: string;
  method: (typeof METHODS)[number];
  /** Contains `{name}` for each argument whose place is `path`. */
  path: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
  required: string[];
  /** The place of each argument. */
  targets: ReadonlyMap<string, Target>;
}

const MAX_REF_DEPTH = 8;
const MAX_RESOLVED_VALUES = 5000;
const MAX_DESCRIPTION = 200;

/** Returns the operations of a parsed OpenAPI 3 or Swagger 2 document, in the document's order. */
export function operationsOf(document: JsonObject): Operation[] {
  const paths = Object.entries(objectAt(document, "paths"));
  return paths.flatMap(([path, item]) =>
    isJsonObject(item)
      ? METHODS.flatMap((method) => {
          const operation = item[method.toLowerCase()];
          return isJsonObject(operation) ? [toOperation(document, path, item, method, operation)] : [];
        })
      : [],
  );
}

/** Returns the base URL of the operations: the first server, resolved against the document's own URL. */
export function serverOf(document: JsonObject, url: URL): URL {
  const [server] = listAt(document, "servers");
  if (isJsonObject(server)) {
    const variables = objectAt(server, "variables");
    const value = (_whole: string, name: string) => textAt(objectAt(variables, name), "default");
    return new URL(textAt(server, "url").replace(/\{(\w+)\}/g, value), url);
  }
  const host = textAt(document, "host");
  const [scheme = url.protocol.slice(0, -1)] = listAt(document, "schemes");
  const origin = host === "" ? url.origin : `${String(scheme)}://${host}`;
  return new URL(textAt(document, "basePath") || "/", origin);
}

function toOperation(
  document: JsonObject,
  path: string,
  item: JsonObject,
  method: Operation["method"],
  operation: JsonObject,
): Operation {
  const properties = new Map<string, JsonObject>();
  const targets = new Map<string, Target>();
  const required: string[] = [];
  const add = (argument: string, target: Target, schema: JsonObject, isRequired: boolean) => {
    properties.set(argument, schema);
    targets.set(argument, target);
    if (isRequired) required.push(argument);
  };
  // A parameter of the operation overrides the path's parameter with the same name.
  for (const raw of [...listAt(item, "parameters"), ...listAt(operation, "parameters")]) {
    const parameter = resolve(document, raw);
    const name = textAt(parameter, "name");
    const place = textAt(parameter, "in");
    if (place === "body") addBody(objectAt(parameter, "schema"), parameter["required"] === true);
    if (place !== "path" && place !== "query") continue;
    if (targets.has(name)) required.splice(0, required.length, ...required.filter((other) => other !== name));
    add(name, { place, name }, schemaOf(parameter), place === "path" || parameter["required"] === true);
  }
  const body = resolve(document, operation["requestBody"]);
  const content = objectAt(objectAt(body, "content"), "application/json");
  if (isJsonObject(content["schema"])) addBody(content["schema"], body["required"] === true);

  function addBody(raw: JsonObject, isRequired: boolean): void {
    const schema = resolve(document, raw);
    const fields = Object.entries(objectAt(schema, "properties"));
    if (fields.length === 0) return add("body", { place: "whole body", name: "body" }, schema, isRequired);
    const needed = listAt(schema, "required");
    for (const [name, field] of fields) {
      const argument = targets.has(name) ? `body_${name}` : name;
      add(argument, { place: "body", name }, isJsonObject(field) ? field : {}, isRequired && needed.includes(name));
    }
  }

  return {
    name: toolName(textAt(operation, "operationId") || method.toLowerCase() + path),
    description: describe(operation, method, path),
    method,
    path,
    parameters: { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false },
    required,
    targets,
  };
}

/** Returns the schema of a parameter: its `schema` in OpenAPI 3, the parameter itself in Swagger 2. */
function schemaOf(parameter: JsonObject): JsonObject {
  const inner = parameter["schema"];
  const { name: _name, in: _in, required: _required, schema: _schema, ...own } = parameter;
  const swagger = () => ({ type: own["type"] ?? "string", ...pick(own, ["enum", "items", "format"]) });
  const schema = isJsonObject(inner) ? inner : swagger();
  const description = textAt(parameter, "description");
  return description === "" ? schema : { ...schema, description };
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

function describe(operation: JsonObject, method: string, path: string): string {
  const long = [...textAt(operation, "description")].slice(0, MAX_DESCRIPTION).join("");
  return textAt(operation, "summary") || long || `${method} ${path}`;
}

function toolName(text: string): string {
  return validToolName(text.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_|_$/g, ""));
}

/** Replaces the references inside a value, up to a depth and size, because a reference can be recursive. */
function resolve(document: JsonObject, value: Json | undefined): JsonObject {
  let room = MAX_RESOLVED_VALUES;
  const expand = (inner: Json, depth: number): Json => {
    if (--room < 0) return {};
    if (Array.isArray(inner)) return inner.map((item: Json) => expand(item, depth));
    if (!isJsonObject(inner)) return inner;
    const reference = inner["$ref"];
    if (typeof reference === "string") return depth > 0 ? expand(lookUp(document, reference), depth - 1) : {};
    return Object.fromEntries(Object.entries(inner).map(([name, field]) => [name, expand(field, depth)]));
  };
  const resolved = expand(value ?? {}, MAX_REF_DEPTH);
  return isJsonObject(resolved) ? resolved : {};
}

function lookUp(document: JsonObject, reference: string): Json {
  if (!reference.startsWith("#/")) return {};
  const steps = reference
    .slice(2)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const inner = (at: Json, step: string) => (isJsonObject(at) && Object.hasOwn(at, step) ? (at[step] ?? {}) : {});
  return steps.reduce<Json>(inner, document);
}

function objectAt(value: JsonObject, name: string): JsonObject {
  const inner = Object.hasOwn(value, name) ? value[name] : undefined;
  return isJsonObject(inner) ? inner : {};
}

function listAt(value: JsonObject, name: string): readonly Json[] {
  const inner = value[name];
  return Array.isArray(inner) ? inner : [];
}

function textAt(value: JsonObject, name: string): string {
  const inner = value[name];
  return typeof inner === "string" ? inner : "";
}
