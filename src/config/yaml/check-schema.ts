import * as v from "valibot";
import type { Help } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { keyFactsOf, type Schema } from "../../lib/schema/keys.ts";
import { cutBytes } from "../../lib/text/cut-text.ts";
import { nearestName } from "../../lib/text/nearest.ts";
import type { Path, Problem } from "./document.ts";

const VALUE_OF_THE_WRONG_TYPE: Help = {
  cause: "The key exists, and its value has another type or is not one of its values.",
  cure: "Write texts in quotes if they look like a number or contain `: `. `yes`, `on` and `no` are texts in YAML 1.2: write `true` or `false`.",
};

/** The newest schema version of agent files that hooksh supports. */
export const SCHEMA_VERSION = 16;

/** A message to the user that does not prevent loading. */
export interface Notice extends Problem {
  /** `newer`: the declared version does not have the key. `unenforced`: hooksh does not enforce the restriction. */
  kind: "newer" | "unenforced" | "advice";
}

/** The result of a check. Use `value` only if there are no problems. */
export interface CheckedValue<T> {
  value: T | undefined;
  problems: Problem[];
  notices: Notice[];
}

/**
 * Checks a value against a schema and lists all problems, including unknown keys. A key set to null counts as absent.
 * Never throws.
 */
export function checkSchema<const S extends Schema>(
  schema: S,
  value: unknown,
  path: Path,
  version: number,
): CheckedValue<v.InferOutput<S>> {
  const top = path.length === 0 && isStrictObject(schema) ? Object.keys(schema.entries) : [];
  const walk: Walk = { version, top, problems: [], notices: [] };
  const known = dropUnknown(schema, value, path, walk);
  const parsed = v.safeParse(schema, known);
  const problems = [...walk.problems, ...(parsed.issues ?? []).flatMap((issue) => problemsOf(issue, path))];
  return { value: parsed.success ? parsed.output : undefined, problems, notices: walk.notices };
}

interface Walk {
  version: number;
  /** The keys at the top of the file, if the whole file is checked. */
  top: readonly string[];
  problems: Problem[];
  notices: Notice[];
}

/** Copies a value without nulls and unknown keys, and reports those keys. */
function dropUnknown(schema: Schema, value: unknown, path: Path, walk: Walk): unknown {
  if (isObject(value)) {
    if (isStrictObject(schema)) return keepEntries(schema.entries, value, path, walk, []);
    if (isVariant(schema)) return keepVariant(schema, value, path, walk);
    if (isRecord(schema)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, dropUnknown(schema.value, inner, [...path, key], walk)]),
      );
    }
  }
  if (Array.isArray(value)) {
    if (isArraySchema(schema))
      return value.map((item: unknown, index) => dropUnknown(schema.item, item, [...path, index], walk));
    if (isStrictObject(schema) || isRecord(schema) || isVariant(schema)) {
      walk.problems.push({ path, message: "expected a mapping but got a list" });
      return {};
    }
  }
  if (isVariant(schema) && typeof value === "string") {
    const name = OTHER_NAMES[value] ?? value;
    if (schema.options.some((candidate) => discriminator(candidate, schema.key) === name)) {
      walk.problems.push({ path, message: `expected a mapping: write {${schema.key}: ${name}}` });
      return { [schema.key]: name };
    }
  }
  const option = isUnion(schema) ? schema.options.find((candidate) => acceptsShape(candidate, value)) : undefined;
  if (option) return dropUnknown(option, value, path, walk);
  // Valibot accepts an empty list as an empty mapping. It rejects a list with an item.
  return isUnion(schema) && Array.isArray(value) && value.length === 0 ? [value] : value;
}

function acceptsShape(schema: Schema, value: unknown): boolean {
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
    if (!entry) walk.problems.push({ path: at, at: "key", message: unknownKey(at, entries, others, walk) });
    else if (inner !== null) {
      notice(entry, inner, at, walk);
      kept[key] = dropUnknown(entry, inner, at, walk);
    }
  }
  return kept;
}

function keepVariant(schema: VariantSchema, value: Record<string, unknown>, path: Path, walk: Walk): unknown {
  const option = schema.options.find((candidate) => discriminator(candidate, schema.key) === value[schema.key]);
  if (!option) return value;
  const { withoutEffect, instead = "" } = keyFactsOf(option);
  if (withoutEffect === "refused") {
    walk.problems.push({ path: [...path, schema.key], message: `${JSON.stringify(value[schema.key])}: ${instead}` });
  } else if (withoutEffect) {
    walk.notices.push({
      path: [...path, schema.key],
      kind: "advice",
      message: `${JSON.stringify(value[schema.key])} is not supported yet; ${instead}`,
    });
  }
  const others = schema.options.map((candidate) => ({
    name: discriminator(candidate, schema.key),
    entries: candidate.entries,
  }));
  return keepEntries(option.entries, value, path, walk, others);
}

/** An alternative of a variant, with the value that selects it. */
interface Option {
  name: string;
  entries: v.ObjectEntries;
}

/** What other products call a key or a value. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  system_prompt: "instruction",
  prompt: "instruction",
  bash: "shell",
  terminal: "shell",
  files: "filesystem",
  fs: "filesystem",
  web: "fetch",
  yolo: "autonomous",
};

/** What to write instead of a key that other products have, where a name alone does not say it. */
const INSTEAD: Readonly<Record<string, readonly [key: string, advice: string]>> = {
  api_key: ["token_key", "token_key names the variable that holds the key"],
};

