import * as v from "valibot";
import { isObject } from "../../lib/json.ts";
import { keyFactsOf, type Schema } from "../../lib/schema/keys.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Path, Problem } from "./document.ts";

/** Something to tell the user that does not stop the file from loading. */
export interface Notice extends Problem {
  /** `newer`: the declared version does not know the key. `unenforced`: a restriction that is not enforced. */
  kind: "newer" | "unenforced" | "advice";
}

/** What a check came to; `value` is only to be used when there are no problems. */
export interface CheckedValue<T> {
  value: T | undefined;
  problems: Problem[];
  notices: Notice[];
}

/**
 * Checks a value against a schema and lists everything that is wrong, every unknown key among it, in words that do not
 * need the schema. A key set to null counts as absent. Never throws.
 *
 * Source: config-and-cli 2.3, 2.4.
 */
export function checkSchema<const S extends Schema>(
  schema: S,
  value: unknown,
  path: Path,
  version: number,
): CheckedValue<v.InferOutput<S>> {
  const walk: Walk = { version, problems: [], notices: [] };
  const known = keepKnown(schema, value, path, walk);
  const parsed = v.safeParse(schema, known);
  const problems = [...walk.problems, ...(parsed.issues ?? []).flatMap((issue) => problemsOf(issue, path))];
  return { value: parsed.success ? parsed.output : undefined, problems, notices: walk.notices };
}

interface Walk {
  version: number;
  problems: Problem[];
  notices: Notice[];
}

/** A copy of the value without nulls and without the unknown keys that it reports. */
function keepKnown(schema: Schema, value: unknown, path: Path, walk: Walk): unknown {
  if (isObject(value)) {
    if (isStrictObject(schema)) return keepEntries(schema.entries, value, path, walk, []);
    if (isVariant(schema)) return keepVariant(schema, value, path, walk);
    if (isRecord(schema)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, keepKnown(schema.value, inner, [...path, key], walk)]),
      );
    }
  }
  if (Array.isArray(value)) {
    if (isArraySchema(schema))
      return value.map((item: unknown, index) => keepKnown(schema.item, item, [...path, index], walk));
    if (isStrictObject(schema) || isRecord(schema) || isVariant(schema)) {
      walk.problems.push({ path, message: "expected a mapping but got a list" });
      return {};
    }
  }
  const option = isUnion(schema) ? schema.options.find((candidate) => fits(candidate, value)) : undefined;
  if (option) return keepKnown(option, value, path, walk);
  // Valibot takes an empty list for a mapping without keys; one with an item is refused as a list.
  return isUnion(schema) && Array.isArray(value) && value.length === 0 ? [value] : value;
}

function fits(schema: Schema, value: unknown): boolean {
  if (Array.isArray(value)) return isArraySchema(schema);
  return isObject(value) && (isStrictObject(schema) || isRecord(schema) || isVariant(schema));
}

function keepEntries(
  entries: v.ObjectEntries,
  value: Record<string, unknown>,
  path: Path,
  walk: Walk,
  others: readonly Option[],
) {
  const kept: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    const entry = Object.hasOwn(entries, key) ? unwrap(entries[key] as Schema) : undefined;
    if (!entry) walk.problems.push({ path: at, at: "key", message: unknownKey(key, entries, others) });
    else if (inner !== null) {
      notice(entry, inner, at, walk);
      kept[key] = keepKnown(entry, inner, at, walk);
    }
  }
  return kept;
}

function keepVariant(schema: VariantSchema, value: Record<string, unknown>, path: Path, walk: Walk): unknown {
  const option = schema.options.find((candidate) => discriminator(candidate, schema.key) === value[schema.key]);
  if (!option) return value;
  if (keyFactsOf(option).withoutEffect) {
    walk.notices.push({
      path: [...path, schema.key],
      kind: "advice",
      message: `${JSON.stringify(value[schema.key])} is not supported yet`,
    });
  }
  const others = schema.options.map((candidate) => ({
    name: discriminator(candidate, schema.key),
    entries: candidate.entries,
  }));
  return keepEntries(option.entries, value, path, walk, others);
}

/** An alternative of a variant, by the value that chooses it. */
interface Option {
  name: string;
  entries: v.ObjectEntries;
}

