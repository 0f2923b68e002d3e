import { isObject } from "../../lib/json.ts";
import { checkUrl } from "../http/check-url.ts";
import { isHttpMethod, METHODS } from "../http/http-methods.ts";
import type { EntryReport } from "../toolset-row.ts";
import { toolNameProblem } from "../valid-name.ts";

interface ApiEntry {
  api_config: {
    name: string;
    endpoint: string;
    method: string;
    args?: Readonly<Record<string, unknown>>;
    required?: readonly string[];
  };
}

/** Reports errors in `api_config`: an invalid name, URL or method, and arguments that are not declared. */
export function checkApi(
  { api_config: { name, endpoint, method, args = {}, required = [] } }: ApiEntry,
  report: EntryReport,
): void {
  const at = (...path: (string | number)[]) => ["api_config", ...path];
  const problem = toolNameProblem(name);
  if (problem !== undefined) report.problem(at("name"), problem);
  checkUrl(at("endpoint"), endpoint, report);
  const unknown = (arg: string) => `${JSON.stringify(arg)} is not declared under args`;
  for (const [, arg = ""] of endpoint.matchAll(/\$\{(\w+)\}/g)) {
    if (!Object.hasOwn(args, arg)) report.problem(at("endpoint"), unknown(arg));
  }
  if (!isHttpMethod(method.toUpperCase()))
    report.problem(at("method"), `expected one of ${METHODS.join(", ")} but got ${JSON.stringify(method)}`);
  for (const [arg, schema] of Object.entries(args)) {
    if (!isObject(schema)) report.problem(at("args", arg), "expected a JSON Schema");
  }
  for (const [index, arg] of required.entries()) {
    if (!Object.hasOwn(args, arg)) report.problem(at("required", index), unknown(arg));
  }
}
