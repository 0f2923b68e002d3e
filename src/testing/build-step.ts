import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Path } from "../config/yaml/document.ts";
import type { ProblemReport } from "../config/yaml/problem-report.ts";
import { isObject } from "../lib/json.ts";
import { findMismatch, mismatchText, object } from "../lib/schema/shape.ts";
import { contractOf, type EventName, isEventName, unknownEvent } from "../protocol/events.ts";
import { FIELDS } from "../protocol/fields.ts";
import { eachReferences, withItem } from "./each.ts";
import { EXPECTATIONS, type ExpectKey } from "./expectations.ts";
import type { TestStep } from "./test-case.ts";
import { PAYLOAD_FIELDS, RENAMED_FIELDS } from "./test-schema.ts";

/** A mapping that sets fields of an event: a step, its test, or the defaults. */
export interface Layer {
  value: Readonly<Record<string, unknown>>;
  path: Path;
  /** True if its fields are for other events, too: a field that this event does not have is left out. */
  isShared: boolean;
}

/** The parts that a step is built from. */
export interface StepSource {
  /** From the weakest to the strongest. The last one is the step itself, which holds `expect`. */
  layers: readonly Layer[];
  /** The item of `each`; absent if the test has none. */
  item?: { value: unknown };
  /** The folder of the test file: the base of `cwd`. */
  directory: string;
  /** True if hooks run in a temporary directory, so that `cwd` need not exist yet. */
  hasFiles: boolean;
}

/** The fields that every event has. */
const COMMON = ["session_id", "cwd", "agent_name"];

const FIELD_KEYS = [...Object.keys(RENAMED_FIELDS), ...PAYLOAD_FIELDS];

const INPUT = object({}, FIELDS);

/** Builds one event of a case. Reports every problem; undefined if there is any. */
export function buildStep(source: StepSource, report: ProblemReport): TestStep | undefined {
  const before = report.problems.length;
  const step = source.layers.at(-1);
  const event = eventOf(source, report);
  if (event === undefined || step === undefined) return undefined;
  const payload = payloadOf(event, source, report);
  const expect = expectOf(event, step, source, report);
  return report.problems.length > before ? undefined : { event, payload, expect, path: step.path };
}

function eventOf(source: StepSource, report: ProblemReport): EventName | undefined {
  const layer = source.layers.findLast(({ value }) => value["event"] !== undefined);
  if (!layer) {
    report.problem(source.layers.at(-1)?.path ?? [], "no event: set event here or under defaults");
    return undefined;
  }
  const name = String(replaced(layer.value["event"], [...layer.path, "event"], source, report));
  if (isEventName(name)) return name;
  report.problem([...layer.path, "event"], unknownEvent(name));
  return undefined;
}

function payloadOf(event: EventName, source: StepSource, report: ProblemReport): Record<string, unknown> {
  const { fields, matcher } = contractOf(event);
  const payload: Record<string, unknown> = {};
  for (const key of FIELD_KEYS) {
    const field = fieldOf(key, event);
    const layer = source.layers.findLast(({ value }) => value[key] !== undefined);
    if (!layer) continue;
    const at = [...layer.path, key];
    if ([...fields, ...COMMON].includes(field))
      payload[field] = fieldValue(field, layer.value[key], at, source, report);
    else if (!layer.isShared) report.problem(at, noSuchField(event, key), "key");
  }
  if (matcher && !payload["tool_name"])
    report.problem(source.layers.at(-1)?.path ?? [], `${event} is about a tool call: set tool here or under defaults`);
  const wrong = findMismatch(INPUT, payload);
  if (wrong) report.problem(placeOf(wrong.path, event, source), mismatchText(wrong));
  return payload;
}

function fieldValue(field: string, value: unknown, at: Path, source: StepSource, report: ProblemReport): unknown {
  const given = replaced(value, at, source, report);
  if (field !== "cwd" || typeof given !== "string" || source.hasFiles) return given;
  const path = resolve(source.directory, given);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) report.problem(at, `no such directory: ${path}`);
  return path;
}

/** The place that sets the field at the start of a path such as `tool_input.cmd`. */
function placeOf(path: string, event: EventName, { layers }: StepSource): Path {
  const key = FIELD_KEYS.find((name) => fieldOf(name, event) === path.split(".")[0]) ?? "";
  const layer = layers.findLast(({ value }) => value[key] !== undefined);
  return layer ? [...layer.path, key] : [];
}

function noSuchField(event: EventName, key: string): string {
  const { fields } = contractOf(event);
  const own = FIELD_KEYS.filter((name) => (fields as readonly string[]).includes(fieldOf(name, event)));
  return `${event} has no ${key}; ${own.length > 0 ? `its fields are ${own.join(", ")}` : "it has no fields of its own"}`;
}

function fieldOf(key: string, event: EventName): string {
  if ((contractOf(event).fields as readonly string[]).includes(key)) return key;
  return Object.hasOwn(RENAMED_FIELDS, key) ? RENAMED_FIELDS[key as keyof typeof RENAMED_FIELDS] : key;
}

function expectOf(event: EventName, step: Layer, source: StepSource, report: ProblemReport): TestStep["expect"] {
  const { expect } = step.value;
  if (!isObject(expect)) return {};
  const entries = Object.entries(expect).map(([key, value]) => {
    const at = [...step.path, "expect", key];
    const given = replaced(value, at, source, report);
    const problem = EXPECTATIONS[key as ExpectKey].problem(given, event);
    if (problem !== undefined) report.problem(at, problem);
    return [key, given];
  });
  return Object.fromEntries(entries) as TestStep["expect"];
}

/** Replaces `$each` in a value. Reports one that has no meaning. */
function replaced(value: unknown, at: Path, { item }: StepSource, report: ProblemReport): unknown {
  const references = eachReferences(value);
  if (references.length === 0) return value;
  if (!item) {
    report.problem(at, "$each has no meaning here: the test has no each");
    return value;
  }
  const missing = references.find(
    (key) => key !== undefined && !(isObject(item.value) && Object.hasOwn(item.value, key)),
  );
  if (missing !== undefined) report.problem(at, `$each.${missing}: ${JSON.stringify(item.value)} has no such key`);
  return withItem(value, item.value);
}
