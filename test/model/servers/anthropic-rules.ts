import { isObject } from "../../../src/lib/json.ts";
import { imageTypeOf } from "./image-bytes.ts";

/** An unchecked JSON object. */
export type Fields = Record<string, unknown>;

/** A message of a request; a string as `content` counts as one text block. */
export interface SentMessage {
  readonly role: string;
  readonly content: readonly Fields[];
}

/** A request as the rules see it. */
export interface SentRequest {
  readonly body: Fields;
  readonly model: string;
  readonly betas: readonly string[];
  readonly messages: readonly SentMessage[];
}

/** The server's memory of its own replies. */
export interface Memory {
  /** The content of every reply, as the client received it. */
  readonly replies: Fields[][];
  /** The conversation before each signed block, by signature, in the form of {@link prefixOf}. */
  readonly prefixes: Map<string, string>;
}

/** Returns why the provider refuses a request; undefined if this rule does not refuse it. */
type Rule = (request: SentRequest, memory: Memory) => string | undefined;

/** A model's documented behavior. */
interface ModelRules {
  /** When the model thinks. */
  readonly thinks: "never" | "when asked" | "unless disabled" | "always";
  readonly types: readonly string[];
  readonly sampling: "any" | "one" | "none";
  readonly maxOutput: number;
  readonly efforts: readonly string[];
  readonly prefill: boolean;
  readonly forcedTools: boolean;
  readonly bindsPrefix: boolean;
}

const OLD: ModelRules = {
  thinks: "never",
  types: [],
  sampling: "any",
  maxOutput: 8192,
  efforts: [],
  prefill: true,
  forcedTools: true,
  bindsPrefix: false,
};
const BUDGET: ModelRules = { ...OLD, thinks: "when asked", types: ["enabled", "disabled"], maxOutput: 64_000 };
const MIXED: ModelRules = {
  ...BUDGET,
  types: ["enabled", "adaptive", "disabled"],
  sampling: "one",
  maxOutput: 128_000,
  efforts: ["low", "medium", "high", "max"],
  prefill: false,
};
const ADAPTIVE: ModelRules = {
  ...MIXED,
  types: ["adaptive", "disabled"],
  sampling: "none",
  efforts: ["low", "medium", "high", "xhigh", "max"],
};
const ALWAYS: ModelRules = { ...ADAPTIVE, thinks: "always", types: ["adaptive"] };
const BOUND: ModelRules = { ...ALWAYS, forcedTools: false, bindsPrefix: true };

/**
 * The models, newest names first; the first match counts.
 * https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting (thinking types and defaults),
 * https://platform.claude.com/docs/en/about-claude/models/overview (maximum output),
 * https://platform.claude.com/docs/en/build-with-claude/effort, and the migration guides (sampling, prefill, forced tools).
 */
const MODELS: readonly (readonly [RegExp, ModelRules])[] = [
  [/^claude-(fable-5-[12]|opus-5-5)/, BOUND],
  [/^claude-sonnet-5-5/, { ...BOUND, thinks: "unless disabled", types: ["adaptive", "between_tools"] }],
  [/^claude-haiku-5-5/, { ...BOUND, thinks: "unless disabled", types: ["adaptive", "disabled"] }],
  [/^claude-(fable|mythos)-5/, ALWAYS],
  [/^claude-mythos-preview/, { ...MIXED, thinks: "always", types: ["adaptive", "enabled"] }],
  [/^claude-(opus|sonnet)-5/, { ...ADAPTIVE, thinks: "unless disabled" }],
  [/^claude-opus-4-[78]/, ADAPTIVE],
  [/^claude-(opus|sonnet)-4-6/, MIXED],
  [/^claude-opus-4-5/, { ...BUDGET, sampling: "one", efforts: ["low", "medium", "high"] }],
  [/^claude-(sonnet|haiku)-4-5/, { ...BUDGET, sampling: "one" }],
  [/^claude-opus-4-1/, { ...BUDGET, sampling: "one", maxOutput: 32_000 }],
  [/^claude-opus-4/, { ...BUDGET, maxOutput: 32_000 }],
  [/^claude-(sonnet-4|3-7)/, BUDGET],
  [/^claude-3-5/, OLD],
  [/^claude-3/, { ...OLD, maxOutput: 4096 }],
];

