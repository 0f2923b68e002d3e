import { redactStart } from "../lib/secrets/redaction-mark.ts";
import { cutBytes } from "../lib/text/cut-text.ts";
import { boundedJson } from "./bounded-json.ts";
import type { TraceContext } from "./context.ts";
import { isHarmless } from "./harmless.ts";
import { ATTRIBUTES, type AttributeName } from "./names.ts";

export type AttributeValue = string | number | boolean | readonly string[];

/** The role of a span: work of this process, or a request to a server. */
export type SpanKind = "internal" | "client";

export interface SpanStart {
  name: string;
  kind?: SpanKind;
  attributes?: Partial<Record<AttributeName, AttributeValue | undefined>>;
  /** Milliseconds since 1970, with a fraction; now if absent. */
  startedAt?: number;
  /** Keeps content and the texts of errors out of this span and of all below it. */
  isConfidential?: boolean;
}

export interface SpanPlace {
  context: TraceContext;
  /** The parent, if it is a span of this process. */
  parent: Span | undefined;
  /** Undefined at the root of a trace. */
  parentSpanId: string | undefined;
}

/** Maximum bytes of a name, of a text, and of the JSON text of a content attribute. */
const MAX_NAME = 512;
const MAX_TEXT = 4096;
const MAX_CONTENT = 64 * 1024;

/** One operation: its place in the trace, its time, and its attributes. */
export class Span {
  name: string;
  readonly kind: SpanKind;
  readonly place: SpanPlace;
  /** Milliseconds since 1970, with a fraction. */
  readonly startedAt: number;
  endedAt = 0;
  /** The message of the error; undefined if the operation did not fail. */
  failure: string | undefined;
  readonly attributes = new Map<AttributeName, AttributeValue>();
  /** True if the span holds the content of messages, calls and hook inputs. */
  readonly capturesContent: boolean;
  /** See {@link SpanStart}. */
  readonly isConfidential: boolean;
  /** Texts that may hold secrets: they become attributes when the redactor is loaded. */
  readonly #texts = new Map<AttributeName, { text: string } | { json: unknown }>();

  constructor(
    { name, kind = "internal", attributes, startedAt = now(), isConfidential = false }: SpanStart,
    place: SpanPlace,
    capturesContent: boolean,
  ) {
    this.name = name;
    this.kind = kind;
    this.place = place;
    this.startedAt = startedAt;
    this.isConfidential = isConfidential || place.parent?.isConfidential === true;
    this.capturesContent = capturesContent && !this.isConfidential;
    for (const [key, value] of Object.entries(attributes ?? {})) this.set(key as AttributeName, value);
  }

  /** Sets an attribute whose value holds no free text. Ignores undefined and the empty text. */
  set(name: AttributeName, value: AttributeValue | undefined): void {
    if (value === undefined || value === "") return;
    this.attributes.set(name, typeof value === "string" ? cutBytes(value, MAX_NAME) : value);
  }

  /** Adds to the number that an attribute holds. */
  add(name: AttributeName, amount: number | undefined): void {
    if (amount !== undefined) this.attributes.set(name, Number(this.attributes.get(name) ?? 0) + amount);
  }

  /** Sets an attribute to a text that may hold secrets, which are taken out. */
  text(name: AttributeName, text: string | undefined): void {
    if (text) this.#texts.set(name, { text });
  }

  /** Sets an attribute to the JSON text of a value, without its secrets, if spans hold content. */
  content(name: AttributeName, make: () => unknown): void {
    if (this.capturesContent) this.#texts.set(name, { json: make() });
  }

  /** Marks the operation as failed. `type` is one of few values, such as an HTTP status. */
  fail(type: string, message = ""): void {
    this.set(ATTRIBUTES.errorType, type);
    this.failure = this.isConfidential ? "" : message;
  }

  /** True if a text of the span could hold a secret. */
  get mayHoldSecrets(): boolean {
    const texts = [...this.#texts.values()].map((value) => ("text" in value ? value.text : undefined));
    return [this.name, this.failure ?? "", ...texts].some((text) => text === undefined || !isHarmless(text));
  }

  /** Redacts the texts of the span, then cuts them: half a secret is not recognised. */
  clean(redact: (text: string) => string): void {
    const clean = (text: string, limit: number) =>
      cutBytes(isHarmless(text) ? text : redactStart(text, redact, limit), limit);
    this.name = clean(this.name, MAX_NAME);
    if (this.failure) this.failure = clean(this.failure, MAX_TEXT);
    for (const [name, value] of this.#texts) {
      const text = "text" in value ? clean(value.text, MAX_TEXT) : boundedJson(value.json, redact, MAX_CONTENT);
      this.attributes.set(name, text);
    }
    this.#texts.clear();
  }
}

/** Milliseconds since 1970, with a fraction. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
