import { decode, isUndecodable } from "../dialects/decode.ts";
import type { Channel, Dialect, HostCall } from "../dialects/dialect.ts";
import { channels, encode } from "../dialects/encode.ts";
import type { DialectName } from "../dialects/names.ts";
import type { Composed } from "../dialects/scripts/script.ts";
import { errorText } from "../lib/errors.ts";
import { type AnyResult, decisionOf } from "../protocol/result.ts";
import { askedOf, composeStep, readAnswer } from "./dialect-bytes.ts";
import { EXPECTATION_CANNOT_HOLD, type ExpectKey } from "./expectations.ts";
import { containsDeep } from "./expected-value.ts";
import type { TestCase, TestStep } from "./test-case.ts";

/** The part that a host must accept for an expectation to show in its answer. `never`: no host accepts it. */
const NEEDS: Readonly<Partial<Record<ExpectKey, Channel | "never">>> = {
  input: "rewrite",
  input_contains: "rewrite",
  tool_response: "replace",
  context: "context",
  system_message: "notice",
  messages: "never",
  response: "never",
  summary: "never",
  metadata: "never",
};

/** Returns a case for a host; skipped, with the reason, if the host cannot express its events or answers. */
export function caseOfDialect(test: TestCase, name: DialectName, dialect: Dialect): TestCase {
  const named: TestCase = { ...test, name: `${test.name} (${name})`, dialect: name };
  if (test.skip !== undefined) return named;
  for (const step of test.steps) {
    const lacking = problemOf(step, name, dialect);
    if (lacking !== undefined) return { ...named, skip: `${name} ${lacking}` };
  }
  return named;
}

function problemOf(step: TestStep, name: DialectName, dialect: Dialect): string | undefined {
  const { event, payload } = step;
  if (!Object.values(dialect.events).some((row) => row.is.includes(event))) return `has no event for ${event}`;
  const { cwd = "/" } = payload;
  let composed: Composed;
  try {
    composed = composeStep(dialect, event, { session_id: "s", tool_use_id: "t", ...payload, cwd });
  } catch (error) {
    return errorText(error);
  }
  const call = decode(dialect, composed.payload, composed.event);
  if (isUndecodable(call)) return `cannot send this event: ${call.problem}`;
  return lostInDecoding(call, step) ?? lostInAnswer(name, call, step, composed);
}

problemOf.help = EXPECTATION_CANNOT_HOLD;

/** Returns the fields of the event that the host's payload lacks. */
function lostInDecoding(call: HostCall, { event, payload }: TestStep): string | undefined {
  const decoded = call.events.find((one) => one.event === event)?.payload;
  if (!decoded) return `does not run hooks of ${event} for this input`;
  const lost = Object.keys(payload).find((field) => {
    if (FREE.includes(field) || containsDeep(payload[field], decoded[field])) return false;
    return !(field === "tool_name" && call.tool?.names.includes(String(payload[field])));
  });
  return lost === undefined ? undefined : `cannot send this ${lost} in ${call.event}`;
}

lostInDecoding.help = EXPECTATION_CANNOT_HOLD;

/** Fields that hosts write in their own way. */
const FREE: readonly string[] = ["cwd", "session_id", "tool_use_id", "tool_qualified_name"];

/** Returns the parts of the expected answer that the host does not accept. */
function lostInAnswer(
  name: DialectName,
  call: HostCall,
  { event, payload, expect }: TestStep,
  composed: Composed,
): string | undefined {
  const takes = channels(call.row, call.payload);
  const needed = [...decisionNeeds(expect.decision), ...Object.keys(expect).map((key) => NEEDS[key as ExpectKey])];
  const lacking = needed.find((channel) => channel !== undefined && (channel === "never" || !takes.includes(channel)));
  if (lacking === "never") return `takes no such answer to ${call.event}`;
  if (lacking !== undefined) return `takes no ${lacking} in the answer to ${call.event}`;
  const sample = SAMPLES[String(expect.decision)];
  if (!sample) return undefined;
  const read = readAnswer(askedOf(name, event, composed), encode(call, [{ event, result: sample }]), payload);
  if (typeof read === "string") return `would not understand the answer to ${call.event}: ${read}`;
  const seen = decisionOf(event, read);
  return seen === expect.decision ? undefined : `reads ${expect.decision} in the answer to ${call.event} as ${seen}`;
}

lostInAnswer.help = EXPECTATION_CANNOT_HOLD;

/** A result for each decision, to find out how the host reads it. */
const SAMPLES: Readonly<Record<string, AnyResult>> = {
  deny: { allowed: false, message: "reason" },
  block: { allowed: false, message: "reason" },
  ask: { allowed: true, decision: "ask", decision_reason: "reason" },
  allow: { allowed: true, decision: "allow", permission_allowed: true, decision_reason: "reason" },
};

function decisionNeeds(decision: unknown): Channel[] {
  if (decision === "deny" || decision === "block") return ["block"];
  return decision === "ask" || decision === "allow" ? [decision] : [];
}
