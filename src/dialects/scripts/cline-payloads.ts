import type { Payload } from "../../protocol/rewrite.ts";
import { asText, text } from "./payload-parts.ts";
import type { Composing, PayloadShape } from "./script.ts";

const textMap = (input: Payload): Payload =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, asText(value)]));

/** Cline's editor takes the edits as blocks in one text. */
const clineInput: PayloadShape["input"] = (tool, { edits, ...own }) => {
  if (tool !== "edit_file" || !Array.isArray(edits)) return undefined;
  const block = (edit: Payload) =>
    ["------- SEARCH", text(edit["oldText"]), "=======", text(edit["newText"]), "+++++++ REPLACE"].join("\n");
  return { ...own, diff: edits.map(block).join("\n") };
};

/** The object that is named after the event. */
function clinePart({ hostEvent, input, tool }: Composing): Payload {
  if (tool) {
    const { server } = tool;
    const isMcp = server && { server_name: server.name, tool_name: server.tool, arguments: tool.hostInput };
    const call = { toolName: isMcp ? "use_mcp_tool" : tool.name, parameters: textMap(isMcp ?? tool.hostInput) };
    if (hostEvent !== "PostToolUse" && hostEvent !== "tool_result") return call;
    const success = input["tool_error"] !== true;
    return { ...call, result: asText(input["tool_response"] ?? ""), success, executionTimeMs: 0 };
  }
  if (hostEvent === "UserPromptSubmit" || hostEvent === "prompt_submit")
    return { prompt: text(input["prompt"]), attachments: [] };
  if (hostEvent === "Notification") return { message: text(input["notification_message"]) };
  if (hostEvent === "PreCompact") return { contextSize: input["input_tokens"] ?? 0, compactionStrategy: "" };
  return { taskMetadata: { taskId: text(input["session_id"]), initialTask: "" } };
}

/** Payloads of the extension. */
export const cline: PayloadShape = {
  adds: ({ now, input }) => ({
    clineVersion: "",
    timestamp: String(now.getTime()),
    userId: "",
    model: { provider: "", slug: text(input["model_id"]) },
  }),
  input: clineInput,
  finish: (payload, call) => ({
    ...payload,
    [call.hostEvent.charAt(0).toLowerCase() + call.hostEvent.slice(1)]: clinePart(call),
  }),
};

/** Payloads of the CLI and the SDK. */
export const clineSdk: PayloadShape = {
  adds: ({ now, input }) => ({
    clineVersion: "",
    timestamp: now.toISOString(),
    agent_id: "",
    parent_agent_id: input["parent_session_id"] ?? null,
    iteration: 0,
  }),
  mcp: ({ name, tool }) => `${name}__${tool}`,
  finish: (payload, call) => {
    const { hostEvent, tool, input } = call;
    if (!tool) return hostEvent === "prompt_submit" ? { ...payload, userPromptSubmit: clinePart(call) } : payload;
    const own = { id: text(tool.id), name: tool.name, input: tool.hostInput };
    const copy = { toolName: tool.name, parameters: textMap(tool.hostInput) };
    if (hostEvent === "tool_call") return { ...payload, tool_call: own, preToolUse: copy };
    const result = asText(input["tool_response"] ?? "");
    const outcome = input["tool_error"] === true ? { error: result } : { output: result };
    return { ...payload, tool_result: { ...own, ...outcome }, postToolUse: clinePart(call) };
  },
};
