import type { ToolCall } from "../../model/model.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { ATTRIBUTES, DENIED } from "../../trace/names.ts";
import type { Span, SpanStart } from "../../trace/span.ts";
import type { CallOutcome } from "../events/run-events.ts";
import type { Approval } from "./pending-call.ts";

/** The outcomes of a call that was not allowed to run. */
const REFUSED: readonly CallOutcome[] = ["blocked", "denied", "refused", "rejected"];

/** Returns the span of a call, from its arrival until its last hook has run. */
export function toolSpan({ id, name }: ToolCall): SpanStart {
  return {
    name: `execute_tool ${name}`,
    attributes: {
      [ATTRIBUTES.operation]: "execute_tool",
      [ATTRIBUTES.toolName]: name,
      [ATTRIBUTES.toolCallId]: id,
      [ATTRIBUTES.toolType]: "function",
    },
  };
}

/** Adds to the span of a call who allowed or refused it, and why. */
export function traceApproval(span: Span, approval: Approval): void {
  span.set(ATTRIBUTES.approvalSource, approval.source);
  span.text(ATTRIBUTES.reason, approval.reason);
}

/** Adds to the span of a call how it ended. A call that did not run as asked failed. */
export function traceResponse(
  span: Span,
  call: { arguments: string },
  response: ToolResult,
  outcome: CallOutcome | undefined,
): void {
  span.set(ATTRIBUTES.outcome, outcome);
  span.content(ATTRIBUTES.toolArguments, () => parsedOrText(call.arguments));
  span.content(ATTRIBUTES.toolResult, () => response.text);
  if (outcome !== undefined && outcome !== "completed") span.fail(REFUSED.includes(outcome) ? DENIED : outcome);
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
