import type { Message } from "../protocol/fields.ts";
import { type ContentPart, mergeNeighbours, messageParts, messageText } from "./message-parts.ts";
import type { ModelRequest, ToolDefinition } from "./model.ts";
import { prefersResponses } from "./reference.ts";
import type { ResolvedModel } from "./resolve.ts";
import { completionBudget, pickOptions, sampling } from "./settings.ts";
import { reasoningEffort } from "./thinking.ts";
import { cleanSchema } from "./tool-schema.ts";

/**
 * The body of a Chat Completions request.
 *
 * Source: config-and-cli 6.8.
 */
export function chatBody(model: ResolvedModel, request: ModelRequest, window: number): Record<string, unknown> {
  const { spec } = model;
  const budget = completionBudget(model, request, window);
  const effort = reasoningEffort(model.model, spec.thinking_budget, request.quiet);
  const hasTools = request.tools.length > 0;
  return {
    ...pickOptions(model, ["seed", "top_k", "repetition_penalty", "min_p", "typical_p"]),
    model: model.model,
    messages: chatMessages(model.mergesMessages ? mergeNeighbours(request.messages) : request.messages),
    ...(budget ? { [prefersResponses(model.model) ? "max_completion_tokens" : "max_tokens"]: budget } : {}),
    ...sampling(model, ["temperature", "top_p", "frequency_penalty", "presence_penalty"]),
    ...(hasTools ? { tools: request.tools.map((tool) => chatTool(tool, model)), tool_choice: "auto" } : {}),
    ...(hasTools && spec.parallel_tool_calls !== undefined ? { parallel_tool_calls: spec.parallel_tool_calls } : {}),
    ...(effort ? { reasoning_effort: effort } : {}),
    ...(request.structuredOutput
      ? { response_format: { type: "json_schema", json_schema: request.structuredOutput } }
      : {}),
    ...(spec.track_usage === false ? {} : { stream_options: { include_usage: true } }),
    stream: true,
  };
}

function chatTool(tool: ToolDefinition, { client }: ResolvedModel): Record<string, unknown> {
  // Docker Model Runner refuses an empty description.
  const description = tool.description || (client === "dmr" ? tool.name : "");
  return {
    type: "function",
    function: { name: tool.name, description, parameters: cleanSchema(tool.parameters).schema },
  };
}

function chatMessages(messages: readonly Message[]): Record<string, unknown>[] {
  const sent: Record<string, unknown>[] = [];
  let images: ContentPart[] = [];
  for (const message of messages) {
    if (message.role !== "tool" && images.length > 0) {
      sent.push(attachments(images));
      images = [];
    }
    const entry = chatMessage(message);
    if (entry) sent.push(entry);
    // The result of a tool is text only; what it shows follows the whole batch as a message of its own.
    if (message.role === "tool") images = [...images, ...messageParts(message).filter((part) => part.kind !== "text")];
  }
  return images.length > 0 ? [...sent, attachments(images)] : sent;
}

function attachments(parts: readonly ContentPart[]): Record<string, unknown> {
  return {
    role: "user",
    content: [{ type: "text", text: "Attachments of the tool results above:" }, ...parts.map(chatPart)],
  };
}

function chatMessage(message: Message): Record<string, unknown> | undefined {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: messageText(message) };
    case "tool":
      return { role: "tool", tool_call_id: message.tool_call_id ?? "", content: messageText(message) };
    case "user": {
      const parts = messageParts(message);
      const plain = parts.every((part) => part.kind === "text") && !message.multi_content?.length;
      return { role: "user", content: plain ? (message.content ?? "") : parts.map(chatPart) };
    }
    case "assistant": {
      const text = messageText(message);
      const calls = (message.tool_calls ?? []).map(({ id, function: call }) => ({
        id,
        type: "function",
        function: { name: call.name, arguments: call.arguments },
      }));
      if (!text && calls.length === 0) return undefined;
      return {
        role: "assistant",
        ...(text ? { content: text } : {}),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      };
    }
  }
}

function chatPart(part: ContentPart): Record<string, unknown> {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image_url", image_url: { url: part.url, ...(part.detail ? { detail: part.detail } : {}) } };
    case "file":
      return { type: "file", file: { filename: part.name, file_data: `data:${part.mimeType};base64,${part.data}` } };
  }
}
