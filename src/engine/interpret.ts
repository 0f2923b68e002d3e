import * as v from "valibot";
import type { HookDefinition } from "../config/hooks.ts";
import { errorText } from "../lib/errors.ts";
import { findRepeatedKey, isObject } from "../lib/json.ts";
import { wanted } from "../lib/schema.ts";
import { type EventContract, type EventName, takesMalformedText } from "../protocol/events.ts";
import { ANSWER_FIELDS, BLOCK, type HookOutput, INSTRUCTION_KEYS, isBlocked, OUTPUT_FIELDS, SPECIFIC_FIELDS } from "../protocol/output.ts";
import { DECISIONS } from "../protocol/result.ts";
import type { HandlerResult, Outcome } from "./hook.ts";

/** The hook whose answer is read, on which event, under which contract. */
export interface Asked {
  event: EventName;
  contract: EventContract;
  hook: HookDefinition;
}

/** Turns what a handler came back with into an outcome. Pure; never throws. Source: hooks 6.3 to 6.5. */
export function interpret(asked: Asked, result: HandlerResult): Outcome {
  switch (result.kind) {
    case "failed":
      return failed(result.error, result.stderr);
    case "returned":
      return interpretOutput(asked, result.output);
    case "exited":
      if (result.exitCode === 0) return interpretText(asked, result.stdout, result.stderr);
      if (result.exitCode === 2) return interpretBlock(result.stdout, result.stderr);
      return failed(`exited with status ${result.exitCode}`, result.stderr);
  }
}

function failed(error: string, stderr = ""): Outcome & { kind: "failed" } {
  return { kind: "failed", reason: "failed", error, stderr };
}

/** Exit 2: standard error is the message; when it is blank, a JSON object on standard output may hold it (D11). */
function interpretBlock(stdout: string, stderr: string): Outcome {
  const message = stderr.trim();
  if (message !== "") return { kind: "blocked", message, systemMessage: "", stderr };
  const output = parseObject(stdout.trim());
  const specific = isObject(output?.["hook_specific_output"]) ? output["hook_specific_output"] : {};
  const texts = [output?.["reason"], output?.["stop_reason"], specific["permission_decision_reason"]].map(textOf);
  return { kind: "blocked", message: texts.find((text) => text !== "") ?? "", systemMessage: textOf(output?.["system_message"]), stderr };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON: there is no message in it
  }
}

function interpretText(asked: Asked, stdout: string, stderr: string): Outcome {
  const text = stdout.trim();
  if (text === "") return { kind: "silent" };
  if (!text.startsWith("{")) {
    return asked.hook.strict_output ? failed("strict_output requires a JSON object or empty stdout", stderr) : { kind: "said", text };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = hasTrailingData(text) ? "hook output must contain a single JSON object" : `invalid hook output: ${errorText(error)}`;
    return malformed(asked, detail, text, stderr);
  }
  const repeated = asked.hook.strict_output ? findRepeatedKey(text) : undefined;
  if (repeated !== undefined) return failed(`invalid hook output: repeated key ${JSON.stringify(repeated)}`, stderr);
  const outcome = interpretOutput(asked, value);
  return outcome.kind === "failed" ? { ...outcome, stderr } : outcome;
}

/** On the seed's context events a text that is no JSON object is context beside the reported failure (D12). */
function malformed(asked: Asked, error: string, text: string, stderr: string): Outcome {
  const outcome = failed(error, stderr);
  return takesMalformedText(asked.contract) && !asked.hook.strict_output ? { ...outcome, text } : outcome;
}

/** True when a text that is not valid JSON begins with a complete object and goes on after it. */
function hasTrailingData(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return parseObject(text.slice(0, at + 1)) !== undefined;
  }
  return false;
}

const Fields = v.partial(v.looseObject(OUTPUT_FIELDS));
const SpecificFields = v.partial(v.looseObject(SPECIFIC_FIELDS));

