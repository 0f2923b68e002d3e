import { ConfigError, UserError } from "../lib/errors.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { repairArguments } from "./arguments.ts";
import { errorResult } from "./checked-tool.ts";
import { describeOutput } from "./describe-output.ts";
import { callHttp, DEFAULT_HTTP_TIMEOUT, declaredArguments, type HttpCall, urlPart } from "./http/http-call.ts";
import { isHttpMethod, isReadMethod } from "./http/http-methods.ts";
import { defineTool, type Tool, type Toolset } from "./tool.ts";

/** The keys of `api_config`: one HTTP call. */
interface Api {
  name: string;
  endpoint: string;
  method: string;
  instruction?: string;
  /** The JSON Schema of each argument. */
  args?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
  headers?: Readonly<Record<string, string>>;
  output_schema?: Readonly<Record<string, unknown>>;
}

/** The keys of an entry; `timeout` in seconds, 0 for the default. */
interface Options {
  api_config: Api;
  timeout?: number;
  allow_private_ips?: boolean;
}

const PLACEHOLDER = /\$\{(\w+)\}/g;

/** `api`: one HTTP call as a tool. */
export function create({ api_config: declared, timeout, allow_private_ips: allowPrivate = false }: Options): Toolset {
  return { tools: [apiTool(declared, timeout || DEFAULT_HTTP_TIMEOUT, allowPrivate)] };
}

function apiTool(declared: Api, timeoutSeconds: number, allowPrivate: boolean): Tool {
  const { name, required = [], headers = {} } = declared;
  const args = Object.fromEntries(
    Object.entries(declared.args ?? {}).filter((arg): arg is [string, JsonObject] => isJsonObject(arg[1])),
  );
  const method = declared.method.toUpperCase();
  if (!isHttpMethod(method))
    throw new ConfigError(`api_config.method: ${JSON.stringify(method)} is not an HTTP method`);
  const outputSchema = isJsonObject(declared.output_schema) ? declared.output_schema : undefined;
  const parameters: JsonObject = { type: "object", properties: args, required, additionalProperties: false };
  return defineTool({
    name,
    title: name,
    description: describeOutput(declared.instruction ?? `Calls ${method} ${declared.endpoint}`, outputSchema),
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
