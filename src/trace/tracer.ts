/**
 * Spans of what a run does, their context in headers and variables, and the file and the collector that they go to.
 *
 * @packageDocumentation
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { errorText } from "../lib/errors.ts";
import { REDACTION_MARK } from "../lib/secrets/redaction-mark.ts";
import type { TraceContext } from "./context.ts";
import { ATTRIBUTES } from "./names.ts";
import type { Sampler } from "./sampler.ts";
import { now, Span, type SpanStart } from "./span.ts";

const CONVERSATION = ATTRIBUTES.conversation;

/** Where finished spans go. Neither method throws. */
export interface SpanSink {
  export(spans: readonly Span[]): void;
  /** Delivers the remaining spans; gives up after `limitMs` milliseconds. */
  close(limitMs: number): Promise<void>;
}

/** Replaces the secrets in a text. */
export type Redact = (text: string) => string;

export interface TracerOptions {
  sinks: readonly SpanSink[];
  sampler: Sampler;
  /** True if spans hold the content of messages, calls and hook inputs. */
  capturesContent: boolean;
  /** Loads the search for secrets, which a span without free text does not need. */
  loadRedactor: () => Promise<Redact>;
  /** The context that the process was started with; the parent of every span that has no other. */
  parent: TraceContext | undefined;
  /** True if spans without a parent share one trace, as those of a run. */
  sharesTrace: boolean;
}

/** Makes the spans of a process and knows the current one. */
export class Tracer {
  readonly #options: TracerOptions;
  readonly #current = new AsyncLocalStorage<Span | TraceContext>();
  #redact: Redact | undefined;
  #loading: Promise<void> | undefined;
  #sharedTrace: { traceId: string; isSampled: boolean } | undefined;

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  /** The span that the running code belongs to. */
  get current(): Span | undefined {
    const current = this.#current.getStore();
    return current instanceof Span ? current : undefined;
  }

  /** The context that requests and processes of the running code belong to. */
  get context(): TraceContext | undefined {
    const current = this.#current.getStore() ?? this.#options.parent;
    return current instanceof Span ? current.place.context : current;
  }

  /** Begins a span below the current one, or below `parent`. */
  start(start: SpanStart, parent: Span | undefined = this.current): Span {
    const remote = parent ? undefined : this.context;
    const above = parent?.place.context ?? remote;
    const spanId = randomId(8);
    const { traceId, isSampled } = above ? this.#decided(above, remote) : this.#newTrace();
    const state = above?.state === undefined ? {} : { state: above.state };
    const context = { traceId, spanId, isSampled, ...state };
    const span = new Span(start, { context, parent, parentSpanId: above?.spanId }, this.#options.capturesContent);
    // Every span names its session, so that a session can be found without its whole trace.
    if (!span.attributes.has(CONVERSATION)) span.set(CONVERSATION, parent?.attributes.get(CONVERSATION));
    return span;
  }

  /** Ends spans that belong together, and exports them: immediately, unless the search for secrets must be loaded. */
  end(...spans: readonly Span[]): void {
    for (const span of spans) span.endedAt ||= Math.max(now(), span.startedAt);
    if (this.#redact || !spans.some(({ mayHoldSecrets }) => mayHoldSecrets)) return this.#export(spans);
    this.#loading = Promise.all([this.#loading, this.#loadRedactor()]).then(() => this.#export(spans));
  }

  /** Runs work as part of a span, or of the trace of another process. */
  within<T>(parent: Span | TraceContext, work: () => T): T {
    return this.#current.run(parent, work);
  }

  /** Runs work in a span of its own, which ends with it. An error that it throws marks the span as failed. */
  async run<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    const span = this.start(start);
    try {
      return await this.within(span, () => work(span));
    } catch (error) {
      if (!span.attributes.has(ATTRIBUTES.errorType))
        span.fail(error instanceof Error ? error.name : "_OTHER", errorText(error));
      throw error;
    } finally {
      this.end(span);
    }
  }

  /** Delivers the remaining spans; gives up after `limitMs` milliseconds. Never throws. */
  async close(limitMs: number): Promise<void> {
    await this.#loading;
    await Promise.all(this.#options.sinks.map((sink) => sink.close(limitMs)));
  }

  #export(spans: readonly Span[]): void {
    for (const span of spans) span.clean(this.#redact ?? withheld);
    for (const sink of this.#options.sinks) sink.export(spans);
  }

  async #loadRedactor(): Promise<void> {
    this.#redact ??= await this.#options.loadRedactor().catch(() => withheld);
  }

  #decided({ traceId, isSampled }: TraceContext, remote: TraceContext | undefined) {
    return { traceId, isSampled: remote ? this.#options.sampler(traceId, remote) : isSampled };
  }

  #newTrace(): { traceId: string; isSampled: boolean } {
    if (this.#options.sharesTrace && this.#sharedTrace) return this.#sharedTrace;
    const traceId = randomId(16);
    return (this.#sharedTrace = { traceId, isSampled: this.#options.sampler(traceId, undefined) });
  }
}

/** Replaces a redactor that could not be loaded. */
function withheld(): string {
  return REDACTION_MARK;
}

/** Random bytes as hexadecimal digits; never all zero. */
function randomId(bytes: number): string {
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
  return /^0+$/.test(id) ? randomId(bytes) : id;
}