/** Returns the rules of a model; those of the newest models for a name that is not in the table. */
export function rulesFor(model: string): ModelRules {
  return MODELS.find(([pattern]) => pattern.test(model))?.[1] ?? ADAPTIVE;
}

/** Returns the first reason to refuse a request, in the words of the API; undefined if it is valid. */
export function refusal(request: SentRequest, memory: Memory): string | undefined {
  for (const rule of RULES) {
    const message = rule(request, memory);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Returns the conversation before a place, in the form that signatures of newer models cover. */
export function prefixOf(request: SentRequest, message = request.messages.length, block = 0): string {
  const before = [
    ...request.messages.slice(0, message),
    ...(block > 0 ? [{ role: "assistant", content: request.messages[message]?.content.slice(0, block) ?? [] }] : []),
  ];
  const messages = before.map(({ role, content }) => ({ role, content: content.filter((each) => !isThought(each)) }));
  return JSON.stringify([request.body["system"], request.body["tools"], messages], (key, value) =>
    key === "cache_control" ? undefined : value,
  );
}

/** True if the model thinks about this request. */
export function thinks({ body, model }: SentRequest): boolean {
  const type = fieldsOf(body["thinking"])["type"];
  if (type === undefined) return !["never", "when asked"].includes(rulesFor(model).thinks);
  return type !== "disabled" && type !== "between_tools";
}

/** Returns the fields of an object; none for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** True for a thought, readable or redacted. */
export function isThought(block: Fields): boolean {
  return block["type"] === "thinking" || block["type"] === "redacted_thinking";
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

const isCall = (block: Fields) => block["type"] === "tool_use";
const isResult = (block: Fields) => block["type"] === "tool_result";

/** Returns the first complaint about a block, including those in tool results, preceded by its path. */
function eachBlock(
  { messages }: SentRequest,
  check: (block: Fields, message: SentMessage, at: string) => string | undefined,
): string | undefined {
  for (const [index, message] of messages.entries()) {
    for (const [place, block] of message.content.entries()) {
      const at = `messages.${index}.content.${place}`;
      const inner = isResult(block) ? listOf(block["content"]) : [];
      const found =
        check(block, message, at) ??
        inner.map((each, part) => check(each, message, `${at}.tool_result.content.${part}`)).find(Boolean);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Returns the assistant messages of the open tool loop: those since the last user message without a tool result. */
function openTurn({ messages }: SentRequest): readonly [number, SentMessage][] {
  const indexed = [...messages.entries()];
  const start = messages.findLastIndex(({ role, content }) => role === "user" && !content.some(isResult));
  return indexed.slice(start + 1).filter(([, { role }]) => role === "assistant");
}

const BLOCK_TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "document", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
  result: ["text", "image", "document"],
};

const BLOCK_KEYS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "cache_control", "citations"],
  image: ["source", "cache_control"],
  document: ["source", "title", "context", "citations", "cache_control"],
  tool_use: ["id", "name", "input", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
};

const REQUEST_KEYS = [
  "model",
  "max_tokens",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "temperature",
  "top_p",
  "top_k",
  "thinking",
  "output_config",
  "stop_sequences",
  "stream",
  "metadata",
  "service_tier",
  "cache_control",
];

const BINDING_BETA = "thinking-binding-controls-2026-08-01";
const INTERLEAVED_BETA = "interleaved-thinking-2025-05-14";

/** The documented size limit of an image, in bytes: https://platform.claude.com/docs/en/build-with-claude/vision */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/**
 * The rules in the order of the checks. Request fields and roles: https://platform.claude.com/docs/en/api/messages.
 * Tool results: https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use. Thoughts:
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking and .../preserved-thinking. Cache markers:
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching. Media: .../vision and .../pdf-support.
 */
const RULES: readonly Rule[] = [
  function knownFields({ body }) {
    const unknown = Object.keys(body).find((key) => !REQUEST_KEYS.includes(key));
    return unknown && `${unknown}: Extra inputs are not permitted`;
  },

  function outputLimit({ body, model }) {
    const asked = body["max_tokens"];
    const { maxOutput } = rulesFor(model);
    if (typeof asked !== "number") return "max_tokens: Field required";
    if (asked < 1) return "max_tokens: Input should be greater than or equal to 1";
    if (asked <= maxOutput) return undefined;
    return `max_tokens: ${asked} > ${maxOutput}, which is the maximum allowed number of output tokens for ${model}`;
  },

  function roles({ messages }) {
    if (messages.length === 0) return "messages: at least one message is required";
    if (messages.some(({ role }) => role === "system")) {
      return (
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" ' +
        "as an input message role."
      );
    }
    const unknown = messages.findIndex(({ role }) => role !== "user" && role !== "assistant");
    if (unknown >= 0) return `messages.${unknown}.role: Input should be 'user' or 'assistant'`;
    if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
    const repeated = messages.find(({ role }, index) => messages[index - 1]?.role === role);
    return (
      repeated &&
      `messages: roles must alternate between "user" and "assistant", but found multiple ` +
        `"${repeated.role}" roles in a row`
    );
  },

  function emptyMessages({ messages }) {
    const empty = messages.findIndex(({ content }) => content.length === 0);
    return empty < 0
      ? undefined
      : `messages.${empty}: all messages must have non-empty content except for the optional final assistant message`;
  },

  function prefill(request) {
    if (request.messages.at(-1)?.role !== "assistant") return undefined;
    return rulesFor(request.model).prefill && !thinks(request)
      ? undefined
      : "This model does not support assistant message prefill. The conversation must end with a user message.";
  },

  function blockTypes(request) {
    return eachBlock(request, (block, { role }, at) => {
      const type = String(block["type"]);
      const expected = BLOCK_TYPES[at.includes("tool_result") ? "result" : role] ?? [];
      if (!expected.includes(type)) {
        return (
          `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: ` +
          expected.map((each) => `'${each}'`).join(", ")
        );
      }
      const extra = Object.keys(block).find((key) => key !== "type" && !BLOCK_KEYS[type]?.includes(key));
      return extra && `${at}.${type}.${extra}: Extra inputs are not permitted`;
    });
  },

  function emptyTexts(request) {
    const complaint = (block: Fields) => {
      if (block["type"] !== "text") return undefined;
      if (block["text"] === "") return "text content blocks must be non-empty";
      return String(block["text"]).trim() === "" ? "text content blocks must contain non-whitespace text" : undefined;
    };
    const inSystem = listOf(request.body["system"]).map(complaint).find(Boolean);
    if (inSystem) return `system: ${inSystem}`;
    const inMessages = eachBlock(request, complaint);
    return inMessages && `messages: ${inMessages}`;
  },

  function toolIds(request) {
    const seen = new Set<unknown>();
    return eachBlock(request, (block, _, at) => {
      const key = isCall(block) ? "id" : isResult(block) ? "tool_use_id" : undefined;
      if (!key) return undefined;
      if (!/^[a-zA-Z0-9_-]+$/.test(String(block[key]))) {
        return `${at}.${block["type"]}.${key}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      }
      if (isResult(block)) return undefined;
      if (seen.has(block[key])) return "messages: `tool_use` ids must be unique";
      seen.add(block[key]);
      return isObject(block["input"]) ? undefined : `${at}.tool_use.input: Input should be a valid dictionary`;
    });
  },

  function everyCallIsAnswered({ messages }) {
    for (const [index, { content }] of messages.entries()) {
      const answered = messages[index + 1]?.content.filter(isResult).map((block) => block["tool_use_id"]) ?? [];
      const open = content
        .filter(isCall)
        .map((block) => block["id"])
        .filter((id) => !answered.includes(id));
      if (open.length === 0) continue;
      return (
        `messages.${index + 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
        `${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      );
    }
    return undefined;
  },

  function everyResultHasItsCall({ messages }) {
    for (const [index, { content }] of messages.entries()) {
      const calls = messages[index - 1]?.content.filter(isCall).map((block) => block["id"]) ?? [];
      const given = new Set<unknown>();
      for (const [place, block] of content.entries()) {
        if (!isResult(block)) continue;
        const id = block["tool_use_id"];
        if (!calls.includes(id)) {
          return (
            `messages.${index}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
            "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
          );
        }
        if (given.has(id)) {
          return (
            `messages.${index}.content.${place}: each tool_use must have a single result. ` +
            `Found multiple \`tool_result\` blocks with id: ${id}`
          );
        }
        given.add(id);
        if (content.slice(0, place).some((each) => !isResult(each))) {
          return `messages.${index}: \`tool_result\` blocks must come first in the content of a user message`;
        }
      }
    }
    return undefined;
  },

  function failedResults(request) {
    return eachBlock(request, (block, _, at) => {
      if (!isResult(block) || block["is_error"] !== true) return undefined;
      const content = listOf(block["content"]);
      if (content.length === 0) return `${at}.tool_result: content cannot be empty if \`is_error\` is true`;
      return content.every(({ type }) => type === "text")
        ? undefined
        : `${at}.tool_result: all content must be type "text" if \`is_error\` is true`;
    });
  },

  function thinkingSettings({ body, model, betas }) {
    const thinking = body["thinking"];
    if (thinking === undefined) return undefined;
    const { type, budget_tokens: budget, ...more } = fieldsOf(thinking);
    const { types } = rulesFor(model);
    if (!types.includes(String(type))) {
      return type === "adaptive"
        ? "adaptive thinking is not supported on this model"
        : `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and ` +
            '"output_config.effort" to control thinking behavior.';
    }
    const known = ["display", ...(betas.includes(BINDING_BETA) ? ["block_binding"] : [])];
    const extra =
      Object.keys(type === "disabled" || type === "between_tools" ? more : {}).at(0) ??
      Object.keys(more).find((key) => !known.includes(key));
    if (extra) return `thinking.${type}.${extra}: Extra inputs are not permitted`;
    if (type !== "enabled") {
      return budget === undefined ? undefined : `thinking.${type}.budget_tokens: Extra inputs are not permitted`;
    }
    if (typeof budget !== "number") return "thinking.enabled.budget_tokens: Field required";
    if (budget < 1024) return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
    const spread = betas.includes(INTERLEAVED_BETA) && listOf(body["tools"]).length > 0;
    return budget >= Number(body["max_tokens"]) && !spread
      ? "`max_tokens` must be greater than `thinking.budget_tokens`"
      : undefined;
  },

  function effort(request) {
    const effort = fieldsOf(request.body["output_config"])["effort"];
    if (effort === undefined) return undefined;
    const { efforts } = rulesFor(request.model);
    if (efforts.length === 0) return "This model does not support the effort parameter.";
    if (!efforts.includes(String(effort))) {
      return `This model does not support effort level '${effort}'. Supported levels: ${efforts.join(", ")}.`;
    }
    return rulesFor(request.model).thinks === "unless disabled" &&
      !thinks(request) &&
      /^(xhigh|max)$/.test(String(effort))
      ? `effort '${effort}' is not supported when thinking is disabled`
      : undefined;
  },

  function samplingSettings(request) {
    const { body, model } = request;
    const { sampling } = rulesFor(model);
    const given = ["temperature", "top_p", "top_k"].filter((key) => body[key] !== undefined);
    if (sampling === "none" && given.length > 0) return `\`${given[0]}\` is deprecated for this model.`;
    if (sampling === "one" && given.includes("temperature") && given.includes("top_p")) {
      return "`temperature` and `top_p` cannot both be specified for this model. Please use only one.";
    }
    if (!thinks(request)) return undefined;
    if (body["temperature"] !== undefined && body["temperature"] !== 1) {
      return "`temperature` may only be set to 1 when thinking is enabled.";
    }
    if (body["top_k"] !== undefined) return "`top_k` must be unset when thinking is enabled.";
    return Number(body["top_p"] ?? 1) < 0.95
      ? "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled."
      : undefined;
  },

  function toolChoice(request) {
    const choice = fieldsOf(request.body["tool_choice"])["type"];
    if (choice === undefined) return undefined;
    if (listOf(request.body["tools"]).length === 0) return "tool_choice may only be specified while providing tools.";
    if (choice !== "any" && choice !== "tool") return undefined;
    if (!rulesFor(request.model).forcedTools) return `tool_choice.type: '${choice}' is not supported for this model`;
    return thinks(request) && fieldsOf(request.body["thinking"])["type"] === "enabled"
      ? "Thinking may not be enabled when tool_choice forces tool use."
      : undefined;
  },

  function toolDefinitions({ body }) {
    const tools = listOf(body["tools"]);
    const names = tools.map(({ name }) => String(name));
    if (new Set(names).size < names.length) return "tools: Tool names must be unique.";
    for (const [index, tool] of tools.entries()) {
      const schema = fieldsOf(tool["input_schema"]);
      const at = `tools.${index}.custom`;
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(names[index] ?? "")) {
        return `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
      }
      if (schema["type"] !== "object") return `${at}.input_schema.type: Input should be 'object'`;
      if (["oneOf", "allOf", "anyOf"].some((key) => key in schema)) {
        return `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
      }
      const property = Object.keys(fieldsOf(schema["properties"])).find((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key));
      if (property !== undefined) {
        return `${at}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`;
      }
    }
    return undefined;
  },

  function callsNeedTools({ body, messages }) {
    const used = messages.some(({ content }) => content.some((block) => isCall(block) || isResult(block)));
    return used && listOf(body["tools"]).length === 0
      ? "Requests which include `tool_use` or `tool_result` blocks must define tools"
      : undefined;
  },

  function cacheMarkers(request) {
    let markers = 0;
    JSON.stringify(request.body, (key, value) => {
      if (key === "cache_control") markers++;
      return value;
    });
    return markers > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${markers}.` : undefined;
  },

  function media(request) {
    return eachBlock(request, (block, _, at) => {
      const type = String(block["type"]);
      if (type !== "image" && type !== "document") return undefined;
      const { type: kind, media_type: mediaType, data, url } = fieldsOf(block["source"]);
      if (kind === "url") {
        return String(url).startsWith("https://")
          ? undefined
          : `${at}.${type}.source.url: Only HTTPS URLs are supported.`;
      }
      if (type === "document") {
        if (kind === "text")
          return mediaType === "text/plain"
            ? undefined
            : `${at}.document.source.media_type: Input should be 'text/plain'`;
        if (mediaType !== "application/pdf")
          return `${at}.document.source.base64.media_type: Input should be 'application/pdf'`;
        return atob(String(data)).startsWith("%PDF")
          ? undefined
          : `${at}.document.source.base64.data: The PDF specified was not valid.`;
      }
      const bytes = (String(data).length * 3) / 4;
      if (bytes > MAX_IMAGE_BYTES) {
        return `${at}.image.source.base64: image exceeds 5 MB maximum: ${bytes} bytes > ${MAX_IMAGE_BYTES} bytes`;
      }
      if (!["image/png", "image/jpeg", "image/gif", "image/webp"].includes(String(mediaType))) {
        return `${at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
      }
      const found = imageTypeOf(String(data));
      if (found === mediaType) return undefined;
      return found === undefined
        ? `${at}.image.source.base64.data: Could not process image`
        : `${at}.image.source.base64: The image was specified using the ${mediaType} media type, but the image appears ` +
            `to be a ${found} image`;
    });
  },

  function turnsThatThink(request) {
    const turn = openTurn(request);
    if (!thinks(request)) {
      for (const [index, { content }] of turn) {
        const place = content.findIndex(isThought);
        if (place < 0) continue;
        return (
          `messages.${index}.content.${place}: When thinking is disabled, an \`assistant\` message in the final ` +
          `position cannot contain \`${content[place]?.["type"]}\`. To use thinking blocks, enable \`thinking\` in your request.`
        );
      }
      return undefined;
    }
    const [index, first] = turn[0] ?? [];
    const start = first?.content[0];
    if (!start || isThought(start) || fieldsOf(request.body["thinking"])["type"] !== "enabled") return undefined;
    return (
      `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${start["type"]}\`. ` +
      "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost " +
      "set of `tool_use` and `tool_result` blocks). To avoid this requirement, disable `thinking`."
    );
  },

  function signatures(request, { replies }) {
    const issued = replies.flat();
    return eachBlock(request, (block, _, at) => {
      if (block["type"] === "redacted_thinking") {
        return issued.some(({ data }) => data === block["data"])
          ? undefined
          : `${at}: Invalid \`data\` in \`redacted_thinking\` block`;
      }
      if (block["type"] !== "thinking") return undefined;
      const origin = issued.find(({ signature }) => signature !== undefined && signature === block["signature"]);
      if (!origin) return `${at}: Invalid \`signature\` in \`thinking\` block`;
      return origin["thinking"] === block["thinking"] ? undefined : `${at}: ${MODIFIED}`;
    });
  },

  function thoughtsStayInPlace(request, { replies }) {
    for (const [index, { content }] of openTurn(request)) {
      const place = content.findIndex(isThought);
      if (place < 0) continue;
      const reply = replies.find((each) =>
        each.some((block) => thoughtKey(block) === thoughtKey(content[place] ?? {})),
      );
      const kept = reply && outline(reply);
      if (kept !== outline(content)) return `messages.${index}.content.${place}: ${MODIFIED}`;
    }
    return undefined;
  },

  function boundPrefix(request, { prefixes }) {
    const [at] = brokenBindings(request, prefixes);
    return (
      at &&
      `${at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. ` +
        'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    );
  },
];

/** Returns the places of thoughts after a changed prefix, unless the request asks to drop them. */
function brokenBindings(request: SentRequest, prefixes: Memory["prefixes"]): string[] {
  return isDropping(request) ? [] : misplacedThoughts(request, prefixes);
}

function isDropping({ body }: SentRequest): boolean {
  const binding = fieldsOf(fieldsOf(body["thinking"])["block_binding"]);
  return binding["prefix_mismatch_behavior"] === "drop_block";
}

/** Returns the places of thoughts that a newer model has bound to a different prefix. */
export function misplacedThoughts(request: SentRequest, prefixes: Memory["prefixes"]): string[] {
  if (!rulesFor(request.model).bindsPrefix) return [];
  return request.messages.flatMap(({ content }, index) =>
    content.flatMap((block, place) =>
      block["type"] !== "thinking" || prefixes.get(String(block["signature"])) === prefixOf(request, index, place)
        ? []
        : [`messages.${index}.content.${place}`],
    ),
  );
}

const MODIFIED =
  "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain " +
  "as they were in the original response.";

function thoughtKey(block: Fields): unknown {
  return isThought(block) ? (block["signature"] ?? block["data"]) : undefined;
}

/** Returns the order of thoughts, texts and calls in a message. */
function outline(content: readonly Fields[]): string {
  return JSON.stringify(content.map((block) => thoughtKey(block) ?? block["id"] ?? block["type"]));
}