function unknownKey(at: Path, entries: v.ObjectEntries, others: readonly Option[], { top }: Walk): string {
  const key = String(at.at(-1));
  const names = Object.keys(entries);
  const [instead, advice] = INSTEAD[key] ?? [];
  if (instead !== undefined && names.includes(instead)) return `unknown key; ${advice}`;
  if (at.length > 1 && top.includes(key)) return `unknown key; write ${key}: at the top of the file`;
  const owners = others.filter((other) => Object.hasOwn(other.entries, key)).map((other) => other.name);
  if (owners.length > 0) return `unknown key for this type; it belongs to ${owners.join(", ")}`;
  const close = closestTo(key, names);
  if (close !== undefined) return `unknown key; did you mean ${JSON.stringify(close)}?`;
  const below = names.find((name) => entryKeysOf(entries[name] as Schema).includes(key));
  return below === undefined
    ? `unknown key; known keys are ${names.join(", ")}`
    : `unknown key; it belongs to an entry of ${below}: ${below}.NAME.${key}`;
}

function closestTo(written: string, names: readonly string[]): string | undefined {
  const other = OTHER_NAMES[written.toLowerCase()];
  return other !== undefined && names.includes(other) ? other : nearestName(written, names);
}

/** The keys in the entries of a mapping whose names the user chooses. */
function entryKeysOf(schema: Schema): string[] {
  const inner = unwrap(schema);
  return isRecord(inner) && isStrictObject(inner.value) ? Object.keys(inner.value.entries) : [];
}

function notice(schema: Schema, value: unknown, path: Path, walk: Walk): void {
  const { since = 0, withoutEffect, instead = "" } = keyFactsOf(schema);
  if (withoutEffect === "refused") walk.problems.push({ path, at: "key", message: instead });
  if (since > walk.version) {
    const message = `needs schema version ${since}, but the file declares ${walk.version}; raise version at the top of the file`;
    walk.notices.push({ path, at: "key", kind: "newer", message });
  }
  if (withoutEffect === "addition")
    walk.notices.push({ path, at: "key", kind: "advice", message: `not supported yet, ignored; ${instead}` });
  if (withoutEffect === "restriction" && isRestriction(value))
    walk.notices.push({
      path,
      at: "key",
      kind: "unenforced",
      message: `not supported yet: this restriction is not enforced; ${instead}`,
    });
}

/** True unless a restriction is switched off by `false`, a limit of 0 or an empty list. */
function isRestriction(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) ? Object.values(value).some(isRestriction) : Boolean(value);
}

/**
 * Converts an issue to problems. For a union, reports only the issues of the alternative that was probably intended.
 */
function problemsOf(issue: v.BaseIssue<unknown>, base: Path): Problem[] {
  const path = [...base, ...(issue.path ?? []).map((item) => item.key as string | number)];
  const deeper =
    issue.type === "union"
      ? (issue.issues ?? []).filter(
          (inner) => (inner.path !== undefined && !isListAsMapping(inner, issue.input)) || inner.kind === "validation",
        )
      : [];
  if (deeper.length > 0) return deeper.flatMap((inner) => problemsOf(inner, path));
  if (issue.kind === "validation") return [{ path, message: `${issue.message} but got ${shownValue(issue.input)}` }];
  if (issue.type === "strict_object" && issue.path?.at(-1)?.origin === "key") return [{ path, message: "is required" }];
  if (issue.input === undefined) return [{ path, message: "is required" }];
  const close = closest(issue);
  const got = receivedText(issue.input);
  const expected = expectedText(issue);
  return [
    {
      path,
      // A long list does not help whoever gets the value that was meant.
      message:
        close === undefined || expected.length <= MAX_EXPECTED
          ? `expected ${expected} but got ${got}${close === undefined ? "" : `; did you mean ${JSON.stringify(close)}?`}`
          : `${got} is no value of ${String(path.at(-1))}; did you mean ${JSON.stringify(close)}?`,
      help: VALUE_OF_THE_WRONG_TYPE,
    },
  ];
}

/** True if a mapping schema rejects a list because it takes the indexes for unknown keys. */
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

/** The longest list of expected values, in characters, that a message shows beside its suggestion. */
const MAX_EXPECTED = 120;

/** Returns the allowed text that a mistyped one probably means. */
function closest({ expected, input }: v.BaseIssue<unknown>): string | undefined {
  const texts = [...(expected ?? "").matchAll(/"([^"]*)"/g)].map(([, text = ""]) => text);
  return typeof input === "string" && texts.length > 1 ? closestTo(input, texts) : undefined;
}

function receivedText(input: unknown): string {
  if (Array.isArray(input)) return "a list";
  if (isObject(input)) return "a mapping";
  return input === null ? "nothing" : shownValue(input);
}

/** The most bytes of a wrong value that a message shows. */
const SHOWN_BYTES = 200;

function shownValue(value: unknown): string {
  const text = String(JSON.stringify(value)); // undefined has no JSON
  const shown = cutBytes(text, SHOWN_BYTES);
  return shown === text ? text : `${shown}...`;
}

type StrictObject = Schema & { entries: v.ObjectEntries };
type VariantSchema = Schema & { key: string; options: StrictObject[] };

/** Returns the schema inside an optional one. */
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