function interpretOutput(asked: Asked, value: unknown): Outcome {
  if (value === undefined || value === null) return { kind: "silent" };
  if (!isObject(value)) return failed("invalid hook output: expected an object");
  const parsed = parseOutput(value);
  if (typeof parsed === "string") return failed(`invalid hook output: ${parsed}`);
  const problem = checkVerdicts(asked, parsed) ?? (asked.hook.strict_output ? checkStrictly(asked, parsed) : undefined);
  if (problem !== undefined) return failed(problem);
  return Object.keys(parsed).length === 0 ? { kind: "silent" } : { kind: "answered", output: parsed };
}

/** The output with its null fields dropped, or what is wrong with it. */
function parseOutput(value: Record<string, unknown>): HookOutput | string {
  const { hook_specific_output: raw, ...rest } = withoutNulls(value);
  const top = v.safeParse(Fields, raw === undefined ? rest : { ...rest, hook_specific_output: raw });
  if (!top.success) return issueText(top.issues[0]);
  if (!isObject(raw)) return rest;
  const specific = withoutNulls(raw);
  const checked = v.safeParse(SpecificFields, specific);
  if (!checked.success) return `hook_specific_output.${issueText(checked.issues[0])}`;
  try {
    JSON.stringify(specific);
  } catch (error) {
    return `cannot be serialised: ${errorText(error)}`;
  }
  // Not what Valibot made of it: that leaves out keys such as "constructor".
  return { ...rest, hook_specific_output: specific };
}

/** A key of an output that would have meaning in snake case, as other programs' hooks write it. Source: hooks 6.5. */
export function camelCaseKey(output: HookOutput): { written: string; meant: string } | undefined {
  const snakeCase = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [...Object.keys(output), ...Object.keys(output.hook_specific_output ?? {})]
    .map((written) => ({ written, meant: snakeCase(written) }))
    .find(({ written, meant }) => written !== meant && (Object.hasOwn(OUTPUT_FIELDS, meant) || Object.hasOwn(SPECIFIC_FIELDS, meant)));
}

function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined));
}

function issueText(issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map((item) => String(item.key)).join(".") ?? "";
  return `${path}: expected ${wanted(issue)} but received ${issue.received}`;
}

function checkVerdicts(asked: Asked, output: HookOutput): string | undefined {
  const { decision = "" } = output;
  const lenient = decision === "allow" && !asked.hook.strict_output;
  if (decision !== "" && decision !== BLOCK && !lenient) return `invalid decision ${JSON.stringify(decision)}: expected block`;
  const verdict = output.hook_specific_output?.permission_decision ?? "";
  if (verdict !== "" && !(DECISIONS as readonly string[]).includes(verdict)) {
    return `invalid permission_decision ${JSON.stringify(verdict)}: expected allow, ask, or deny`;
  }
  return undefined;
}

/** What strict_output refuses beyond the usual. Source: hooks 6.5. */
function checkStrictly({ event, contract }: Asked, output: HookOutput): string | undefined {
  const unknown = Object.keys(output).find((key) => !Object.hasOwn(OUTPUT_FIELDS, key));
  if (unknown !== undefined) return `invalid hook output: unknown key ${JSON.stringify(unknown)}`;
  const specific = output.hook_specific_output ?? {};
  const inner = Object.keys(specific).find((key) => !Object.hasOwn(SPECIFIC_FIELDS, key));
  if (inner !== undefined) return `invalid hook output: unknown key ${JSON.stringify(`hook_specific_output.${inner}`)}`;
  const fragment = (specific.instruction_context ?? []).flatMap(Object.keys).find((key) => !INSTRUCTION_KEYS.includes(key));
  if (fragment !== undefined) return `invalid hook output: unknown key ${JSON.stringify(`hook_specific_output.instruction_context.${fragment}`)}`;
  if (specific.hook_event_name !== undefined && specific.hook_event_name !== event) {
    return `output hook_event_name ${JSON.stringify(specific.hook_event_name)} does not match ${event}`;
  }
  if (isBlocked(output) && !contract.canBlock) return `${event} does not support blocking output`;
  for (const [answer, fields] of Object.entries(ANSWER_FIELDS)) {
    const accepted = (contract.accepts as readonly string[]).includes(answer);
    if (!accepted && fields.some((field) => specific[field] !== undefined)) return `${event} does not support ${answer}`;
  }
  if (output.suppress_output === true) return "suppress_output is not supported; use stderr for diagnostics";
  return undefined;
}
