import { isObject, omitEmpty } from "../../lib/json.ts";
import { structuredInstruction } from "../calls/structured-text.ts";
import { familyOf } from "../catalog/families.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import {
  argumentsOf,
  type ContentBlock,
  isSystem,
  type MediaBlock,
  type Message,
  type Origin,
  type ToolCallBlock,
  type ToolResultBlock,
  textOf,
} from "../messages/message.ts";
import type { ModelRequest } from "../model.ts";
import { outputSchema, toolParameters } from "../schema/provider-schema.ts";
import { textOption } from "../settings/provider-options.ts";
import { completionBudget, UNAVOIDABLE_THINKING_TOKENS } from "../settings/request-settings.ts";
import { googleSampling, googleThinking } from "./google-settings.ts";

type Part = Record<string, unknown>;

/** Adjacent messages of one side. */
interface Turn {
  readonly role: "user" | "model";
  /** Kept apart, because the API requires the responses of a batch before anything else. */
  readonly responses: Part[];
  readonly parts: Part[];
}

/** The signature for a call by another model, with which the API skips its check. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

/** Sent if the API requires a turn of the user and the conversation has none. */
const CONTINUE: Part = { text: "Continue." };

/** Media that a function response can hold; see https://ai.google.dev/gemini-api/docs/function-calling. */
const RESPONSE_MEDIA = ["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"];

/** Returns the URL of a streaming call. */
export function googleUrl(model: ResolvedModel): string {
  const base = model.baseUrl.replace(/\/+$/, "");
  const versioned = /\/v1(beta\d*|alpha)?$/.test(base) ? base : `${base}/v1beta`;
  return `${versioned}/models/${encodeURIComponent(model.model)}:streamGenerateContent?alt=sse`;
}

/** True if an instruction must ask for structured output, because older models enforce a schema only without tools. */
export function needsInstruction({ family }: ResolvedModel, { structuredOutput, tools }: ModelRequest): boolean {
  return structuredOutput !== undefined && tools.length > 0 && !family.takesSchemaWithTools;
}

/** Returns the body of a `streamGenerateContent` request; see https://ai.google.dev/api/generate-content. */
export function googleBody(model: ResolvedModel, request: ModelRequest, window: number): Part {
  const { structuredOutput } = request;
  const isInstructed = needsInstruction(model, request);
  const system = [
    ...request.messages.filter(isSystem).map(textOf).filter(Boolean),
    ...(structuredOutput && isInstructed ? [structuredInstruction(structuredOutput)] : []),
  ];
  const tools = toolsOf(model, request);
  const settings = {
    ...googleSampling(model).fields,
    maxOutputTokens: maxOutputTokens(model, request, window),
    ...googleThinking(model, request.minimalThinking === true).fields,
    ...(structuredOutput && !isInstructed
      ? {
          responseMimeType: "application/json",
          responseJsonSchema: outputSchema(structuredOutput, model.family.schema).schema,
        }
      : {}),
  };
  return {
    contents: contents(request.messages, model),
    ...(system.length > 0 ? { systemInstruction: { parts: system.map((text) => ({ text })) } } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...omitEmpty({ serviceTier: textOption(model, "service_tier") }),
    generationConfig: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
  };
}

function toolsOf({ spec, family }: ResolvedModel, { tools }: ModelRequest): Part[] {
  const functionDeclarations = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parametersJsonSchema: toolParameters(tool.parameters, family.schema).schema,
  }));
  return [
    ...(functionDeclarations.length > 0 ? [{ functionDeclarations }] : []),
    ...(spec.provider_opts?.["google_search"] === true ? [{ googleSearch: {} }] : []),
    ...(spec.provider_opts?.["url_context"] === true ? [{ urlContext: {} }] : []),
  ];
}

function maxOutputTokens(model: ResolvedModel, request: ModelRequest, window: number): number | undefined {
  const { maxOutput, thinking } = model.family;
  const budget = completionBudget(model, request, window);
  if (budget === undefined) return undefined;
  const canStop = thinking.kind !== "gemini-level" && (thinking.kind !== "gemini-tokens" || thinking.canDisable);
  const tokens = request.minimalThinking && !canStop ? budget + UNAVOIDABLE_THINKING_TOKENS : budget;
  return Math.min(tokens, maxOutput || Infinity);
}

