import type { Message } from "../protocol/fields.ts";
import { type ContentPart, mergeNeighbours, messageParts, messageText } from "./message-parts.ts";
import type { ModelRequest } from "./model.ts";
import type { ResolvedModel } from "./resolve.ts";
import { completionBudget, sampling } from "./settings.ts";
import { reasoningEffort } from "./thinking.ts";
import { cleanSchema } from "./tool-schema.ts";

type Item = Record<string, unknown>;

/** What stands in for the result of a call that has none; the API refuses a call without one. */
const NO_RESULT = "The call has no result: it was interrupted";

/**
 * The body of a Responses request.
 *
 * Source: config-and-cli 6.8.
 */
export function responsesBody(model: ResolvedModel, request: ModelRequest, window: number): Item {
  const { spec } = model;
  const budget = completionBudget(model, request, window);
  const effort = reasoningEffort(model.model, spec.thinking_budget, request.quiet);
  const hasTools = request.tools.length > 0;
  return {
    model: model.model,
    input: inputItems(model.mergesMessages ? mergeNeighbours(request.messages) : request.messages),
    ...(budget ? { max_output_tokens: budget } : {}),
    ...sampling(model, ["temperature", "top_p"]),
    ...(hasTools
      ? {
          tools: request.tools.map((tool) => {
            const { schema, strict } = cleanSchema(tool.parameters);
            return { type: "function", name: tool.name, description: tool.description, parameters: schema, strict };
          }),
          tool_choice: "auto",
        }
      : {}),
    ...(hasTools && spec.parallel_tool_calls !== undefined ? { parallel_tool_calls: spec.parallel_tool_calls } : {}),
    ...(effort === undefined ? {} : { reasoning: reasoning(effort) }),
    ...(request.structuredOutput ? { text: { format: { type: "json_schema", ...request.structuredOutput } } } : {}),
    stream: true,
  };
}

function reasoning(effort: string | null): Item {
  if (effort === null) return { summary: "detailed" };
  return effort === "none" ? { effort } : { effort, summary: "detailed" };
}

function inputItems(messages: readonly Message[]): Item[] {
  const answered = new Set(messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : [])));
  return messages.flatMap((message): Item[] => {
    switch (message.role) {
      case "system":
      case "developer":
        return [{ role: "system", content: [{ type: "input_text", text: messageText(message) }] }];
      case "user":
        return [
          {
            role: "user",
            content: message.multi_content?.length ? messageParts(message).map(inputPart) : (message.content ?? ""),
          },
        ];
      case "assistant": {
        const text = messageText(message);
        const calls = message.tool_calls ?? [];
        return [
          ...(text ? [{ role: "assistant", content: text }] : []),
          ...calls.map(({ id, function: call }) => ({
            type: "function_call",
            call_id: id,
            name: call.name,
            arguments: call.arguments,
          })),
          ...calls
            .filter(({ id }) => !answered.has(id))
            .map(({ id }) => ({ type: "function_call_output", call_id: id, output: NO_RESULT })),
        ];
      }
      case "tool": {
        const parts = messageParts(message);
        const plain = parts.every((part) => part.kind === "text");
        return [
          {
            type: "function_call_output",
            call_id: message.tool_call_id ?? "",
            output: plain ? messageText(message) : parts.map(inputPart),
          },
        ];
      }
    }
  });
}

function inputPart(part: ContentPart): Item {
  switch (part.kind) {
    case "text":
      return { type: "input_text", text: part.text };
    case "image":
      return { type: "input_image", image_url: part.url, detail: part.detail ?? "auto" };
    case "file":
      return { type: "input_file", filename: part.name, file_data: `data:${part.mimeType};base64,${part.data}` };
  }
}
