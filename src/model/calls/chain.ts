import { pause } from "../../lib/settle-within.ts";
import { roundedDuration } from "../../lib/text/duration.ts";
import { mediaSentTo } from "../messages/media.ts";
import { isOverflow, type Model, type ModelDelta, ModelError, type ModelRequest, type Reply } from "../model.ts";

/** A change to another model. */
export interface FallbackNotice {
  failed_model: string;
  fallback_model: string;
  reason: string;
  /** The attempt that begins now, counted over the whole chain from 1, and how many there can be so far. */
  attempt: number;
  max_attempts: number;
}

/** A wait for a provider that limits the rate or is overloaded. */
export interface WaitNotice {
  /** The model that is asked again after the wait. */
  model: string;
  /** What the provider said, such as `HTTP 429: slow down`. */
  reason: string;
  /** HTTP status; 0 if the provider said it inside a stream. */
  status: number;
  /** How long this wait lasts. */
  wait_ms: number;
  /** How long the call has waited before, and how long it may wait in all. */
  waited_ms: number;
  max_wait_ms: number;
}

/** How a chain retries. */
export interface ChainOptions {
  /** Tried in order after the model of a call. */
  fallbacks?: readonly Model[] | undefined;
  /** Retries for every model; 0 or undefined is 2, a negative number is none. */
  retries?: number | undefined;
  /** How long a fallback that answered goes first; 0 or undefined is one minute. */
  cooldownMs?: number | undefined;
  /**
   * The longest time that one call waits for busy providers, in one wait or several. 0 never waits. When absent, a wait
   * lasts at most two minutes and all of them five.
   */
  maxWaitMs?: number | undefined;
  /** Reports waits and does not make them: a replay answers at once. */
  skipsWaits?: boolean | undefined;
  /** The first pause before a retry in milliseconds, doubled for every further one; 200 when absent. */
  backoffMs?: number | undefined;
  /** The first wait for a provider that does not say how long, doubled for every further one; 2000 when absent. */
  firstWaitMs?: number | undefined;
}

/** What one call of a chain tells its caller. */
export interface ChainListener {
  onDelta(delta: ModelDelta): void;
  /** A new attempt begins after one that failed: what it streamed is void. */
  onRestart?(model: Model): void;
  onFallback?(notice: FallbackNotice): void;
  /** Every model of the chain has failed, and a busy one is tried again after a wait that begins now. */
  onWait?(notice: WaitNotice): void;
}

/** Calls a model, and its fallbacks if it fails. It remembers across calls which fallback answered. */
export interface ModelChain {
  /**
   * Makes one call with retries, fallbacks and waits, and resolves with the reply and the model that gave it. Throws the
   * signal's reason when aborted, also during a pause, else a {@link ModelError} whose message is for the user.
   */
  call(primary: Model, request: ModelRequest, listener: ChainListener): Promise<{ reply: Reply; model: Model }>;
}

const BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 2000;
const COOLDOWN_MS = 60_000;
const RETRIES = 2;

const FIRST_WAIT_MS = 2000;
/** A provider that does not say how long is asked again at least this often. */
const MAX_BLIND_WAIT_MS = 60_000;
const MAX_WAIT_MS = 2 * 60_000;
const MAX_TOTAL_WAIT_MS = 5 * 60_000;