/** Returns alternating turns; the user's come first and last. Tool results and the user's next message are one turn. */
function contents(messages: readonly Message[], model: ResolvedModel): { role: string; parts: Part[] }[] {
  const turns: Turn[] = [];
  const calls = new Map<string, ToolCallBlock>();
  const turnOf = (role: Turn["role"]): Turn => {
    const last = turns.at(-1);
    if (last?.role === role) return last;
    const next: Turn = { role, responses: [], parts: [] };
    turns.push(next);
    return next;
  };
  for (const message of messages) {
    if (isSystem(message)) continue;
    for (const block of message.blocks) if (block.type === "tool_call") calls.set(block.id, block);
    const { responses, parts } = messageParts(message, calls, model);
    if (responses.length + parts.length === 0) continue;
    const turn = turnOf(message.role === "assistant" ? "model" : "user");
    turn.responses.push(...responses);
    turn.parts.push(...parts);
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", responses: [], parts: [CONTINUE] });
  if (turns.at(-1)?.role === "model") turnOf("user").parts.push(CONTINUE);
  return turns.map(({ role, responses, parts }) => ({ role, parts: [...responses, ...parts] }));
}

function messageParts(
  message: Message,
  calls: ReadonlyMap<string, ToolCallBlock>,
  model: ResolvedModel,
): Pick<Turn, "responses" | "parts"> {
  const responses: Part[] = [];
  const parts: Part[] = [];
  const isSigned = !model.family.signsCalls || isOfSigningModel(message);
  for (const block of message.blocks) {
    switch (block.type) {
      case "tool_result": {
        const { response, attachments } = responseParts(block, calls.get(block.callId), model);
        responses.push(response);
        parts.push(...attachments);
        break;
      }
      case "tool_call":
        parts.push(callPart(block, { isSigned, isFirst: !parts.some((part) => "functionCall" in part) }, model));
        break;
      case "thinking": {
        // The API recognizes a thought only by its signature.
        const { thoughtSignature } = dataOf(block.origin, model);
        if (isSigned && thoughtSignature) parts.push({ text: block.text, thought: true, thoughtSignature });
        break;
      }
      case "refusal":
        parts.push({ text: block.text });
        break;
      default:
        parts.push(...contentParts(block, isSigned, model));
    }
  }
  return { responses, parts };
}

/** False for a message of an older Gemini model, whose signatures the models that check them refuse. */
function isOfSigningModel({ model }: Message): boolean {
  return model === undefined || familyOf(model.slice(model.indexOf("/") + 1)).signsCalls;
}

/** Returns a call as the model wrote it. The signature of a step's first call also covers the thoughts before it. */
function callPart(
  call: ToolCallBlock,
  { isSigned, isFirst }: { isSigned: boolean; isFirst: boolean },
  model: ResolvedModel,
): Part {
  const { thoughtSignature, id } = dataOf(call.origin, model);
  const foreign = model.family.signsCalls && isFirst ? FOREIGN_SIGNATURE : undefined;
  const signature = isSigned ? (thoughtSignature ?? foreign) : foreign;
  return {
    functionCall: { ...omitEmpty({ id }), name: call.name, args: argumentsOf(call) },
    ...omitEmpty({ thoughtSignature: signature }),
  };
}

/** Returns the response to a call, and the media that it cannot hold. */
function responseParts(
  { isError, blocks }: ToolResultBlock,
  call: ToolCallBlock | undefined,
  model: ResolvedModel,
): { response: Part; attachments: Part[] } {
  const text = textOf({ role: "tool", blocks });
  const { id } = dataOf(call?.origin, model);
  const media = blocks.filter((block): block is MediaBlock => block.type !== "text");
  const inside = media.filter(
    ({ source }) =>
      model.family.takesMediaInResults && source.kind === "data" && RESPONSE_MEDIA.includes(source.mimeType),
  );
  return {
    response: {
      functionResponse: {
        ...omitEmpty({ id }),
        name: call?.name ?? "unknown",
        response: isError ? { error: text } : { output: text },
        ...(inside.length > 0 ? { parts: inside.map(mediaPart) } : {}),
      },
    },
    attachments: media.filter((block) => !inside.includes(block)).map(mediaPart),
  };
}

/**
 * Returns the data to send back with a block that the API wrote; see
 * https://ai.google.dev/gemini-api/docs/thought-signatures.
 */
function dataOf(origin: Origin | undefined, model: ResolvedModel): { thoughtSignature?: string; id?: string } {
  if (origin?.api !== "google" || origin.provider !== model.provider || !isObject(origin.data)) return {};
  const { thoughtSignature, id } = origin.data;
  return {
    ...(typeof thoughtSignature === "string" ? { thoughtSignature } : {}),
    ...(typeof id === "string" ? { id } : {}),
  };
}

function contentParts(block: ContentBlock, isSigned: boolean, model: ResolvedModel): Part[] {
  if (block.type !== "text") return [mediaPart(block)];
  const { thoughtSignature } = isSigned ? dataOf(block.origin, model) : {};
  if (block.text === "" && !thoughtSignature) return [];
  return [{ text: block.text, ...omitEmpty({ thoughtSignature }) }];
}

function mediaPart({ source }: MediaBlock): Part {
  return source.kind === "url"
    ? { fileData: { fileUri: source.url } }
    : { inlineData: { mimeType: source.mimeType, data: source.data } };
}
