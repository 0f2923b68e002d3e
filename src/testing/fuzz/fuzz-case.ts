import { isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { TestCase, TestStep } from "../test-case.ts";
import type { TextKind } from "./spelling.ts";
import { kindOfText } from "./spellings.ts";

/** A text in the input of a tool that spellings may change. */
export interface FuzzTarget {
  test: TestCase;
  /** The index of the step that expects a refusal. */
  step: number;
  /** The place of the text in the step's `tool_input`. */
  path: readonly (string | number)[];
  text: string;
  kind: TextKind;
}

/**
 * Returns the texts of a case that may be written differently: those that come from its item of `each`, in a step that
 * expects a refusal, where the tool reads a command line, a path or a URL.
 */
export function fuzzTargets(test: TestCase): FuzzTarget[] {
  const parts = test.item === undefined || test.skip !== undefined ? [] : textsOf(test.item.value);
  if (parts.length === 0) return [];
  return test.steps.flatMap(({ expect, payload }, step) => {
    const { tool_name: tool, tool_input: input } = payload;
    const expected = expect.decision ?? exampleDecision(test);
    if ((expected !== "deny" && expected !== "block") || typeof tool !== "string") return [];
    return leavesOf(input).flatMap(({ path, text }): FuzzTarget[] => {
      const key = path.findLast((part) => typeof part === "string");
      const kind = typeof key === "string" ? kindOfText(tool, key) : undefined;
      return kind && parts.some((part) => text.includes(part)) ? [{ test, step, path, text, kind }] : [];
    });
  });
}

/** What an example beside a rule expects of the call: such a case says only whether the rule hits. */
function exampleDecision({ ruleExample, rules: [rule] }: TestCase): string | undefined {
  return ruleExample?.hits && (rule?.verdict === "deny" || rule?.verdict === "stop") ? "deny" : undefined;
}

/** Returns the case with another text in its place. It expects only the refusal. */
export function withText({ test, step, path }: FuzzTarget, text: string, name: string): TestCase {
  const steps = test.steps.map((each, index): TestStep => {
    if (index !== step) return { ...each, expect: {} };
    const input = replaced(each.payload["tool_input"], path, text) as Payload;
    return {
      ...each,
      payload: { ...each.payload, tool_input: input },
      expect: { decision: each.expect.decision ?? "deny" },
    };
  });
  return { ...test, name, steps };
}

function replaced(value: unknown, [key, ...rest]: readonly (string | number)[], text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, text) : item));
  return isObject(value) ? { ...value, [key]: replaced(value[key], rest, text) } : value;
}

interface Leaf {
  path: (string | number)[];
  text: string;
}

function leavesOf(value: unknown): Leaf[] {
  if (typeof value === "string") return [{ path: [], text: value }];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : isObject(value)
      ? Object.entries(value)
      : [];
  return entries.flatMap(([key, inner]) => leavesOf(inner).map(({ path, text }) => ({ path: [key, ...path], text })));
}

/** Every text in an item. */
function textsOf(value: unknown): string[] {
  return leavesOf(value).flatMap(({ text }) => (text === "" ? [] : [text]));
}
