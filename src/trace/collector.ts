import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { errorText } from "../lib/errors.ts";
import { omitEmpty } from "../lib/json.ts";
import { optionalPackage } from "../lib/optional-package.ts";
import { settleWithin } from "../lib/settle-within.ts";
import type { ExportSettings } from "./otel-settings.ts";
import type { Resource, Scope } from "./otlp.ts";
import type { ReadableSpan } from "./readable-span.ts";
import type { Span } from "./span.ts";
import type { SpanSink } from "./tracer.ts";

/** The settings of a collector, except for the variables that the exporter reads itself. */
export interface CollectorOptions {
  settings: ExportSettings;
  resource: Resource;
  scope: Scope;
  /**
   * Ends an attempt to send after this many milliseconds, and with it the retries of the exporter; by default
   * `OTEL_EXPORTER_OTLP_TIMEOUT`.
   */
  timeoutMs: number | undefined;
  /** Receives the first failure. */
  warn: (message: string) => void;
}

/** The limits of OpenTelemetry's SDKs: a batch is sent after this many milliseconds, or with this many spans. */
const SEND_AFTER_MS = 5000;
const BATCH_SIZE = 512;
/** Spans that wait for the exporter; more are dropped. */
const MAX_WAITING = 2048;

/** Sends spans to a collector, with OpenTelemetry's own exporter, which is loaded for the first batch. */
export function openCollector(options: CollectorOptions): SpanSink {
  const collector = new Collector(options);
  return { export: (spans) => collector.add(spans), close: (limitMs) => collector.close(limitMs) };
}

class Collector {
  readonly #options: CollectorOptions;
  #waiting: Span[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> = Promise.resolve();
  #exporter: Promise<LoadedExporter> | undefined;
  #hasWarned = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  add(spans: readonly Span[]): void {
    const sampled = spans.filter(({ place }) => place.context.isSampled);
    this.#waiting.push(...sampled);
    if (this.#waiting.length > MAX_WAITING) this.#warnOnce(`more than ${MAX_WAITING} spans wait: the rest is dropped`);
    this.#waiting.length = Math.min(this.#waiting.length, MAX_WAITING);
    if (this.#waiting.length >= BATCH_SIZE) this.#sendNext();
    else this.#timer ??= setTimeout(() => this.#sendNext(), SEND_AFTER_MS);
    this.#timer?.unref();
  }

  async close(limitMs: number): Promise<void> {
    if (this.#waiting.length > 0) this.#sendNext();
    clearTimeout(this.#timer);
    const { kind } = await settleWithin(this.#sending, { ms: limitMs });
    if (kind !== "done") this.#warnOnce(`no answer within ${limitMs} ms: the last spans are lost`);
  }

  /** Sends the batch after the one before it has arrived or failed. */
  #sendNext(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(() => this.#send());
  }

  async #send(): Promise<void> {
    const batch = this.#waiting.splice(0, BATCH_SIZE);
    if (batch.length === 0) return;
    try {
      const { exporter, toReadable } = await (this.#exporter ??= load(this.#options));
      const spans = batch.map(toReadable);
      await new Promise<void>((resolve, reject) => {
        exporter.export(spans, ({ error }) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      this.#warnOnce(errorText(error));
    }
  }

  #warnOnce(problem: string): void {
    if (!this.#hasWarned)
      this.#options.warn(`the trace is not sent completely (OTEL_EXPORTER_OTLP_ENDPOINT): ${problem}`);
    this.#hasWarned = true;
  }
}

interface LoadedExporter {
  exporter: Pick<OTLPTraceExporter, "export">;
  toReadable: (span: Span) => ReadableSpan;
}

async function load({ settings, resource, scope, timeoutMs }: CollectorOptions): Promise<LoadedExporter> {
  const exporter = await EXPORTERS[settings.protocol](omitEmpty({ timeoutMillis: timeoutMs }));
  const { readableSpans } = await import("./readable-span.ts"); // imports what the exporter depends on
  return { exporter, toReadable: readableSpans(resource, scope) };
}

/** The exporter of each protocol. They read `OTEL_EXPORTER_OTLP_*`: endpoint, headers, timeout, compression, certificates. */
const EXPORTERS: Readonly<
  Record<ExportSettings["protocol"], (config: { timeoutMillis?: number }) => Promise<LoadedExporter["exporter"]>>
> = {
  "http/protobuf": async (config) => {
    const name = "@opentelemetry/exporter-trace-otlp-proto";
    const { OTLPTraceExporter } = await optionalPackage(name, () => import("@opentelemetry/exporter-trace-otlp-proto"));
    return new OTLPTraceExporter(config);
  },
  "http/json": async (config) => {
    const name = "@opentelemetry/exporter-trace-otlp-http";
    const { OTLPTraceExporter } = await optionalPackage(name, () => import("@opentelemetry/exporter-trace-otlp-http"));
    return new OTLPTraceExporter(config);
  },
};
