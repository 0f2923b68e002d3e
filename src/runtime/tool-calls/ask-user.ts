import { omitEmpty } from "../../lib/json.ts";
import { untilAborted } from "../../lib/settle-within.ts";
import type { DecidingHook } from "../../protocol/fields.ts";
import type { ApprovalAnswer } from "../events/front-end.ts";
import { grantFor } from "../permissions/permissions.ts";
import type { Session } from "../session/session.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { report } from "../stream/runtime.ts";
import { dispatchScopeOf, type Turn } from "../stream/stream-state.ts";
import { type Approval, type PendingCall, pendingCallReport, rewriteReport, toolReport } from "./pending-call.ts";

/** The details of a question about a call. */
export interface ApprovalQuestion {
  /** From hooks and the safety label. */
  metadata: Record<string, string>;
  /** The hooks that require the approval of the user. */
  hooks: DecidingHook[];
  /** Why the user is asked, in words. */
  why: string;
  /** How the user can allow such calls without a question. */
  hint: string;
}

/** Asks the user about a call. Denies it if no user can be asked; cancels it if the stream is cancelled. */
export async function askUser(turn: Turn, call: PendingCall, question: ApprovalQuestion): Promise<Approval> {
  const { metadata, hooks, why, hint } = question;
  const { runtime, session, signal } = turn.stream;
  const { tool } = call;
  if (!runtime.frontEnd.askApproval) {
    const text = `Tool '${tool.name}' requires user confirmation but the session is non-interactive.`;
    const { unaskedFor } = runtime.frontEnd;
    const nobody =
      unaskedFor === undefined ? "this run has no terminal to ask at" : `with ${unaskedFor} nobody is asked`;
    const reason = `${why}, and ${nobody}`;
    return { decision: "deny", source: "non_interactive_deny", outcome: "refused", text, reason, hint };
  }
  const rewritten = await rewriteReport(turn.agent, call);
  report(runtime, turn.agent, {
    type: "tool_call_confirmation",
    tool_call: pendingCallReport(call),
    tool_definition: toolReport(tool.name, tool),
    metadata,
    ...omitEmpty({ hooks, rewritten }),
  });
  await dispatch(dispatchScopeOf(turn.stream), turn.agent, "on_user_input", {});
  const request = {
    toolCallId: call.id,
    toolName: tool.name,
    toolCategory: tool.category,
    input: call.input,
    metadata,
    hooks,
    ...omitEmpty({ rewritten }),
    grant: grantText(grantFor(tool, call.input)),
    agentName: turn.agent.name,
    sessionId: session.id,
    mayRead: (path: string) => tool.mayRead?.(path, session.workingDir) ?? false,
  };
  const answer = await untilAborted(runtime.frontEnd.askApproval(request, signal), signal);
  if (!answer) return { decision: "canceled", source: "context_canceled" };
  applyGrant(answer, session, call);
  runtime.journal?.update(session);
  return approvalOf(answer);
}

/** Returns in words what a grant covers: the start of a command line, exactly one line, or a tool. */
function grantText(rule: string): string {
  const command = /:cmd=([^]*)$/.exec(rule)?.[1];
  if (command === undefined) return rule;
  return /^[\w./@+-]+\*$/.test(command) ? command.replace(/\*$/, " *") : "exactly this line";
}

function approvalOf(answer: ApprovalAnswer): Approval {
  switch (answer.kind) {
    case "once":
      return { decision: "allow", source: "user_approved" };
    case "tool":
      return { decision: "allow", source: "user_approved_tool" };
    case "balanced":
      return { decision: "allow", source: "user_approved_balanced" };
    case "session":
      return { decision: "allow", source: "user_approved_session" };
    case "reject": {
      const text = `The user rejected the tool call.${answer.reason ? ` Reason: ${answer.reason}` : ""}`;
      return { decision: "deny", source: "user_rejected", outcome: "rejected", text, reason: answer.reason ?? text };
    }
    case "cancel_batch":
      return { decision: "canceled", source: "context_canceled" };
  }
}

function applyGrant(answer: ApprovalAnswer, session: Session, { tool, input }: PendingCall): void {
  if (answer.kind === "tool") {
    const { allow, ...rest } = session.permissions;
    session.permissions = { ...rest, allow: [...allow, grantFor(tool, input)] };
  } else if (answer.kind === "balanced") {
    session.safetyMode = "balanced";
  } else if (answer.kind === "session") {
    session.safetyMode = "autonomous";
  }
}
