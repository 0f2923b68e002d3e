import { parseDuration } from "../../lib/text/duration.ts";
import { ENDPOINT_PROBLEM, isEndpoint } from "../../model/evaluators/ask-evaluator.ts";
import {
  EVALUATOR_TYPES,
  type EvaluatorDefinition,
  type EvaluatorProvider,
  type Evaluators,
  type EvaluatorType,
} from "../../model/evaluators/evaluator.ts";
import { EVALUATOR_APIS } from "../../model/evaluators/providers.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import type { ModelNames } from "./check-models.ts";
import type { EvaluatorConfig } from "./evaluator-schema.ts";

const DEFAULT_TIMEOUT_MS = 10_000;

class EvaluatorKeyError extends Error {
  readonly key: keyof EvaluatorConfig | undefined;

  constructor(message: string, key?: keyof EvaluatorConfig) {
    super(message);
    this.key = key;
  }
}

/** Returns the evaluators of a file with the settings of their providers, and reports those that are invalid. */
export function checkEvaluators(
  configured: Readonly<Record<string, EvaluatorConfig>>,
  names: ModelNames,
  report: ProblemReport,
): Evaluators {
  const definitions = Object.entries(configured).flatMap(([name, config]): [string, EvaluatorDefinition][] => {
    try {
      const definition = { name, ...define(config, names) };
      if (definition.type === "score")
        report.notice("advice", ["evaluators", name, "type"], "valid, but no hook can use a score");
      return [[name, definition]];
    } catch (error) {
      if (!(error instanceof EvaluatorKeyError)) throw error;
      const { key, message } = error;
      const printedPath = ["evaluators", name];
      report.problems.push({ path: key === undefined ? printedPath : [...printedPath, key], printedPath, message });
      return [];
    }
  });
  return Object.fromEntries(definitions);
}

function define(config: EvaluatorConfig, names: ModelNames): Omit<EvaluatorDefinition, "name"> {
  const { provider, model, base_url, token_key, cost } = serviceOf(config, names);
  const api = EVALUATOR_APIS[provider];
  const question = questionOf(config);
  const timeoutMs = timeoutOf(config.timeout);
  const endpoint = config.endpoint || `${(base_url || api.baseUrl).replace(/\/+$/, "")}${api.path}`;
  for (const key of ["base_url", "endpoint"] as const) if (config[key]) checkUrl(config[key], key);
  checkUrl(endpoint, "provider");
  return {
    provider,
    model,
    ...question,
    endpoint,
    ...(config.endpoint || base_url || !api.urlVariable ? {} : { urlVariable: api.urlVariable }),
    tokenKey: token_key || api.tokenKey,
    timeoutMs,
    cost,
  };
}

type Service = Pick<EvaluatorConfig, "base_url" | "token_key" | "cost"> & {
  provider: EvaluatorProvider;
  model: string;
};

function serviceOf(config: EvaluatorConfig, names: ModelNames): Service {
  const {
    provider: named,
    model,
    base_url,
    token_key,
    cost,
  } = config.provider ? { ...config, provider: config.provider } : modelOf(config, names);
  if (!named || !model?.trim()) throw new EvaluatorKeyError("provider and model are required");
  const entry = Object.hasOwn(names.providers, named) ? names.providers[named] : undefined;
  const provider = entry ? (entry.provider ?? "openai") : named;
  if (!Object.hasOwn(EVALUATOR_APIS, provider))
    throw new EvaluatorKeyError(`unsupported evaluator provider ${JSON.stringify(provider)}`, "provider");
  if (entry?.auth !== undefined || entry?.api_type !== undefined)
    throw new EvaluatorKeyError("evaluator providers do not support auth or api_type", "provider");
  return {
    provider: provider as EvaluatorProvider,
    model,
    base_url: base_url || entry?.base_url || "",
    token_key: token_key || entry?.token_key || "",
    ...(cost ? { cost } : {}),
  };
}

/** Without a provider, `model` is an entry of `models` or `provider/model`. The evaluator's own settings win. */
function modelOf(config: EvaluatorConfig, { models }: ModelNames) {
  const { model: text = "" } = config;
  const named = Object.hasOwn(models, text) ? models[text] : undefined;
  const slash = text.indexOf("/");
  const inline = slash > 0 ? { provider: text.slice(0, slash), model: text.slice(slash + 1) } : {};
  return {
    provider: named ? named.provider : inline.provider,
    model: named ? named.model : inline.model,
    base_url: config.base_url || named?.base_url,
    token_key: config.token_key || named?.token_key,
    cost: config.cost ?? named?.cost,
  };
}

function questionOf(
  config: EvaluatorConfig,
): Pick<EvaluatorDefinition, "type" | "instructions" | "choices" | "levels"> {
  const { type: given = "", instructions = "", choices, levels } = config;
  const type = EVALUATOR_TYPES.find((one) => one === given);
  if (type === undefined)
    throw new EvaluatorKeyError(
      `unsupported evaluator type ${JSON.stringify(given)} (expected boolean, choice, or score)`,
      config.type === undefined ? undefined : "type",
    );
  if (instructions.trim() === "")
    throw new EvaluatorKeyError(
      "instructions are required",
      config.instructions === undefined ? undefined : "instructions",
    );
  checkCriteria(type, Object.keys(choices ?? {}), levels ?? []);
  return {
    type,
    instructions,
    ...(type === "choice" && choices ? { choices } : {}),
    ...(type === "score" && levels ? { levels } : {}),
  };
}

function checkCriteria(type: EvaluatorType, choices: readonly string[], levels: readonly string[]): void {
  const isBlank = (text: string) => text.trim() === "";
  if (type === "boolean" && choices.length + levels.length > 0)
    throw new EvaluatorKeyError("boolean evaluators cannot define choices or levels");
  if (type === "choice" && (choices.length < 2 || choices.length > 255 || choices.some(isBlank) || levels.length > 0))
    throw new EvaluatorKeyError("choice evaluators require 2-255 choices and no levels");
  if (type === "score" && (levels.length < 2 || levels.length > 10 || choices.length > 0))
    throw new EvaluatorKeyError("score evaluators require 2-10 levels and no choices");
}

function timeoutOf(given: EvaluatorConfig["timeout"]): number {
  const text = String(given ?? "").trim();
  if (text.startsWith("-")) throw new EvaluatorKeyError("timeout must not be negative", "timeout");
  const timeout = parseDuration(text);
  if (timeout === undefined)
    throw new EvaluatorKeyError(
      "timeout: expected a duration such as 90s, 1m30s or a whole number of seconds",
      "timeout",
    );
  return timeout || DEFAULT_TIMEOUT_MS;
}

/** Checks a URL. One with a variable is checked when it is used. */
function checkUrl(url: string, key: "base_url" | "endpoint" | "provider"): void {
  if (!url.includes("$") && !isEndpoint(url)) throw new EvaluatorKeyError(ENDPOINT_PROBLEM, key);
}
