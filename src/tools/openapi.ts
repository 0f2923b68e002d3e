import type { Env } from "../lib/env.ts";
import { ConfigError, errorText } from "../lib/errors.ts";
import { isJsonObject, isObject, type JsonObject } from "../lib/json.ts";
import { guardedFetch, readAtMost } from "../lib/network/guarded-fetch.ts";
import { parseYaml } from "../lib/platform.ts";
import { repairArguments } from "./arguments.ts";
import { errorResult } from "./checked-tool.ts";
import { callHttp, DEFAULT_HTTP_TIMEOUT, declaredArguments, type HttpCall, urlPart } from "./http/http-call.ts";
import { isReadMethod } from "./http/http-methods.ts";
import { type Operation, operationsOf, serverOf } from "./openapi/operations.ts";
import { defineTool, type Tool, type Toolset, type ToolsetContext } from "./tool.ts";

const DOCUMENT_LIMIT = 16 * 1024 * 1024;

type Settings = Pick<HttpCall, "headers" | "timeoutSeconds" | "allowPrivate" | "maxBytes">;

/** The keys of an entry; `timeout` in seconds, 0 for the default; `max_output_bytes` 0 for no limit of its own. */
interface Options {
  url: string;
  headers?: Readonly<Record<string, string>>;
  timeout?: number;
  allow_private_ips?: boolean;
  max_output_bytes?: number;
}

/**
 * `openapi`: the operations of an OpenAPI document as tools. Throws a {@link ConfigError} if the document cannot be
 * loaded.
 */
export async function create(options: Options, { env }: ToolsetContext): Promise<Toolset> {
  const { url, headers = {}, timeout, allow_private_ips: allowPrivate = false } = options;
  const settings: Settings = {
    headers,
    timeoutSeconds: timeout || DEFAULT_HTTP_TIMEOUT,
    allowPrivate,
    maxBytes: options.max_output_bytes,
  };
  try {
    const document = await loadDocument(new URL(url), settings, env);
    const server = serverOf(document, new URL(url));
    return { tools: operationsOf(document).map((operation) => operationTool(operation, server, settings)) };
  } catch (error) {
    throw new ConfigError(`url: ${url}: ${errorText(error)}`, { cause: error });
  }
}

async function loadDocument(url: URL, settings: Settings, env: Env): Promise<JsonObject> {
  const { headers, timeoutSeconds, allowPrivate } = settings;
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  const answer = await guardedFetch(url, { ownHeaders: headers, allowPrivate, env, signal });
  if (answer.kind !== "response") throw new ConfigError(answer.reason);
  if (!answer.response.ok) throw new ConfigError(`status ${answer.response.status}`);
  const { bytes, truncated } = await readAtMost(answer.response, DOCUMENT_LIMIT);
  if (truncated) throw new ConfigError(`the document is larger than ${DOCUMENT_LIMIT} bytes`);
  const document = parse(new TextDecoder().decode(bytes));
  if (isJsonObject(document) && isObject(document["paths"])) return document;
  throw new ConfigError("not an OpenAPI document");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text); // JSON and YAML are both usual; the second error is the one to show
  }
}

function operationTool(operation: Operation, server: URL, settings: Settings): Tool {
  const { name, description, method, parameters } = operation;
  return defineTool({
    name,
    title: name,
    description,
    category: "openapi",
    readOnly: isReadMethod(method),
    parameters,
    run: (input, context) =>
      errorResult(() => {
        const names = [...operation.targets.keys()];
        const given = declaredArguments(repairArguments(input, parameters), names, operation.required);
        const body = bodyOf(operation, given);
        const call: HttpCall = { ...settings, url: urlOf(operation, server, given), method };
        return callHttp(body === undefined ? call : { ...call, body }, context);
      }),
  });
}

function urlOf({ path, targets }: Operation, server: URL, given: Readonly<Record<string, unknown>>): URL {
  const filled = path.replace(/\{([^{}]+)\}/g, (_whole, name: string) => urlPart(name, given[name] ?? ""));
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/$/, "")}${filled}`;
  for (const [argument, { place, name }] of targets) {
    if (place !== "query" || !(argument in given)) continue;
    for (const value of [given[argument]].flat()) {
      url.searchParams.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
    }
  }
  return url;
}

function bodyOf({ targets }: Operation, given: Readonly<Record<string, unknown>>): unknown {
  const parts = Object.entries(given).flatMap(([argument, value]) => {
    const target = targets.get(argument);
    return target?.place === "body" || target?.place === "whole body" ? [{ ...target, value }] : [];
  });
  const whole = parts.find(({ place }) => place === "whole body");
  if (whole) return whole.value;
  return parts.length > 0 ? Object.fromEntries(parts.map(({ name, value }) => [name, value])) : undefined;
}
