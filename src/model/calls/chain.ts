import { pause } from "../../lib/settle-within.ts";
import { roundedDuration } from "../../lib/text/duration.ts";
import { mediaSentTo } from "../messages/media.ts";
import { isOverflow, type Model, type ModelDelta, ModelError, type ModelRequest, type Reply } from "../model.ts";

/** Reports that the chain moves on to another model. */
export interface FallbackNotice {
  failed_model: string;
  fallback_model: string;
  reason: string;
  /** The number of the attempt that starts now, counted from 1 over the whole chain, and the current maximum. */
  attempt: number;
  max_attempts: number;
}

/** Reports a wait for a provider that limits the rate or is overloaded. */
export interface WaitNotice {
  /** The model that is called again after the wait. */
  model: string;
  /** The provider's complaint, such as `HTTP 429: slow down`. */
  reason: string;
  /** HTTP status; 0 if the complaint was inside a stream. */
  status: number;
  /** The length of this wait. */
  wait_ms: number;
  /** The time that the call has already waited, and the maximum for all its waits. */
  waited_ms: number;
  max_wait_ms: number;
}

/** How a chain retries. */
export interface ChainOptions {
  /** Tried in order after the primary model. */
  fallbacks?: readonly Model[] | undefined;
  /** Retries per model. 0 or undefined means 2; a negative number means none. */
  retries?: number | undefined;
  /** Milliseconds during which a fallback that answered is tried first. 0 or undefined means one minute. */
  cooldownMs?: number | undefined;
  /**
   * Maximum time in milliseconds that one call waits for busy providers, over all waits. 0 means no wait. If absent,
   * each wait lasts at most two minutes, and all of them five.
   */
  maxWaitMs?: number | undefined;
  /** Reports waits without waiting, because a replay answers immediately. */
  skipsWaits?: boolean | undefined;
  /** Milliseconds before the first retry, doubled for each further one; 200 if absent. */
  backoffMs?: number | undefined;
  /**
   * Milliseconds of the first wait for a provider that gives no delay, doubled for each further one; 2000 if absent.
   */
  firstWaitMs?: number | undefined;
}

/** Receives the progress of one call. */
export interface ChainListener {
  onDelta(delta: ModelDelta): void;
  /** A new attempt starts after a failed one; the listener must discard what that one streamed. */
  onRestart?(model: Model): void;
  onFallback?(notice: FallbackNotice): void;
  /** Every model has failed, and a wait for a busy one starts. */
  onWait?(notice: WaitNotice): void;
}

/** Calls a model, and its fallbacks if it fails. Remembers across calls which fallback answered. */
export interface ModelChain {
  /**
   * Makes one call with retries, fallbacks and waits, and resolves with the reply and the model that gave it. Throws
   * the signal's reason when aborted, even during a pause, else a {@link ModelError} whose message is for the user.
   */
  call(primary: Model, request: ModelRequest, listener: ChainListener): Promise<{ reply: Reply; model: Model }>;
}

const BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 2000;
const COOLDOWN_MS = 60_000;
const RETRIES = 2;

const FIRST_WAIT_MS = 2000;
/** Maximum wait for a provider that gives no delay. */
const MAX_UNHINTED_WAIT_MS = 60_000;
const MAX_WAIT_MS = 2 * 60_000;
const MAX_TOTAL_WAIT_MS = 5 * 60_000;

/**
 * Creates a chain. It retries a failed call that may succeed immediately, then tries the fallbacks, then waits for the
 * models that are busy and tries them again.
 */
export function createModelChain(options: ChainOptions = {}): ModelChain {
  const fallbacks = options.fallbacks ?? [];
  const stickyFallbacks = new Map<string, StickyFallback>();
  return {
    async call(primary, request, listener) {
      const models = orderModels(primary, fallbacks, stickyFallbacks.get(primary.id));
      const call = new ChainCall(models, { request, listener, options });
      const answer = await call.run();
      const own = call.failures.get(primary);
      // After the primary's non-retryable failure, the fallback is tried first until the cooldown ends.
      if (answer.model !== primary && own && !own.retryable) {
        const until = performance.now() + (options.cooldownMs || COOLDOWN_MS);
        stickyFallbacks.set(primary.id, { model: answer.model, until });
      }
      return answer;
    },
  };
}

/** A fallback that is tried before its primary until `until`, a time of `performance.now()`. */
interface StickyFallback {
  model: Model;
  until: number;
}

interface CallParts {
  request: ModelRequest;
  listener: ChainListener;
  options: ChainOptions;
}