function unknownKey(key: string, entries: v.ObjectEntries, others: readonly Option[]): string {
  const owners = others.filter((other) => Object.hasOwn(other.entries, key)).map((other) => other.name);
  if (owners.length > 0) return `unknown key for this type; it belongs to ${owners.join(", ")}`;
  const close = nearest(key, Object.keys(entries));
  if (close !== undefined) return `unknown key; did you mean ${JSON.stringify(close)}?`;
  const below = Object.keys(entries).find((name) => namesBelow(entries[name] as Schema).includes(key));
  return below === undefined
    ? `unknown key; known are ${Object.keys(entries).join(", ")}`
    : `unknown key; it belongs to an entry of ${below}: ${below}.NAME.${key}`;
}

/** The keys of the entries of a mapping whose names the user chooses. */
function namesBelow(schema: Schema): string[] {
  const inner = unwrap(schema);
  return isRecord(inner) && isStrictObject(inner.value) ? Object.keys(inner.value.entries) : [];
}

function notice(schema: Schema, value: unknown, path: Path, walk: Walk): void {
  const { since = 0, withoutEffect } = keyFactsOf(schema);
  if (since > walk.version) {
    const message = `came with schema version ${since}; raise the version at the top of the file (now ${walk.version})`;
    walk.notices.push({ path, at: "key", kind: "newer", message });
  }
  if (withoutEffect === "addition")
    walk.notices.push({ path, at: "key", kind: "advice", message: "not supported yet, ignored" });
  if (withoutEffect === "restriction" && restricts(value))
    walk.notices.push({
      path,
      at: "key",
      kind: "unenforced",
      message: "not supported yet: this restriction is not enforced",
    });
}

/** False for a restriction that is switched off: `false`, a limit of 0, an empty list. */
function restricts(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) ? Object.values(value).some(restricts) : Boolean(value);
}

/** An issue in plain words. Of a union, only what the alternative that was meant says, as far as that can be told. */
function problemsOf(issue: v.BaseIssue<unknown>, base: Path): Problem[] {
  const path = [...base, ...(issue.path ?? []).map((item) => item.key as string | number)];
  const deeper =
    issue.type === "union"
      ? (issue.issues ?? []).filter(
          (inner) => (inner.path !== undefined && !isListAsMapping(inner, issue.input)) || inner.kind === "validation",
        )
      : [];
  if (deeper.length > 0) return deeper.flatMap((inner) => problemsOf(inner, path));
  if (issue.kind === "validation")
    return [{ path, message: `${issue.message} but got ${JSON.stringify(issue.input)}` }];
  if (issue.type === "strict_object" && issue.path?.at(-1)?.origin === "key") return [{ path, message: "is required" }];
  if (issue.input === undefined) return [{ path, message: "is required" }];
  return [{ path, message: `expected ${expectedText(issue)} but got ${receivedText(issue.input)}` }];
}

/** True for a complaint about the index of a list: a mapping schema takes the indexes of a list for unknown keys. */
function isListAsMapping({ type, path }: v.BaseIssue<unknown>, input: unknown): boolean {
  return Array.isArray(input) && type === "strict_object" && path?.length === 1;
}

const WORDS: Record<string, string> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  Array: "a list",
  Object: "a mapping",
};

function expectedText(issue: v.BaseIssue<unknown>): string {
  const words = (issue.expected ?? "another value")
    .replace(/^\(|\)$/g, "")
    .split(" | ")
    .map((word) => WORDS[word] ?? word);
  return words.length > 3 ? `one of ${words.join(", ")}` : words.join(" or ");
}

function receivedText(input: unknown): string {
  if (Array.isArray(input)) return "a list";
  if (isObject(input)) return "a mapping";
  return input === null ? "nothing" : JSON.stringify(input);
}

type StrictObject = Schema & { entries: v.ObjectEntries };
type VariantSchema = Schema & { key: string; options: StrictObject[] };

/** The schema inside an optional key. */
function unwrap(schema: Schema): Schema {
  return schema.type === "exact_optional" || schema.type === "optional"
    ? (schema as Schema & { wrapped: Schema }).wrapped
    : schema;
}

function discriminator(option: StrictObject, key: string): string {
  return String((option.entries[key] as Schema & { literal?: unknown }).literal);
}

function isStrictObject(schema: Schema): schema is StrictObject {
  return schema.type === "strict_object";
}

function isVariant(schema: Schema): schema is VariantSchema {
  return schema.type === "variant";
}

function isRecord(schema: Schema): schema is Schema & { value: Schema } {
  return schema.type === "record";
}

function isArraySchema(schema: Schema): schema is Schema & { item: Schema } {
  return schema.type === "array";
}

function isUnion(schema: Schema): schema is Schema & { options: Schema[] } {
  return schema.type === "union";
}
