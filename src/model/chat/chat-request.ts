import { isObject, omitEmpty } from "../../lib/json.ts";
import { withStructuredInstruction } from "../calls/structured-text.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { ModelRequest, ToolDefinition } from "../model.ts";
import { CHAT_OPTIONS, CHAT_SAMPLING } from "../openai/openai-settings.ts";
import { jsonSchemaFormat, toolParameters } from "../schema/provider-schema.ts";
import { textOption } from "../settings/provider-options.ts";
import { completionBudget, providerOptionFields, samplingFields } from "../settings/request-settings.ts";
import { reasoningEffort } from "../settings/thinking.ts";
import { chatMessages } from "./chat-messages.ts";

/** Returns the body of a Chat Completions request. */
export function chatBody(model: ResolvedModel, request: ModelRequest, window: number): Record<string, unknown> {
  const { spec } = model;
  const budget = completionBudget(model, request, window);
  const effort = reasoningEffort(model.family, spec.thinking_budget, request.minimalThinking);
  const hasTools = request.tools.length > 0;
  const { structuredOutput: output } = request;
  const inWords = output !== undefined && model.family.structuredOutput === "text";
  const enforced = inWords ? undefined : output;
  const messages = inWords ? withStructuredInstruction(request.messages, output) : request.messages;
  const parallel = model.family.chat.parallelToolCalls ? spec.parallel_tool_calls : undefined;
  const extra = spec.provider_opts?.["extra_body"];
  return {
    ...providerOptionFields(model, CHAT_OPTIONS),
    model: model.model,
    messages: chatMessages(model, messages),
    ...(budget ? { [model.family.prefersResponses ? "max_completion_tokens" : "max_tokens"]: budget } : {}),
    ...samplingFields(model, CHAT_SAMPLING, effort),
    ...(hasTools ? { tools: request.tools.map((tool) => chatTool(tool, model)), tool_choice: "auto" } : {}),
    ...(hasTools && parallel !== undefined ? { parallel_tool_calls: parallel } : {}),
    ...(effort ? { reasoning_effort: effort } : {}),
    ...(enforced
      ? { response_format: { type: "json_schema", json_schema: jsonSchemaFormat(enforced, model.family) } }
      : {}),
    ...(spec.track_usage === false ? {} : { stream_options: { include_usage: true } }),
    ...omitEmpty({ service_tier: textOption(model, "service_tier") }),
    ...(isObject(extra) ? extra : {}),
    stream: true,
  };
}

function chatTool(tool: ToolDefinition, { row, family }: ResolvedModel): Record<string, unknown> {
  // Docker Model Runner refuses an empty description.
  const description = tool.description || (row.isLocalEngine ? tool.name : "");
  return {
    type: "function",
    function: { name: tool.name, description, parameters: toolParameters(tool.parameters, family.schema).schema },
  };
}
