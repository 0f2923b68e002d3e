import { processEnv } from "../lib/env.ts";
import { ConfigError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { memoizeEach } from "../lib/once.ts";
import { rejectOnAbort } from "../lib/settle-within.ts";
import { APIS } from "./apis.ts";
import { remedyFor } from "./calls/remedy.ts";
import type { AdapterOptions, ModelCall } from "./calls/stream-reply.ts";
import { tracedCall } from "./calls/trace-call.ts";
import type { Fetch } from "./calls/transport.ts";
import { withoutCredentials } from "./catalog/base-url.ts";
import type { VariableLookup } from "./catalog/expand-variables.ts";
import { contextWindow } from "./catalog/families.ts";
import { type ResolvedModel, resolveModel } from "./catalog/resolve.ts";
import type { ModelSpec, ProviderSpecs } from "./catalog/spec.ts";
import { mediaRules, replaceUnsupportedMedia } from "./messages/media.ts";
import type { Block, Message, ToolCallBlock } from "./messages/message.ts";
import { type Model, ModelError } from "./model.ts";
import { settingNotes } from "./setting-notes.ts";

/** The dependencies of a model besides its own settings. */
export interface ModelDeps {
  /** Looks up API keys and the variables in URLs. */
  env: VariableLookup;
  /** Replaces the global `fetch`: a recorder or a replay. */
  fetch?: Fetch | undefined;
  /** True for a replay: no key is needed, and nothing contacts the network. */
  offline?: boolean | undefined;
  /** The `providers` of the agent file. */
  providers?: ProviderSpecs | undefined;
  log: (level: "debug" | "warn", message: string) => void;
  /** Milliseconds without data after which a call fails; five minutes if absent. */
  idleTimeoutMs?: number | undefined;
}

const IDLE_TIMEOUT_MS = 5 * 60_000;

/**
 * Creates the model that a configuration describes. A missing key makes the first call fail, so callers check
 * `missingVariables` before a run. Throws a {@link ConfigError} for settings that can never work.
 */
export function createModel(spec: ModelSpec, deps: ModelDeps): Model {
  const resolved = resolveModel(spec, deps.env, deps.providers);
  checkSettings(resolved);
  const options: AdapterOptions = {
    fetch: deps.fetch ?? ((input, init) => fetch(input, init)),
    idleTimeoutMs: deps.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    contextLimit: contextWindow(resolved.family, resolved.spec.provider_opts),
    log: deps.log,
  };
  const id = `${resolved.provider}/${resolved.model}`;
  const { baseUrlVariable } = resolved;
  const address = baseUrlVariable && `${withoutCredentials(resolved.baseUrl)} (${baseUrlVariable})`;
  if (address) deps.log("debug", `${id}: requests go to ${address}`);
  const media = mediaRules(resolved);
  let prepared: Promise<Target> | undefined;
  return {
    id,
    provider: resolved.provider,
    contextLimit: options.contextLimit,
    media,
    address,
    remedyFor: (error) => remedyFor(resolved, error),
    async stream(request, onDelta) {
      request.signal.throwIfAborted();
      if (resolved.missing.length > 0 && !deps.offline) {
        throw new ModelError(`${id}: not set: ${resolved.missing.join(", ")}`);
      }
      prepared ??= prepare({ model: resolved, options }, deps);
      const target = await rejectOnAbort(prepared, request.signal);
      const adapter = await APIS[target.model.api].load();
      const messages = replaceUnsupportedMedia(withValidArguments(request.messages), media, resolved.model);
      const call = { ...target, request: { ...request, messages }, onDelta };
      return tracedCall(call, (heard) => adapter({ ...call, onDelta: heard }));
    },
  };
}

/** The resolved model and the options of its calls. */
type Target = Pick<ModelCall, "model" | "options">;

/** Finds and configures Docker Model Runner, which has no fixed address. Other models are returned as they are. */
async function prepare(target: Target, deps: ModelDeps): Promise<Target> {
  const { model, options } = target;
  if (!model.row.isLocalEngine || deps.offline) return target;
  const { configureDmr } = await import("./dmr/configure-dmr.ts");
  const { findDmr, isInContainer, viaSocket } = await import("./dmr/find-dmr.ts");
  const host = deps.env("MODEL_RUNNER_HOST");
  const env = { ...processEnv(), ...(host ? { MODEL_RUNNER_HOST: host } : {}) };
  // Uses the global `fetch`, so that a recording holds only model calls.
  const endpoint = model.hasCustomBaseUrl
    ? { baseUrl: model.baseUrl }
    : await findDmr({ env, inContainer: isInContainer(), fetch });
  await configureDmr(model, endpoint, fetch, deps.log);
  return {
    model: { ...model, baseUrl: endpoint.baseUrl },
    options: { ...options, fetch: (input, init) => options.fetch(input, { ...init, ...viaSocket(endpoint.unix) }) },
  };
}

/** Throws the problems that `hooksh validate` reports at the entry of the model. */
function checkSettings(resolved: ResolvedModel): void {
  const problem = settingNotes(resolved).find(({ isFatal }) => isFatal);
  if (!problem) return;
  throw new ConfigError(`${resolved.provider}/${resolved.model}: ${problem.path.join(".")}: ${problem.message}`);
}

/**
 * Replaces tool call arguments that are not JSON objects by `{}`. Many servers parse the arguments of earlier calls and
 * would refuse every later request of the conversation. The result of such a call tells the model about its error.
 * Returns the same message if nothing is replaced.
 */
const withValidArguments = memoizeEach((message: Message): Message => {
  const blocks = message.blocks.map((block): Block => (block.type === "tool_call" ? readable(block) : block));
  return blocks.every((block, place) => block === message.blocks[place]) ? message : { ...message, blocks };
});

function readable(call: ToolCallBlock): ToolCallBlock {
  if (call.arguments.trim() === "") return { ...call, arguments: "{}" };
  if (isJsonObject(call.arguments)) return call;
  const { origin: _signed, ...rest } = call;
  return { ...rest, arguments: "{}" };
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false; // malformed JSON
  }
}
