import * as v from "valibot";
import { ConfigError, UserError } from "../lib/errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { repairArguments } from "./arguments.ts";
import { errorResult } from "./checked-tool.ts";
import {
  callHttp,
  declaredArguments,
  DEFAULT_HTTP_TIMEOUT,
  type HttpCall,
  isReadMethod,
  METHODS,
  urlPart,
} from "./http-call.ts";
import { defineTool, defineToolset, type Tool } from "./tool.ts";

const apiSchema = v.strictObject({
  name: v.string(),
  endpoint: v.string(),
  method: v.pipe(v.string(), v.toUpperCase(), v.picklist(METHODS)),
  instruction: v.exactOptional(v.string()),
  args: v.exactOptional(v.record(v.string(), v.custom<JsonObject>(isObject, "must be a JSON Schema"))),
  required: v.exactOptional(v.array(v.string())),
  headers: v.exactOptional(v.record(v.string(), v.string())),
  output_schema: v.exactOptional(v.unknown()),
});

type Api = v.InferOutput<typeof apiSchema>;

const PLACEHOLDER = /\$\{(\w+)\}/g;

/** `api`: one call of an HTTP interface as a tool. Source: config-and-cli 5.14. */
export const api = defineToolset({
  summary: "Offers one call of an HTTP interface as a tool.",
  options: {
    api_config: apiSchema,
    timeout: v.exactOptional(v.pipe(v.number(), v.minValue(1))),
    allow_private_ips: v.exactOptional(v.boolean()),
  },
  create: ({ api_config: declared, timeout = DEFAULT_HTTP_TIMEOUT, allow_private_ips: allowPrivate = false }) => {
    const problems = problemsOf(declared);
    if (problems.length > 0) throw new ConfigError(problems);
    return { tools: [apiTool(declared, timeout, allowPrivate)] };
  },
});

function problemsOf({ endpoint, args = {}, required = [] }: Api): string[] {
  const placeholders = [...endpoint.matchAll(PLACEHOLDER)].map((match) => match[1] ?? "");
  const unknown = (names: readonly string[]) => names.filter((name) => !Object.hasOwn(args, name));
  const isUrl = URL.canParse(endpoint.replace(PLACEHOLDER, "x"));
  return [
    ...(isUrl ? [] : [`api_config.endpoint: ${JSON.stringify(endpoint)} is not a URL`]),
    ...unknown(placeholders).map((name) => `api_config.endpoint: \${${name}} is no argument`),
    ...unknown(required).map((name) => `api_config.required: ${JSON.stringify(name)} is no argument`),
  ];
}

function apiTool(declared: Api, timeoutSeconds: number, allowPrivate: boolean): Tool {
  const { name, method, args = {}, required = [], headers = {} } = declared;
  const parameters: JsonObject = { type: "object", properties: args, required, additionalProperties: false };
  return defineTool({
    name,
    title: name,
    description: declared.instruction ?? `Calls ${method} ${declared.endpoint}`,
    category: "api",
    readOnly: isReadMethod(method),
    parameters,
    run: (input, context) =>
      errorResult(() => {
        const given = declaredArguments(repairArguments(input, parameters), Object.keys(args), required);
        const url = fillEndpoint(declared.endpoint, given);
        const call: HttpCall = { url, method, headers, timeoutSeconds, allowPrivate };
        return callHttp(isReadMethod(method) ? call : { ...call, body: given }, context);
      }),
  });
}

function fillEndpoint(endpoint: string, given: Readonly<Record<string, unknown>>): URL {
  const filled = endpoint.replace(PLACEHOLDER, (_placeholder, name: string) => {
    const value = given[name] ?? "";
    if (typeof value !== "string") throw new UserError(`${name} must be a string`);
    return urlPart(name, value);
  });
  return new URL(filled);
}