/** One call of a chain. */
class ChainCall {
  /** The last failure of each failed model. */
  readonly failures = new Map<Model, ModelError>();
  readonly #models: readonly Model[];
  readonly #parts: CallParts;
  readonly #retries: number;
  readonly #waits: Waits;
  /** The model that failed last, and how. */
  #failed: { model: Model; error: ModelError } | undefined;
  #attempts = 0;
  #maxAttempts = 0;

  constructor(models: readonly Model[], parts: CallParts) {
    const { retries } = parts.options;
    this.#models = models;
    this.#parts = parts;
    this.#retries = !retries ? RETRIES : Math.max(0, retries);
    this.#waits = new Waits(parts.options);
  }

  /** Tries every model, then waits and tries the busy ones again until none is left or the wait limit is reached. */
  async run(): Promise<{ reply: Reply; model: Model }> {
    const { request, listener, options } = this.#parts;
    let candidates = this.#models;
    for (;;) {
      this.#maxAttempts += candidates.length * (1 + this.#retries);
      for (const model of candidates) {
        const reply = await this.#callModel(model);
        if (reply) return { reply, model };
      }
      const wait = this.#waits.next(this.failures);
      if (typeof wait === "string") throw finalError(this.failures, this.#models.length, wait);
      listener.onWait?.(wait);
      await pause(options.skipsWaits ? 0 : wait.wait_ms, request.signal);
      candidates = this.#models.filter((model) => this.failures.get(model)?.isBusy);
    }
  }

  /**
   * Calls a model, with retries. Returns undefined if it failed; throws on a failure that would repeat with any model.
   */
  async #callModel(model: Model): Promise<Reply | undefined> {
    const { request, listener, options } = this.#parts;
    this.#reportSwitch(model);
    for (let retry = 0; ; retry++) {
      if (this.#attempts++ > 0) listener.onRestart?.(model);
      const outcome = await attemptCall(model, request, listener);
      if (!(outcome instanceof ModelError)) return outcome;
      if (isOverflow(outcome) || refusesMedia(outcome, model, request))
        throw finalError(new Map([[model, outcome]]), 1);
      this.failures.set(model, outcome);
      this.#failed = { model, error: outcome };
      if (retry >= this.#retries || !this.#isWorthRetrying(outcome)) return undefined;
      await pause(backoff(retry, options.backoffMs ?? BACKOFF_MS, outcome.retryAfterMs), request.signal);
    }
  }

  #reportSwitch(model: Model): void {
    if (!this.#failed || this.#failed.model === model) return;
    this.#parts.listener.onFallback?.({
      failed_model: this.#failed.model.id,
      fallback_model: model.id,
      reason: this.#failed.error.message,
      attempt: this.#attempts + 1,
      max_attempts: this.#maxAttempts,
    });
  }

  /** False for a failure that only a wait can resolve. */
  #isWorthRetrying({ retryable, isBusy, retryAfterMs = 0 }: ModelError): boolean {
    return retryable && retryAfterMs <= MAX_BACKOFF_MS && !(isBusy && this.#waits.hasWaited);
  }
}

/** The waits of one call. */
class Waits {
  readonly #longest: number;
  readonly #total: number;
  readonly #first: number;
  #waited = 0;
  #count = 0;

  constructor({ maxWaitMs, firstWaitMs = FIRST_WAIT_MS }: ChainOptions) {
    this.#longest = maxWaitMs ?? MAX_WAIT_MS;
    this.#total = maxWaitMs ?? MAX_TOTAL_WAIT_MS;
    this.#first = firstWaitMs;
  }

  get hasWaited(): boolean {
    return this.#count > 0;
  }

