import type { Message } from "../protocol/fields.ts";
import { isObject } from "../lib/json.ts";
import { type ContentPart, isSystem, messageParts, messageText, parseDataUrl } from "./message-parts.ts";
import type { ModelRequest } from "./model.ts";
import type { ResolvedModel } from "./resolve.ts";
import { completionBudget, pickOptions } from "./settings.ts";
import { parseThinkingBudget, THINKING_TOKENS } from "./thinking.ts";

type Part = Record<string, unknown>;

/** What stands in for the signature of a call that another model made; the API skips its check then. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

/** The address of a streaming call. */
export function googleUrl(model: ResolvedModel): string {
  const base = model.baseUrl.replace(/\/+$/, "");
  const versioned = /\/v1(beta\d*|alpha)?$/.test(base) ? base : `${base}/v1beta`;
  return `${versioned}/models/${encodeURIComponent(model.model)}:streamGenerateContent?alt=sse`;
}

/** The body of a `streamGenerateContent` request. Source: config-and-cli 6.7, 6.8. */
export function googleBody(model: ResolvedModel, request: ModelRequest, window: number): Part {
  const { spec } = model;
  const system = request.messages
    .filter(isSystem)
    .map(messageText)
    .filter(Boolean);
  const thinking = thinkingConfig(model, request.quiet === true);
  const tools = [
    ...(request.tools.length > 0
      ? [
          {
            functionDeclarations: request.tools.map((tool) => ({
              name: tool.name,
              description: tool.description,
              parametersJsonSchema: tool.parameters,
            })),
          },
        ]
      : []),
    ...(spec.provider_opts?.["google_search"] === true ? [{ googleSearch: {} }] : []),
  ];
  const settings = {
    temperature: spec.temperature,
    topP: spec.top_p,
    frequencyPenalty: spec.frequency_penalty,
    presencePenalty: spec.presence_penalty,
    topK: pickOptions(model, ["top_k"])["top_k"],
    seed: pickOptions(model, ["seed"])["seed"],
    maxOutputTokens: completionBudget(model, request, window),
    thinkingConfig: thinking,
    ...(request.structuredOutput
      ? { responseMimeType: "application/json", responseJsonSchema: request.structuredOutput.schema }
      : {}),
  };
  return {
    contents: contents(request.messages, model.model),
    ...(system.length > 0 ? { systemInstruction: { parts: system.map((text) => ({ text })) } } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    generationConfig: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
  };
}

function thinkingConfig(model: ResolvedModel, quiet: boolean): Part | undefined {
  const generation3 = /gemini-3/.test(model.model);
  const least = generation3 ? { thinkingLevel: "low" } : { thinkingBudget: model.model.includes("pro") ? 128 : 0 };
  if (quiet) return generation3 || model.model.includes("2.5") ? least : undefined;
  const budget = parseThinkingBudget(model.spec.thinking_budget);
  if (!budget) return undefined;
  if (budget.kind === "off") return least;
  if (budget.kind === "tokens") return { includeThoughts: true, thinkingBudget: budget.tokens };
  if (!generation3) return { includeThoughts: true, thinkingBudget: THINKING_TOKENS[budget.level] };
  const level = budget.level === "xhigh" || budget.level === "max" ? "high" : budget.level;
  return { includeThoughts: true, thinkingLevel: level };
}

/** User and model by turns; the results of a batch are one message. */
function contents(messages: readonly Message[], model: string): { role: string; parts: Part[] }[] {
  const names = new Map(
    messages.flatMap((message) => (message.tool_calls ?? []).map((call) => [call.id, call.function.name] as const)),
  );
  const turns: { role: string; parts: Part[] }[] = [];
  for (const message of messages) {
    if (isSystem(message)) continue;
    const role = message.role === "assistant" ? "model" : "user";
    const parts = messageToParts(message, names, model);
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ role, parts });
  }
  return turns;
}

function messageToParts(message: Message, names: ReadonlyMap<string, string>, model: string): Part[] {
  const parts = messageParts(message).flatMap(toPart);
  if (message.role === "tool") {
    const response = message.is_error ? { error: messageText(message) } : { output: messageText(message) };
    const functionResponse = { name: names.get(message.tool_call_id ?? "") ?? "unknown", response };
    return [{ functionResponse }, ...parts.filter((part) => part["text"] === undefined)];
  }
  const calls = (message.tool_calls ?? []).map((call, index) => {
    // The first call of a batch carries the thoughts that led to it.
    const signature =
      index > 0
        ? undefined
        : (message.thought_signature ?? (model.includes("gemini-3") ? FOREIGN_SIGNATURE : undefined));
    return {
      functionCall: { name: call.function.name, args: parseArguments(call.function.arguments) },
      ...(signature ? { thoughtSignature: signature } : {}),
    };
  });
  return [...parts, ...calls];
}

function toPart(part: ContentPart): Part[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ text: part.text }];
    case "image": {
      const inline = parseDataUrl(part.url);
      return [
        inline ? { inlineData: { mimeType: inline.mimeType, data: inline.data } } : { fileData: { fileUri: part.url } },
      ];
    }
    case "file":
      return [{ inlineData: { mimeType: part.mimeType, data: part.data } }];
  }
}

function parseArguments(text: string): unknown {
  try {
    const input: unknown = JSON.parse(text || "{}");
    return isObject(input) ? input : {};
  } catch {
    return {}; // the model wrote no JSON then, and was told so by the result of the call
  }
}
