import { isObject } from "../../lib/json.ts";
import { nearestName } from "../../lib/text/nearest.ts";

/** A kind of value for a key of a hook, a matcher group, or the options of a program. */
interface Kind<T> {
  /** The value of an absent key. */
  empty: T;
  accepts: (value: unknown) => value is T;
  /** The kind's name in messages. */
  expected: string;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isFunction = (value: unknown): value is (...args: never) => unknown => typeof value === "function";
const isTextMap = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText);

/** The kinds of value in a file. */
export const VALUE_KINDS = {
  text: { empty: "", accepts: isText, expected: "a text" } satisfies Kind<string>,
  texts: { empty: [], accepts: isTexts, expected: "a list of texts" } satisfies Kind<string[]>,
  textMap: { empty: {}, accepts: isTextMap, expected: "a mapping of texts" } satisfies Kind<Record<string, string>>,
  whole: {
    empty: 0,
    accepts: (value: unknown): value is number => Number.isInteger(value),
    expected: "a whole number",
  } satisfies Kind<number>,
  flag: {
    empty: false,
    accepts: (value: unknown): value is boolean => typeof value === "boolean",
    expected: "true or false",
  } satisfies Kind<boolean>,
  any: {
    empty: undefined,
    accepts: (_value: unknown): _value is unknown => true,
    expected: "a value",
  } satisfies Kind<unknown>,
} as const;

/** The kinds of value in a file, and those that only a program can give. */
const KINDS = {
  ...VALUE_KINDS,
  call: { empty: undefined, accepts: isFunction, expected: "a function" } satisfies Kind<unknown>,
  calls: {
    empty: [],
    accepts: (value: unknown): value is unknown[] => Array.isArray(value) && value.every(isFunction),
    expected: "a list of functions",
  } satisfies Kind<unknown[]>,
  object: { empty: undefined, accepts: isObject, expected: "an object" } satisfies Kind<unknown>,
} as const;

export type KindName = keyof typeof VALUE_KINDS;

/** The kind of value for each key in a file. */
export type KeyTable = Readonly<Record<string, KindName>>;

/** The kind of value for each option of a program. */
export type OptionTable = Readonly<Record<string, keyof typeof KINDS>>;

type ValueOf<K extends keyof typeof KINDS> = (typeof KINDS)[K]["accepts"] extends (value: unknown) => value is infer T
  ? T
  : never;

/** The values that {@link readKeys} returns for a table. */
export type ValuesOf<T extends OptionTable> = { [K in keyof T]: ValueOf<T[K]> };

/** The keys of a hook. */
export const HOOK_KEYS = {
  name: "text",
  type: "text",
  command: "text",
  args: "texts",
  timeout: "whole",
  env: "textMap",
  working_dir: "text",
  dialect: "text",
  if: "text",
  on_error: "text",
  other_exit_codes: "text",
  strict_output: "flag",
  rewrite: "flag",
  model: "text",
  prompt: "text",
  system_prompt: "text",
  schema: "text",
  evaluator: "text",
  evaluator_policy: "any",
  routing_policy: "any",
  mode: "text",
  examples: "any",
} as const satisfies KeyTable;

/** What a program says of a hook that it configures without a file. */
export const PLACE_KEYS = {
  matcher: "text",
  lane: "text",
  source: "text",
  directory: "text",
  registry: "any",
  shapes: "any",
} as const satisfies KeyTable;

/** The keys of a matcher group: a pattern on the tool name and the hooks that run if it matches. */
export const GROUP_KEYS = {
  matcher: "text",
  hooks: "any",
  preempt_yolo: "flag",
  mode: "text",
} as const satisfies KeyTable;

/**
 * Reads the keys of a mapping. Absent, null and undefined keys get the empty value of their kind. Calls `report` for each
 * unknown key and each value of another kind, and then returns undefined. A table: cold start.
 */
export function readKeys<const T extends OptionTable>(
  table: T,
  item: Record<string, unknown>,
  report: (message: string, key: string) => void,
): ValuesOf<T> | undefined {
  let isValid = true;
  const values: Record<string, unknown> = emptyKeys(table);
  for (const [key, value] of Object.entries(item)) {
    const kind = Object.hasOwn(table, key) ? table[key] : undefined;
    if (kind === undefined) report(unknownKey(key, table), key);
    else if (value === null || value === undefined || KINDS[kind].accepts(value)) {
      if (value !== null && value !== undefined) values[key] = value;
      continue;
    } else report(`${key}: expected ${KINDS[kind].expected} but got ${describeValue(value)}`, key);
    isValid = false;
  }
  return isValid ? (values as ValuesOf<T>) : undefined;
}

/** Throws a `TypeError` on options that do not exist or have a value of another kind, for callers without types. */
export function checkOptions(of: string, table: OptionTable, options: unknown): void {
  if (!isObject(options)) throw new TypeError(`${of}: options must be an object`);
  readKeys(table, options, (message) => {
    throw new TypeError(`${of}: options: ${message}`);
  });
}

function unknownKey(key: string, table: OptionTable): string {
  const message = `unknown key ${JSON.stringify(key)}`;
  if (table === GROUP_KEYS && Object.hasOwn(HOOK_KEYS, key))
    return `${message}: it belongs to a hook; write the hook under "hooks" of this group`;
  if (table === HOOK_KEYS && Object.hasOwn(GROUP_KEYS, key))
    return `${message}: this event has no matcher groups; only events about tool calls do`;
  const close = nearestName(key, Object.keys(table));
  return close === undefined ? message : `${message}, did you mean ${JSON.stringify(close)}?`;
}

/** The values of an empty mapping. */
export function emptyKeys<const T extends OptionTable>(table: T): ValuesOf<T> {
  const values: Record<string, unknown> = {};
  for (const key in table) values[key] = KINDS[table[key] as keyof typeof KINDS].empty;
  return values as ValuesOf<T>;
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "a mapping" : (JSON.stringify(value) ?? `a ${typeof value}`);
}
