import { isObject } from "../lib/json.ts";
import { findMismatch, mismatchText, object } from "../lib/schema/shape.ts";
import { nearest } from "../lib/text/nearest.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import { type HookOutput, OUTPUT_FIELDS, SPECIFIC_FIELDS, type SpecificOutput } from "../protocol/output.ts";
import { DECISIONS, DISPATCH_DECISIONS } from "../protocol/result.ts";

/** The short keys of a stub, and the field of `hook_specific_output` that each stands for. */
const SHORT_KEYS = {
  input: "updated_input",
  messages: "updated_messages",
  tool_response: "updated_tool_response",
  response: "updated_response",
  context: "additional_context",
  summary: "summary",
  metadata: "metadata",
} as const satisfies Record<string, keyof SpecificOutput>;

/** The short key of a stub that names the agent of a transition. */
const ROUTE = "route";

const KEYS = [...Object.keys(OUTPUT_FIELDS), ...Object.keys(SHORT_KEYS), ROUTE];

const OUTPUT = object({}, OUTPUT_FIELDS);
const SPECIFIC = object({}, SPECIFIC_FIELDS);

/**
 * Reads the answer of a stub: a decision, a mapping of short keys (`decision`, `reason`, `input` ...), or the output of
 * a hook. Returns a message if it is neither, or if hooks on this event cannot answer so. Without an answer the stub
 * says nothing.
 */
export function readStub(value: unknown, event: EventName): { answer: HookOutput | undefined } | string {
  const written = typeof value === "string" ? { decision: value } : value;
  if (!isObject(written)) return "expected a decision or the answer of a hook";
  const unknown = Object.keys(written).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    const close = nearest(unknown, KEYS);
    return `unknown key ${JSON.stringify(unknown)}${close ? `; did you mean ${JSON.stringify(close)}?` : `; known keys are ${KEYS.join(", ")}`}`;
  }
  const problem = decisionProblem(written["decision"], event);
  if (problem !== undefined) return problem;
  const answer = toOutput(written, event);
  const wrong = findMismatch(OUTPUT, written) ?? findMismatch(SPECIFIC, answer.hook_specific_output ?? {});
  if (wrong) return mismatchText(wrong);
  return { answer: Object.keys(answer).length === 0 ? undefined : answer };
}

function decisionProblem(decision: unknown, event: EventName): string | undefined {
  if (decision === undefined) return undefined;
  const known = DISPATCH_DECISIONS.find((name) => name === decision);
  if (known === undefined)
    return `unknown decision ${JSON.stringify(decision)}: expected ${DISPATCH_DECISIONS.join(", ")}`;
  const { verdict, canBlock, reading } = contractOf(event);
  if (known === "allow" && reading === "approval") return undefined;
  if (known === "block" && !canBlock) return `the hook runs on ${event}, which cannot block`;
  if (verdict === undefined && DECISIONS.some((name) => name === known))
    return reading === "approval"
      ? `the hook runs on ${event}: write allow, block or none`
      : `the hook runs on ${event}, which has no verdict: write ${canBlock ? "block or none" : "none"}`;
  return undefined;
}

function toOutput(written: Readonly<Record<string, unknown>>, event: EventName): HookOutput {
  const { decision, reason, hook_specific_output: given, ...rest } = written;
  const approves = decision === "allow" && contractOf(event).reading === "approval";
  const verdict = approves ? undefined : DECISIONS.find((name) => name === decision);
  const top = Object.fromEntries(Object.entries(rest).filter(([key]) => Object.hasOwn(OUTPUT_FIELDS, key)));
  const short = Object.entries(SHORT_KEYS).filter(([key]) => Object.hasOwn(rest, key));
  const specific = {
    ...(isObject(given) ? given : {}),
    ...(verdict ? { permission_decision: verdict } : {}),
    ...(verdict && reason !== undefined ? { permission_decision_reason: reason } : {}),
    ...Object.fromEntries(short.map(([key, field]) => [field, rest[key]])),
    ...(Object.hasOwn(rest, ROUTE) ? { transition: { action: "route", agent: rest[ROUTE] } } : {}),
  };
  return {
    ...top,
    ...(approves ? { continue: true } : {}),
    ...(decision === "block" ? { decision } : {}),
    ...(!verdict && reason !== undefined ? { reason } : {}),
    ...(Object.keys(specific).length > 0 ? { hook_specific_output: specific } : {}),
  } as HookOutput;
}
