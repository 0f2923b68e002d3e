import * as v from "valibot";
import { parseDuration } from "../text/duration.ts";

export type Schema = v.GenericSchema;

/** Facts about a key or a toolset type besides its shape, stored as Valibot metadata. */
export interface KeyFacts {
  /** The schema version that introduced it. */
  since?: number;
  /**
   * Set for a key that does nothing. It is ignored with a notice if it is an `addition` or a `restriction` of what may
   * run, and an error if it is `refused`.
   */
  withoutEffect?: "addition" | "restriction" | "refused";
  /** What happens, or what to use, instead of a key or toolset without effect; for a refused one, why and what to use. */
  instead?: string;
}

/** Makes a schema optional and adds facts to it, which checks and messages use. */
export function withKeyFacts<const S extends Schema>(schema: S, facts: KeyFacts) {
  return v.exactOptional(v.pipe(schema, v.metadata({ ...facts })));
}

/** An optional key that was introduced with a schema version. */
export function sinceVersion<const S extends Schema>(version: number, schema: S) {
  return withKeyFacts(schema, { since: version });
}

/** An optional key that hooksh accepts and ignores. `instead` says what happens, or what to use. */
export function withoutEffect<const S extends Schema>(schema: S, since: number, instead: string) {
  return withKeyFacts(schema, { since, withoutEffect: "addition", instead });
}

/** An optional key that would restrict what may run, and that hooksh accepts and ignores. */
export function limitWithoutEffect<const S extends Schema>(schema: S, since: number, instead: string) {
  return withKeyFacts(schema, { since, withoutEffect: "restriction", instead });
}

/** A key that docker-agent knows, or knew, and that is an error here. `problem` says why, and what to use. */
export function refusedKey(problem: string) {
  return withKeyFacts(v.unknown(), { withoutEffect: "refused", instead: problem });
}

/** Returns the facts of a schema; an empty object if it has none. */
export function keyFactsOf(schema: Schema): KeyFacts {
  return v.getMetadata(schema);
}

export const optional = v.exactOptional;

export const text = v.string();
export const flag = v.boolean();
export const textList = v.array(text);
export const textMap = v.record(text, text);
export const anything = v.unknown();
/** A mapping with arbitrary keys and values. */
export const anyMap = v.record(text, v.unknown());

export const nonEmptyText = v.pipe(text, v.nonEmpty("expected a text that is not empty"));

/** A whole number within bounds. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  const message = `expected a whole number ${bounds}`;
  return v.pipe(v.number(), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
}

/** A number within bounds. */
export function number(least: number, most: number = Infinity) {
  const message =
    most === Infinity ? `expected a number of at least ${least}` : `expected a number from ${least} to ${most}`;
  return v.pipe(v.number(), v.minValue(least, message), v.maxValue(most, message));
}

/** One of the given words. */
export function oneOf<const T extends readonly [string, ...string[]]>(...words: T) {
  return v.picklist(words);
}

const DURATION_MESSAGE = "expected a duration such as 90s, 1m30s or a whole number of seconds";

/** A duration such as `1m30s`, or a whole number of seconds. Its value is in milliseconds. */
export const duration = v.pipe(
  v.union([text, v.number()]),
  v.check((value) => parseDuration(String(value)) !== undefined, DURATION_MESSAGE),
  v.transform((value) => parseDuration(String(value)) ?? 0),
);

/** A fraction greater than 0 and at most 1. */
export const fraction = v.pipe(
  v.number(),
  v.gtValue(0, "expected a number greater than 0 and at most 1"),
  v.maxValue(1, "expected a number greater than 0 and at most 1"),
);
