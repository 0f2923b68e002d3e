import * as v from "valibot";
import { anyMap, anything, flag, optional, text, textMap } from "../lib/schema/keys.ts";
import { FIELDS } from "../protocol/fields.ts";
import { EXPECTATIONS } from "./expectations.ts";
import { FAULT_KINDS } from "./faults.ts";

/** The most items of `each`: a test is made for each of them. */
const MOST_ITEMS = 10_000;

/** The fields of an event under other names: `tool` is `tool_name`, and `input` is `tool_input` on events of a tool call. */
export const RENAMED_FIELDS = { tool: "tool_name", input: "tool_input" } as const;

const HIDDEN = ["hook_event_name", ...Object.entries(RENAMED_FIELDS).flat()];

/** The fields of events that a test can set by their own names. */
export const PAYLOAD_FIELDS = Object.keys(FIELDS).filter((field) => !HIDDEN.includes(field));

/** Keys that may hold anything here: they can contain `$each`, so their values are checked later. */
function openKeys(keys: readonly string[]) {
  return Object.fromEntries(keys.map((key) => [key, optional(anything)]));
}

const ANY_FIELDS = openKeys([...Object.keys(RENAMED_FIELDS), ...PAYLOAD_FIELDS]);
const EXPECT = v.strictObject(openKeys(Object.keys(EXPECTATIONS)));
const names = v.union([text, v.pipe(v.array(text), v.nonEmpty("expected at least one name"))]);
const ENV = optional(textMap);
const STUBS = optional(v.record(text, v.union([anyMap, text])));

const STEP = v.strictObject({ event: optional(text), expect: optional(EXPECT), ...ANY_FIELDS });

const FAULT = v.strictObject({
  hook: names,
  kinds: optional(v.pipe(v.array(v.picklist(FAULT_KINDS)), v.nonEmpty("expected at least one kind"))),
});

const TEST = v.strictObject({
  name: optional(text),
  event: optional(text),
  each: optional(
    v.pipe(
      v.array(anything),
      v.nonEmpty("expected at least one item"),
      v.maxLength(MOST_ITEMS, "expected at most 10,000 items"),
    ),
  ),
  session: optional(v.pipe(v.array(STEP), v.nonEmpty("expected at least one step"))),
  fault: optional(FAULT),
  stubs: STUBS,
  env: ENV,
  files: optional(textMap),
  skip: optional(v.union([flag, text])),
  only: optional(flag),
  expect: optional(EXPECT),
  from: optional(names),
  verdicts: optional(text),
  ...ANY_FIELDS,
});

// The list comes first: a record of Valibot would accept a list, too.
const HOOKS = v.union([text, v.pipe(v.array(v.union([text, anyMap])), v.nonEmpty("expected at least one")), anyMap]);

/** A `*.hooktest.yaml`: its keys. What their values mean for an event is checked once `$each` is replaced. */
export const TEST_FILE = v.strictObject({
  hooks: HOOKS,
  agent: optional(text),
  user_hooks: optional(flag),
  defaults: optional(v.strictObject({ event: optional(text), env: ENV, ...ANY_FIELDS })),
  stubs: STUBS,
  tests: v.pipe(v.array(TEST), v.nonEmpty("expected at least one test")),
});

export type TestFileValue = v.InferOutput<typeof TEST_FILE>;

export type WrittenTest = TestFileValue["tests"][number] & Readonly<Record<string, unknown>>;
