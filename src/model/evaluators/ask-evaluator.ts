import { ConfigError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { readAtMost } from "../../lib/network/guarded-fetch.ts";
import { rememberSecret } from "../../lib/secrets/known-secrets.ts";
import { cutBytes } from "../../lib/text/cut-text.ts";
import type { Fetch } from "../calls/transport.ts";
import { baseUrlFromVariable } from "../catalog/base-url.ts";
import { computeCost, type Prices } from "../catalog/cost.ts";
import { expandVariables, type VariableLookup } from "../catalog/expand-variables.ts";
import { type Evaluation, type EvaluatorDefinition, EvaluatorError, type EvaluatorReply } from "./evaluator.ts";
import { EVALUATOR_APIS } from "./providers.ts";
import { type ReportedUsage, readAnswer, readEnvelope, readUsage } from "./read-reply.ts";

/** The largest reply in bytes. */
const REPLY_LIMIT = 1024 * 1024;

/** The longest name of a model in bytes: it is shown, logged and stored. */
const MODEL_LIMIT = 200;

/** The longest delay of a timer in milliseconds. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** What requests to evaluators need besides the definition. */
export interface EvaluatorDeps {
  /** Looks up keys and the variables in URLs. */
  env: VariableLookup;
  /** Replaces the global `fetch`: a recorder or a replay. */
  fetch?: Fetch | undefined;
  /** True for a replay: no key is needed. */
  offline?: boolean | undefined;
}

/** An evaluator as its request is sent. */
interface Target {
  url: string;
  model: string;
  key: string;
  /** False if another endpoint than the service's own is configured. */
  isOwnEndpoint: boolean;
}

/**
 * Asks an evaluator about a state: one request, without a retry or a redirect. `account` is called once for every request
 * that was sent, before the reply is judged. Throws an {@link EvaluatorError}, also once the signal aborts or the
 * evaluator's own timeout has passed.
 */
export async function askEvaluator(
  definition: EvaluatorDefinition,
  state: JsonObject,
  { env, fetch: send = fetch, offline = false }: EvaluatorDeps,
  { signal, account }: { signal: AbortSignal; account: (evaluation: Evaluation) => void },
): Promise<EvaluatorReply> {
  const api = EVALUATOR_APIS[definition.provider];
  const target = targetOf(definition, env, offline);
  const body = JSON.stringify(api.body(target.model, definition, state));
  const known: { model: string; usage: ReportedUsage } = { model: target.model, usage: {} };
  const timeout = AbortSignal.timeout(Math.min(definition.timeoutMs, LONGEST_TIMEOUT));
  let isSent = true;
  try {
    if (signal.aborted) throw new UnsentError();
    const { text, status } = await exchange(target, body, send, AbortSignal.any([signal, timeout]));
    if (status !== 200) throw new EvaluatorError(`evaluator returned HTTP status ${status}`);
    const { model, usage, answers } = readEnvelope(text);
    if (model.trim() === "") throw new EvaluatorError("evaluator response is missing the model");
    known.model = cutBytes(model, MODEL_LIMIT);
    known.usage = readUsage(usage);
    return { model: known.model, answer: readAnswer(api, definition, answers) };
  } catch (error) {
    isSent = !(error instanceof UnsentError);
    throw error;
  } finally {
    const prices = definition.cost ?? (target.isOwnEndpoint ? api.prices[known.model] : undefined);
    if (isSent) account(evaluationOf(definition.name, known, prices));
  }
}

/** A request that certainly did not reach the service. */
class UnsentError extends EvaluatorError {
  constructor() {
    super("evaluator request failed");
  }
}

const UNSENT_CODES = ["ECONNREFUSED", "ConnectionRefused", "ENOTFOUND", "FailedToOpenSocket"];

/** Returns the unset variables that requests to an evaluator need. */
export function missingEvaluatorVariables(
  { model, endpoint, tokenKey }: Pick<EvaluatorDefinition, "model" | "endpoint" | "tokenKey">,
  env: VariableLookup,
): string[] {
  const missing = [model, endpoint].flatMap((text) => expandVariables(text, env).missing);
  return [...new Set([...missing, ...(env(tokenKey)?.trim() ? [] : [tokenKey])])];
}

/** True for a URL to which a state and a key may be sent. */
export function isEndpoint(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === "" && password === "" && !/[?#]/.test(url);
}

function targetOf(definition: EvaluatorDefinition, env: VariableLookup, offline: boolean): Target {
  const { provider, model, endpoint, tokenKey } = definition;
  const key = env(tokenKey)?.trim() ?? "";
  if (key === "" && !offline) throw new EvaluatorError("evaluator API key is missing");
  rememberSecret(key);
  const missing = missingEvaluatorVariables(definition, env).filter((name) => name !== tokenKey);
  if (missing.length > 0) throw new EvaluatorError(`not set: ${missing.join(", ")}`);
  const { baseUrl, path } = EVALUATOR_APIS[provider];
  const base = baseUrlOf(definition, env)?.replace(/\/+$/, "");
  const url = base === undefined ? expandVariables(endpoint, env).text : `${base}${path}`;
  if (!isEndpoint(url)) throw new EvaluatorError(ENDPOINT_PROBLEM);
  return { url, key, model: expandVariables(model, env).text, isOwnEndpoint: url === `${baseUrl}${path}` };
}

function baseUrlOf({ urlVariable, tokenKey }: EvaluatorDefinition, env: VariableLookup): string | undefined {
  try {
    return urlVariable && baseUrlFromVariable(urlVariable, env, tokenKey);
  } catch (error) {
    throw error instanceof ConfigError ? new EvaluatorError(error.message) : error;
  }
}

/** The problem of a URL that is not an endpoint. */
export const ENDPOINT_PROBLEM = "endpoint must be an HTTP(S) URL without credentials, query, or fragment";

/** Sends the request and reads the reply. The errors of `fetch` quote the URL, so none of them is passed on. */
async function exchange(
  { url, key }: Target,
  body: string,
  send: Fetch,
  signal: AbortSignal,
): Promise<{ text: string; status: number }> {
  try {
    const response = await send(url, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        Accept: "application/json",
        "User-Agent": "hooksh",
      },
      body,
      redirect: "manual",
      timeout: false,
      signal,
    } as BunFetchRequestInit);
    const { bytes, truncated } = await readAtMost(response, REPLY_LIMIT);
    if (truncated) throw new EvaluatorError("evaluator response exceeds size limit");
    return { text: decode(bytes), status: response.status };
  } catch (error) {
    if (error instanceof EvaluatorError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw UNSENT_CODES.includes(code) ? new UnsentError() : new EvaluatorError("evaluator request failed");
  }
}

/** Returns bytes as text; empty, which is no JSON, if they are not UTF-8. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "";
  }
}

function evaluationOf(
  evaluator: string,
  { model, usage: { input_tokens, output_tokens } }: { model: string; usage: ReportedUsage },
  prices: Prices | undefined,
): Evaluation {
  const usage = input_tokens === undefined || output_tokens === undefined ? undefined : { input_tokens, output_tokens };
  const cost = computeCost(usage, prices);
  return {
    id: crypto.randomUUID(),
    evaluator,
    model,
    ...(usage ? { usage } : {}),
    ...(cost === undefined ? {} : { cost }),
    created_at: new Date().toISOString(),
  };
}