  /** Returns the wait for the busy model that is ready first, or the reason for not waiting; "" if no model is busy. */
  next(failures: ReadonlyMap<Model, ModelError>): WaitNotice | string {
    const busy = [...failures].filter(([, { isBusy }]) => isBusy);
    const [first] = busy
      .map(([model, error]) => ({ model, error, ms: this.#lengthFor(error) }))
      .toSorted((a, b) => a.ms - b.ms);
    if (!first || this.#total <= 0) return "";
    const { retryAfterMs = 0 } = first.error;
    if (retryAfterMs > this.#longest) {
      const [delay, longest] = [retryAfterMs, this.#longest].map(roundedDuration);
      return `the provider asks to wait ${delay}, and hooksh waits at most ${longest}; ${ADVICE}`;
    }
    if (this.#waited + first.ms > this.#total) {
      return `hooksh has waited ${roundedDuration(this.#waited)} for it and waits at most ${roundedDuration(this.#total)}; ${ADVICE}`;
    }
    const {
      model,
      error: { providerMessage, status },
      ms,
    } = first;
    const notice = {
      model: model.id,
      reason: providerMessage,
      status,
      wait_ms: ms,
      waited_ms: this.#waited,
      max_wait_ms: this.#total,
    };
    this.#waited += ms;
    this.#count++;
    return notice;
  }

  /** At least the provider's own delay, and longer with each wait, because that delay may be too short. */
  #lengthFor({ retryAfterMs }: ModelError): number {
    const unhinted = Math.min(MAX_UNHINTED_WAIT_MS, this.#first * 2 ** this.#count);
    if (retryAfterMs === undefined) return Math.round(Math.min(unhinted * (0.9 + Math.random() * 0.2), this.#longest));
    return Math.ceil(Math.max(retryAfterMs, unhinted / 4) + Math.random() * this.#first * 0.1);
  }
}

const ADVICE = "try again later, raise fallback.max_wait, or name other models in fallback.models";

/**
 * Returns the reply, or the failure as a value. Throws the signal's reason, and any error other than {@link
 * ModelError}.
 */
async function attemptCall(model: Model, request: ModelRequest, listener: ChainListener): Promise<Reply | ModelError> {
  request.signal.throwIfAborted();
  try {
    return await model.stream(request, (delta) => listener.onDelta(delta));
  } catch (error) {
    request.signal.throwIfAborted();
    if (error instanceof ModelError) return error;
    throw error;
  }
}

/** Returns the primary, then its fallbacks; a sticky fallback comes first. */
function orderModels(primary: Model, fallbacks: readonly Model[], sticky: StickyFallback | undefined): Model[] {
  const models = [primary, ...fallbacks];
  if (!sticky || performance.now() >= sticky.until) return models;
  return [sticky.model, ...models.filter((model) => model !== sticky.model)];
}

/** True if the provider blames a file that the request holds; the model may answer without it. */
function refusesMedia(error: ModelError, model: Model, { messages }: ModelRequest): boolean {
  return error.blamesMedia && mediaSentTo(model, messages).length > 0;
}

const REMEDIES: Partial<Record<ModelError["code"], string>> = {
  context_exceeded:
    "the conversation no longer fits the model's context window; compact it with /compact or start a new session",
  request_too_large: "the request is larger than the provider accepts; compact the conversation or send less at once",
  media_too_large: "an attached image or file is larger than the provider accepts; send a smaller one",
};

const USED_UP_REMEDY =
  "waiting does not help: the daily limit, quota or credit is used up; raise it or use another model";

/** Returns the error for the user if no model answered. `noWaitReason` says why the chain does not wait. */
function finalError(failures: ReadonlyMap<Model, ModelError>, models: number, noWaitReason = ""): ModelError {
  const [model, last] = [...failures].at(-1) ?? [];
  if (!model || !last) return new ModelError("model failed: no model to call");
  const remedy = REMEDIES[last.code] ?? noWaitReason;
  const text =
    models === 1
      ? withRemedy(last.message, remedy || ownRemedy(model, last))
      : withRemedy(
          [...failures]
            .map(([each, error]) => `${each.id}: ${withRemedy(error.message, ownRemedy(each, error))}`)
            .join("; "),
          remedy,
        );
  const message = `${models === 1 ? "model failed" : "all models failed"}: ${text}`;
  const { code, status, retryable, isBusy, blamesMedia, providerMessage, retryAfterMs } = last;
  return new ModelError(message, {
    code,
    status,
    retryable,
    isBusy,
    blamesMedia,
    providerMessage,
    retryAfterMs,
    cause: last,
  });
}

/** Returns what the user can do about one failure; "" if nothing is known. */
function ownRemedy(model: Model, error: ModelError): string {
  if (error.code === "rate_limited" && !error.isBusy) return USED_UP_REMEDY;
  return model.remedyFor?.(error) ?? "";
}

function withRemedy(message: string, remedy: string): string {
  return remedy ? `${message} (${remedy})` : message;
}

/** Milliseconds before a retry: doubled each time up to 2 s, varied by a tenth, and at least the provider's delay. */
export function backoff(retry: number, first: number, retryAfterMs = 0): number {
  return Math.max(Math.min(MAX_BACKOFF_MS, first * 2 ** retry) * (0.9 + Math.random() * 0.2), retryAfterMs);
}