/**
 * Makes a chain. A failed call is retried if it may succeed at once; then the fallbacks are tried; then the chain waits
 * for the models that are busy, and tries these again.
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
      // The fallback goes first for a while if a retry would not have helped the primary.
      if (answer.model !== primary && own && !own.retryable) {
        const until = performance.now() + (options.cooldownMs || COOLDOWN_MS);
        stickyFallbacks.set(primary.id, { model: answer.model, until });
      }
      return answer;
    },
  };
}

/** A fallback that is asked before its primary until a time of `performance.now()`. */
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
  /** The last failure of every model that failed. */
  readonly failures = new Map<Model, ModelError>();
  readonly #models: readonly Model[];
  readonly #parts: CallParts;
  readonly #retries: number;
  readonly #waits: Waits;
  #failed: Model | undefined;
  #attempts = 0;
  #maxAttempts = 0;

  constructor(models: readonly Model[], parts: CallParts) {
    const { retries } = parts.options;
    this.#models = models;
    this.#parts = parts;
    this.#retries = !retries ? RETRIES : Math.max(0, retries);
    this.#waits = new Waits(parts.options);
  }

  /** Tries every model, then the busy ones again after a wait, for as long as there are any and the waits allow it. */
  async run(): Promise<{ reply: Reply; model: Model }> {
    const { request, listener, options } = this.#parts;
    let candidates = this.#models;
    for (;;) {
      this.#maxAttempts += candidates.length * (1 + this.#retries);
      for (const model of candidates) {
        const reply = await this.#ask(model);
        if (reply) return { reply, model };
      }
      const wait = this.#waits.next(this.failures);
      if (typeof wait === "string") throw finalError(this.failures, this.#models.length, wait);
      listener.onWait?.(wait);
      await pause(options.skipsWaits ? 0 : wait.wait_ms, request.signal);
      candidates = this.#models.filter((model) => this.failures.get(model)?.isBusy);
    }
  }

  /** Asks a model, with retries. Undefined if it failed; throws for a failure that no other model mends. */
  async #ask(model: Model): Promise<Reply | undefined> {
    const { request, listener, options } = this.#parts;
    this.#reportSwitch(model);
    for (let retry = 0; ; retry++) {
      if (this.#attempts++ > 0) listener.onRestart?.(model);
      const outcome = await attemptCall(model, request, listener);
      if (!(outcome instanceof ModelError)) return outcome;
      if (isOverflow(outcome) || refusesMedia(outcome, model, request))
        throw finalError(new Map([[model, outcome]]), 1);
      this.failures.set(model, outcome);
      this.#failed = model;
      if (retry >= this.#retries || !this.#isWorthRetrying(outcome)) return undefined;
      await pause(backoff(retry, options.backoffMs ?? BACKOFF_MS, outcome.retryAfterMs), request.signal);
    }
  }

  #reportSwitch(model: Model): void {
    if (!this.#failed || this.#failed === model) return;
    this.#parts.listener.onFallback?.({
      failed_model: this.#failed.id,
      fallback_model: model.id,
      reason: this.failures.get(this.#failed)?.message ?? "",
      attempt: this.#attempts + 1,
      max_attempts: this.#maxAttempts,
    });
  }

  /** False for a failure that only a wait can mend. */
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

  /** Returns the wait for the busy model that is ready first, or why there is no wait: an empty text if no model is busy. */
  next(failures: ReadonlyMap<Model, ModelError>): WaitNotice | string {
    const busy = [...failures].filter(([, { isBusy }]) => isBusy);
    const [first] = busy
      .map(([model, error]) => ({ model, error, ms: this.#lengthFor(error) }))
      .toSorted((a, b) => a.ms - b.ms);
    if (!first || this.#total <= 0) return "";
    const { retryAfterMs = 0 } = first.error;
    if (retryAfterMs > this.#longest) {
      const [asked, longest] = [retryAfterMs, this.#longest].map(roundedDuration);
      return `the provider asks to wait ${asked}, and hooksh waits at most ${longest}; ${ADVICE}`;
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

  /** As long as the provider asked for, and longer with every wait, because what it asked for may be too short. */
  #lengthFor({ retryAfterMs }: ModelError): number {
    const blind = Math.min(MAX_BLIND_WAIT_MS, this.#first * 2 ** this.#count);
    if (retryAfterMs === undefined) return Math.round(Math.min(blind * (0.9 + Math.random() * 0.2), this.#longest));
    return Math.ceil(Math.max(retryAfterMs, blind / 4) + Math.random() * this.#first * 0.1);
  }
}

const ADVICE = "try again later, raise fallback.max_wait, or name other models in fallback.models";

/** The reply, or the failure as a value. Throws the signal's reason, and any error that is not a {@link ModelError}. */
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

/** The model, then its fallbacks; a sticky fallback goes before all. */
function orderModels(primary: Model, fallbacks: readonly Model[], sticky: StickyFallback | undefined): Model[] {
  const models = [primary, ...fallbacks];
  if (!sticky || performance.now() >= sticky.until) return models;
  return [sticky.model, ...models.filter((model) => model !== sticky.model)];
}

/** True if the provider blames a file of the request: the same model may answer without it. */
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
  "a wait does not help: a daily limit, the quota or the credit is used up; raise it, or use another model";

/** The error a user sees when no model answered. `why` says why no wait follows. */
function finalError(failures: ReadonlyMap<Model, ModelError>, models: number, why = ""): ModelError {
  const last = [...failures.values()].at(-1);
  if (!last) return new ModelError("model failed: no model to ask");
  const isUsedUp = last.code === "rate_limited" && !last.isBusy;
  const remedy = REMEDIES[last.code] ?? (why || (isUsedUp ? USED_UP_REMEDY : ""));
  const text =
    models === 1 ? last.message : [...failures].map(([model, { message }]) => `${model.id}: ${message}`).join("; ");
  const message = `${models === 1 ? "model failed" : "all models failed"}: ${text}${remedy ? ` (${remedy})` : ""}`;
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

/** 200 ms, doubled up to 2 s, give or take a tenth; at least what the provider asked for. */
function backoff(retry: number, first: number, retryAfterMs = 0): number {
  return Math.max(Math.min(MAX_BACKOFF_MS, first * 2 ** retry) * (0.9 + Math.random() * 0.2), retryAfterMs);
}
