import { omitEmpty } from "../../lib/json.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import { mergeNeighbours } from "../messages/merge-neighbours.ts";
import {
  type Block,
  type ContentBlock,
  callIdFor,
  isMedia,
  type Message,
  resultOf,
  sourceUrl,
  textOf,
  toolCallsOf,
} from "../messages/message.ts";
import type { ModelRequest } from "../model.ts";
import { RESPONSES_SAMPLING } from "../openai/openai-settings.ts";
import { jsonSchemaFormat, toolParameters } from "../schema/provider-schema.ts";
import { textOption } from "../settings/provider-options.ts";
import { completionBudget, samplingFields } from "../settings/request-settings.ts";
import { reasoningEffort } from "../settings/thinking.ts";
import { type LinkedBlock, linkItems } from "./responses-items.ts";

type Item = Record<string, unknown>;

/** The service stores nothing, so each reply brings encrypted reasoning, which later requests send back. */
const KEEPS_REASONING = { store: false, include: ["reasoning.encrypted_content"] };

/** The result for a call without one, which the API would refuse. */
const NO_RESULT = "The call has no result: it was interrupted";

/** The API refuses a longer `call_id`; other services create such ids. */
const CALL_ID = /^.{1,64}$/;

/** Returns the body of a Responses request. https://platform.openai.com/docs/api-reference/responses/create */
export function responsesBody(model: ResolvedModel, request: ModelRequest, window: number): Item {
  const { spec } = model;
  const budget = completionBudget(model, request, window);
  const effort = reasoningEffort(model.family, spec.thinking_budget, request.minimalThinking);
  const hasTools = request.tools.length > 0;
  const parallel = model.family.chat.parallelToolCalls ? spec.parallel_tool_calls : undefined;
  return {
    model: model.model,
    input: inputItems(model.mergesMessages ? mergeNeighbours(request.messages) : request.messages, model),
    ...(budget ? { max_output_tokens: budget } : {}),
    ...samplingFields(model, RESPONSES_SAMPLING, effort),
    ...(hasTools
      ? {
          tools: request.tools.map((tool) => {
            const { schema, strict } = toolParameters(tool.parameters, model.family.schema, model.family.strictSchema);
            return { type: "function", name: tool.name, description: tool.description, parameters: schema, strict };
          }),
          tool_choice: "auto",
        }
      : {}),
    ...(hasTools && parallel !== undefined ? { parallel_tool_calls: parallel } : {}),
    ...(effort === undefined ? {} : { reasoning: reasoning(effort), ...KEEPS_REASONING }),
    ...(request.structuredOutput
      ? { text: { format: { type: "json_schema", ...jsonSchemaFormat(request.structuredOutput, model.family) } } }
      : {}),
    ...omitEmpty({ service_tier: textOption(model, "service_tier") }),
    stream: true,
  };
}

function reasoning(effort: string | null): Item {
  if (effort === null) return { summary: "detailed" };
  return effort === "none" ? { effort } : { effort, summary: "detailed" };
}

function inputItems(messages: readonly Message[], model: ResolvedModel): Item[] {
  const answered = new Set(messages.flatMap((message) => resultOf(message)?.callId ?? []));
  const open = new Set<string>();
  return messages.flatMap((message): Item[] => {
    switch (message.role) {
      case "system":
      case "developer":
        return [{ role: "system", content: [{ type: "input_text", text: textOf(message) }] }];
      case "user":
        return [{ role: "user", content: content(message, message.blocks.filter(isContent)) }];
      case "assistant":
        for (const { id } of toolCallsOf(message)) if (answered.has(id)) open.add(id);
        return assistantItems(message, answered, model);
      case "tool":
        return resultItems(message, open);
    }
  });
}

/** Returns the result of a call; a user's message if the call is missing, because the API refuses a lone result. */
function resultItems(message: Message, open: Set<string>): Item[] {
  const result = resultOf(message);
  if (!result) return [];
  const output = content(message, result.blocks);
  if (open.delete(result.callId))
    return [{ type: "function_call_output", call_id: callIdFor(result.callId, CALL_ID), output }];
  const heading = { type: "input_text", text: "The result of an earlier tool call:" };
  return [
    {
      role: "user",
      content: [heading, ...(typeof output === "string" ? [{ type: "input_text", text: output }] : output)],
    },
  ];
}

function isContent(block: Message["blocks"][number]): block is ContentBlock {
  return block.type === "text" || isMedia(block);
}

/** Returns plain text if no block is media, else a list of parts. */
function content(message: Message, blocks: readonly ContentBlock[]): string | Item[] {
  return blocks.every(({ type }) => type === "text") ? textOf(message) : blocks.map(inputPart);
}

function assistantItems(message: Message, answered: ReadonlySet<string>, model: ResolvedModel): Item[] {
  const open = message.blocks.flatMap((block) =>
    block.type === "tool_call" && !answered.has(block.id) ? [block.id] : [],
  );
  const items: Item[] = [];
  for (const linked of linkItems(message, model)) {
    const part = linked.id === undefined ? undefined : textPart(linked.block);
    const last = items.at(-1);
    // Texts that came in one item go back in one item.
    if (part && linked.id === last?.["id"] && Array.isArray(last?.["content"])) last["content"].push(part);
    else items.push(...assistantItem(linked));
  }
  return [
    ...items,
    ...open.map((id) => ({ type: "function_call_output", call_id: callIdFor(id, CALL_ID), output: NO_RESULT })),
  ];
}

function assistantItem({ block, item, id, phase }: LinkedBlock): Item[] {
  if (item) return [item];
  const named = { ...(id === undefined ? {} : { id, status: "completed" }), ...(phase === undefined ? {} : { phase }) };
  switch (block.type) {
    case "text":
    case "refusal":
      if (id !== undefined) return [{ type: "message", role: "assistant", ...named, content: [textPart(block)] }];
      return block.text === "" ? [] : [{ role: "assistant", content: block.text, ...named }];
    case "tool_call":
      return [
        {
          type: "function_call",
          ...named,
          call_id: callIdFor(block.id, CALL_ID),
          name: block.name,
          arguments: block.arguments,
        },
      ];
    default:
      return [];
  }
}

function textPart(block: Block): Item | undefined {
  return block.type === "text" ? { type: "output_text", text: block.text, annotations: [] } : undefined;
}

function inputPart(block: ContentBlock): Item {
  switch (block.type) {
    case "text":
      return { type: "input_text", text: block.text };
    case "image":
      return { type: "input_image", image_url: sourceUrl(block.source), detail: block.detail ?? "auto" };
    case "document":
      return block.source.kind === "url"
        ? { type: "input_file", file_url: block.source.url }
        : { type: "input_file", filename: block.name, file_data: sourceUrl(block.source) };
    case "audio":
      return { type: "input_text", text: "[audio left out]" };
  }
}
