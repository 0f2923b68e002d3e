import { canonicalJson, isDeeperThan, isObject, omitEmpty } from "../../lib/json.ts";
import type { ToolCall } from "../../model/model.ts";
import type { EventPayload } from "../../protocol/events.ts";
import { MAX_ARGUMENT_DEPTH, parseArguments } from "../../tools/arguments.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Agent } from "../agent/agent.ts";
import { redactedFields } from "../agent/agent-redaction.ts";
import type { RunEventBody } from "../events/run-events.ts";
import type { DecidingHooks } from "../stream/dispatch-event.ts";

/** What decided whether a call runs. */
export type ApprovalSource =
  | "yolo"
  | "mode_balanced"
  | "mode_restricted"
  | "mode_accept_edits"
  | "mode_plan"
  | "readonly_hint"
  | "session_permissions_allow"
  | "session_permissions_deny"
  | "team_permissions_allow"
  | "team_permissions_deny"
  | "rules_allow"
  | "rules_deny"
  | "pre_tool_use_hook_allow"
  | "pre_tool_use_hook_deny"
  | "permission_request_hook_allow"
  | "permission_request_hook_deny"
  | "tool_input_transform_deny"
  | "tool_guard_deny"
  | "ask_flag_allow"
  | "user_approved"
  | "user_approved_tool"
  | "user_approved_balanced"
  | "user_approved_session"
  | "user_rejected"
  | "non_interactive_deny"
  | "audit_required"
  | "context_canceled";

/** The decision whether a call runs. */
export type Approval = Decision & {
  /** The hooks that gave the verdict, or that required the approval of the user. */
  deciders?: DecidingHooks;
};

type Decision =
  | {
      decision: "allow";
      source: ApprovalSource;
      /** Why a hook allowed it. */
      reason?: string;
    }
  | {
      decision: "deny";
      source: ApprovalSource;
      outcome: "blocked" | "denied" | "refused" | "rejected";
      /** Shown to the model. */
      text: string;
      /** Shown to the user. */
      reason: string;
      /** How the user can allow such a call. */
      hint?: string;
      /** A rule also ends the run. */
      stopsRun?: true;
    }
  | {
      decision: "canceled";
      source: "context_canceled";
      /** Why the run was stopped; absent if the user cancelled the call. */
      reason?: string;
    };

/** A call of a known tool, with parsed arguments. */
export interface PendingCall {
  readonly id: string;
  readonly tool: Tool;
  /** After all rewrites so far. */
  input: Record<string, unknown>;
  /** The arguments before the first rewrite, and the hooks behind all of them; absent if no hook rewrote any. */
  rewritten?: { from: Readonly<Record<string, unknown>>; by: DecidingHooks[] };
}

/** The fields about the call in the input of every tool event. */
export type ToolFields = Pick<
  EventPayload<"pre_tool_use">,
  | "tool_name"
  | "tool_qualified_name"
  | "tool_use_id"
  | "tool_input"
  | "tool_category"
  | "tool_read_only"
  | "safety_policy"
>;

/** Returns the {@link ToolFields} of a call; empty ones are left out. */
export function toolFields(call: PendingCall, safety_policy: string | undefined): ToolFields {
  const tool_name = call.tool.name;
  const rest = omitEmpty({
    tool_qualified_name: call.tool.qualifiedName,
    tool_use_id: call.id,
    tool_input: call.input,
    tool_category: call.tool.category,
    tool_read_only: call.tool.readOnly,
    safety_policy,
  });
  return { tool_name, ...rest };
}

/** Returns the {@link ToolFields} of a call that never reached its tool, with its arguments if they can be parsed. */
export function unreadCallFields(
  call: ToolCall,
  tool: Tool | undefined,
  safety_policy: string | undefined,
): ToolFields {
  const unknown = { tool_use_id: call.id, tool_input: readObject(call.arguments), safety_policy };
  if (!tool) return { tool_name: call.name, ...omitEmpty(unknown) };
  const parsed = parseArguments(tool, call.arguments);
  return toolFields({ id: call.id, tool, input: parsed.ok ? parsed.input : {} }, safety_policy);
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !isDeeperThan(value, MAX_ARGUMENT_DEPTH) ? value : undefined;
  } catch {
    return undefined; // the response to the call reports it to the model
  }
}

type CallBody = Extract<RunEventBody, { type: "tool_call" }>;

/** Returns a call as run events show it. */
export function callReport(call: ToolCall): CallBody["tool_call"] {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}

/** Returns a call with its arguments after all rewrites, as run events show it. */
export function pendingCallReport({ id, tool, input }: PendingCall): ReturnType<typeof callReport> {
  return callReport({ id, name: tool.name, arguments: JSON.stringify(input) });
}

/**
 * Returns what the model wrote and which hooks changed it, as run events show it, redacted like any call of the agent;
 * undefined if nothing but a redaction changed it.
 */
export async function rewriteReport(agent: Agent, { input, rewritten }: PendingCall): Promise<CallBody["rewritten"]> {
  if (!rewritten) return undefined;
  const { tool_input: before } = await redactedFields(agent, { tool_input: rewritten.from });
  if (canonicalJson(before) === canonicalJson(input)) return undefined;
  return { arguments: JSON.stringify(before), hooks: (await Promise.all(rewritten.by.map((hooks) => hooks()))).flat() };
}

/** Returns a tool as run events show it; only the name if it does not exist. */
export function toolReport(name: string, tool: Tool | undefined): CallBody["tool_definition"] {
  if (!tool) return { name };
  const { description, parameters, category, readOnly } = tool;
  return { name, description, parameters: { ...parameters }, category, ...(readOnly ? { read_only: true } : {}) };
}
