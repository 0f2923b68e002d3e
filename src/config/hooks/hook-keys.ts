import { isObject } from "../../lib/json.ts";
import { nearest } from "../../lib/text/nearest.ts";

/** A kind of value that a key of a hook or a matcher group may have. */
interface Kind<T> {
  /** What the key holds when it is absent. */
  empty: T;
  takes: (value: unknown) => value is T;
  /** What a message calls it. */
  expected: string;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isTextMap = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText);

/** Every kind of value. */
export const VALUE_KINDS = {
  text: { empty: "", takes: isText, expected: "a text" } satisfies Kind<string>,
  texts: { empty: [], takes: isTexts, expected: "a list of texts" } satisfies Kind<string[]>,
  textMap: { empty: {}, takes: isTextMap, expected: "a mapping of texts" } satisfies Kind<Record<string, string>>,
  whole: {
    empty: 0,
    takes: (value: unknown): value is number => Number.isInteger(value),
    expected: "a whole number",
  } satisfies Kind<number>,
  flag: {
    empty: false,
    takes: (value: unknown): value is boolean => typeof value === "boolean",
    expected: "true or false",
  } satisfies Kind<boolean>,
  any: {
    empty: undefined,
    takes: (_value: unknown): _value is unknown => true,
    expected: "a value",
  } satisfies Kind<unknown>,
} as const;

/** The name of a kind. */
export type KindName = keyof typeof VALUE_KINDS;

/** Keys with the kind of their values. */
export type KeyTable = Readonly<Record<string, KindName>>;

type ValueOf<K extends KindName> = (typeof VALUE_KINDS)[K]["takes"] extends (value: unknown) => value is infer T
  ? T
  : never;

/** What a table's keys hold when they have been read. */
export type ValuesOf<T extends KeyTable> = { [K in keyof T]: ValueOf<T[K]> };

/** One configured hook. */
export const HOOK_KEYS = {
  name: "text",
  type: "text",
  command: "text",
  args: "texts",
  timeout: "whole",
  env: "textMap",
  working_dir: "text",
  on_error: "text",
  strict_output: "flag",
  rewrite: "flag",
  model: "text",
  prompt: "text",
  schema: "text",
} as const satisfies KeyTable;

/** A tool-name pattern and the hooks that run when it matches. */
export const GROUP_KEYS = { matcher: "text", hooks: "any", preempt_yolo: "flag" } as const satisfies KeyTable;

/**
 * Reads a mapping by a table: absent and null keys get what their kind is when empty. Undefined when a key is unknown or
 * of another kind; `report` is told of each.
 *
 * Written by hand, not as a Valibot schema, because every cold dispatch reads all configured hooks.
 */
export function readKeys<const T extends KeyTable>(
  table: T,
  item: Record<string, unknown>,
  report: (message: string, key: string) => void,
): ValuesOf<T> | undefined {
  let sound = true;
  const values: Record<string, unknown> = emptyKeys(table);
  for (const [key, value] of Object.entries(item)) {
    const kind = Object.hasOwn(table, key) ? table[key] : undefined;
    if (kind === undefined) report(unknownKey(key, table), key);
    else if (value === null || VALUE_KINDS[kind].takes(value)) {
      if (value !== null) values[key] = value;
      continue;
    } else report(`${key}: expected ${VALUE_KINDS[kind].expected} but got ${shown(value)}`, key);
    sound = false;
  }
  return sound ? (values as ValuesOf<T>) : undefined;
}

function unknownKey(key: string, table: KeyTable): string {
  const message = `unknown key ${JSON.stringify(key)}`;
  if (table === GROUP_KEYS && Object.hasOwn(HOOK_KEYS, key))
    return `${message}: it belongs to a hook; write the hook under "hooks"`;
  if (table === HOOK_KEYS && Object.hasOwn(GROUP_KEYS, key))
    return `${message}: only the events of a tool call take matcher groups`;
  const close = nearest(key, Object.keys(table));
  return close === undefined ? message : `${message}, did you mean ${JSON.stringify(close)}?`;
}

/** The values of a mapping that has none of the keys. */
export function emptyKeys<const T extends KeyTable>(table: T): ValuesOf<T> {
  const values: Record<string, unknown> = {};
  for (const key in table) values[key] = VALUE_KINDS[table[key] as KindName].empty;
  return values as ValuesOf<T>;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "a mapping" : JSON.stringify(value);
}
