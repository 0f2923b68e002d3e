import * as v from "valibot";
import { isObject } from "./json.ts";

/** A JSON object. Valibot's record alone would take an array for one. */
export const jsonObject = v.pipe(v.custom<Record<string, unknown>>(isObject), v.record(v.string(), v.unknown()));

/** A JSON object whose values are all texts. */
export const textObject = v.pipe(v.custom<Record<string, string>>(isObject), v.record(v.string(), v.string()));

/** What a failed check wanted, in words; `null` and `unknown` come from checks that only objects pass. */
export function wanted(issue: v.BaseIssue<unknown>): string {
  return issue.type === "custom" ? "an object" : (issue.expected ?? "another value");
}
