import { isDeeperThan, isObject } from "../../lib/json.ts";
import { omitEmpty } from "../../lib/omit-empty.ts";
import type { ToolCall } from "../../model/model.ts";
import type { EventPayload } from "../../protocol/events.ts";
import { MAX_ARGUMENT_DEPTH, parseArguments } from "../../tools/arguments.ts";
import type { Tool } from "../../tools/tool.ts";
import type { DecidingHooks } from "../dispatch-event.ts";
import type { RunEventBody } from "../run-events.ts";

/** Who let a call run, or did not. Source: hooks 9.2. */
export type ApprovalSource =
  | "yolo"
  | "mode_balanced"
  | "mode_restricted"
  | "readonly_hint"
  | "session_permissions_allow"
  | "session_permissions_deny"
  | "team_permissions_allow"
  | "team_permissions_deny"
  | "pre_tool_use_hook_allow"
  | "pre_tool_use_hook_deny"
  | "permission_request_hook_allow"
  | "permission_request_hook_deny"
  | "tool_input_transform_deny"
  | "tool_guard_deny"
  | "user_approved"
  | "user_approved_tool"
  | "user_approved_balanced"
  | "user_approved_session"
  | "user_rejected"
  | "non_interactive_deny"
  | "context_canceled";

/** Whether a call runs. */
export type Approval = Decision & {
  /** The hooks that gave the verdict, or that wanted the user asked. */
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
      /** What the model is told. */
      text: string;
      /** What the user is told. */
      reason: string;
      /** What the user can do so that such a call runs. */
      hint?: string;
    }
  | { decision: "canceled"; source: "context_canceled" };

/** A call of a tool that exists, with arguments that could be read. */
export interface PendingCall {
  readonly id: string;
  readonly tool: Tool;
  /** After all rewrites so far. */
  input: Record<string, unknown>;
}

/** What every input of a tool event says about the call. */
export type ToolFields = Pick<
  EventPayload<"pre_tool_use">,
  "tool_name" | "tool_qualified_name" | "tool_use_id" | "tool_input" | "tool_category" | "tool_read_only"
>;

/** {@link ToolFields} of a call; absent where there is nothing to say. */
export function toolFields(call: PendingCall): ToolFields {
  const tool_name = call.tool.name;
  const rest = omitEmpty({
    tool_qualified_name: call.tool.qualifiedName,
    tool_use_id: call.id,
    tool_input: call.input,
    tool_category: call.tool.category,
    tool_read_only: call.tool.readOnly,
  });
  return { tool_name, ...rest };
}

/** {@link ToolFields} of a call that never got to its tool: its arguments only where they can be read. */
export function unreadCallFields(call: ToolCall, tool: Tool | undefined): ToolFields {
  const unknown = { tool_use_id: call.id, tool_input: readObject(call.arguments) };
  if (!tool) return { tool_name: call.name, ...omitEmpty(unknown) };
  const parsed = parseArguments(tool, call.arguments);
  return toolFields({ id: call.id, tool, input: parsed.ok ? parsed.input : {} });
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !isDeeperThan(value, MAX_ARGUMENT_DEPTH) ? value : undefined;
  } catch {
    return undefined; // the model is told of it where the call is answered
  }
}

type CallBody = Extract<RunEventBody, { type: "tool_call" }>;

/** A call as reports show it. */
export function callReport(call: ToolCall): CallBody["tool_call"] {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}

/** A call with its arguments after all rewrites, as reports show it. */
export function pendingCallReport({ id, tool, input }: PendingCall): ReturnType<typeof callReport> {
  return callReport({ id, name: tool.name, arguments: JSON.stringify(input) });
}

/** A tool as reports show it; only its name when it does not exist. */
export function toolReport(name: string, tool: Tool | undefined): CallBody["tool_definition"] {
  if (!tool) return { name };
  const { description, parameters, category, readOnly } = tool;
  return { name, description, parameters: { ...parameters }, category, ...(readOnly ? { read_only: true } : {}) };
}
