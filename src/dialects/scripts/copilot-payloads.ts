import type { Payload } from "../../protocol/rewrite.ts";
import { iso, withoutKeys } from "./payload-parts.ts";
import type { Composing, PayloadShape } from "./script.ts";

const copilotResult: PayloadShape["result"] = (textResultForLlm, failed) =>
  failed ? textResultForLlm : { resultType: "success", textResultForLlm };

/** A permission request has one shape in both forms. */
function copilotPermission(payload: Payload, { tool, now }: Composing): Payload {
  return {
    hookName: "permissionRequest",
    sessionId: payload["sessionId"],
    timestamp: now.getTime(),
    cwd: payload["cwd"],
    toolName: tool?.server ? `${tool.server.name}/${tool.server.tool}` : tool?.name,
    toolInput: tool?.hostInput,
    permissionSuggestions: [],
  };
}

/** Payloads under camelCase names. */
export const copilot: PayloadShape = {
  adds: ({ now, hostEvent }) => ({
    timestamp: now.getTime(),
    ...(hostEvent === "agentStop" ? { stopReason: "end_turn", transcriptPath: "" } : {}),
  }),
  mcp: ({ name, tool }) => `${name}-${tool}`,
  result: copilotResult,
  finish: (payload, call) => {
    if (call.hostEvent === "permissionRequest") return copilotPermission(payload, call);
    return call.hostEvent === "notification"
      ? { ...payload, hook_event_name: "Notification" }
      : withoutKeys(payload, "hook_event_name");
  },
};

const PASCAL_KEYS: Readonly<Record<string, string>> = {
  sessionId: "session_id",
  toolName: "tool_name",
  toolArgs: "tool_input",
  toolCallId: "tool_call_id",
  agentName: "agent_name",
};

/** Payloads under Pascal names. */
export const copilotPascal: PayloadShape = {
  adds: (call) => ({
    timestamp: iso(call),
    ...(call.hostEvent === "Stop" ? { stop_reason: "end_turn", transcript_path: "" } : {}),
  }),
  mcp: ({ name, tool }) => `${name}-${tool}`,
  finish: (payload, call) => {
    if (call.hostEvent === "PermissionRequest") return copilotPermission(payload, call);
    const { toolResult, ...rest } = payload;
    const snake = Object.entries(rest).map(([key, value]) => [PASCAL_KEYS[key] ?? key, value]);
    const result =
      toolResult === undefined ? {} : { tool_result: { result_type: "success", text_result_for_llm: toolResult } };
    return { ...Object.fromEntries(snake), ...result };
  },
};
