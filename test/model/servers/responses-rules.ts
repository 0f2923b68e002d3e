import { azureStrict, openai, openaiStrict } from "./schema-rules.ts";

/** The unchecked fields of a JSON object. */
export type Fields = Record<string, unknown>;

/** An item of a reply, as the server issued it, and its place in the reply. */
export interface Issued {
  item: Fields;
  /** The id of the next item in its reply. */
  next?: string;
  /** The id of the previous item in its reply. */
  follows?: string;
  /** The id of the reasoning item that led to it. */
  reasoning?: string;
}

/** The server's memory: the items it issued, by id. With `store: false` a real service keeps only their keys. */
export type Memory = Map<string, Issued>;

/** Reads an object; anything else counts as empty. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** True for a model that reasons. */
export function reasons(model: string): boolean {
  return /^(o[134]|gpt-5(?!-chat)|computer-use)/.test(model);
}

const PARAMETERS = [
  "model",
  "input",
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "temperature",
  "top_p",
  "top_logprobs",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
  "text",
  "stream",
  "stream_options",
  "store",
  "include",
  "metadata",
  "previous_response_id",
  "truncation",
  "user",
  "service_tier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "background",
  "conversation",
  "prompt",
];

/**
 * Returns why OpenAI's Responses API refuses a request, in its words; undefined if it accepts it. Rules and messages are
 * from the API reference and from reported errors. https://platform.openai.com/docs/api-reference/responses/create,
 * https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context
 */
export function refusal(body: Fields, memory: Memory): string | undefined {
  const unknown = Object.keys(body).find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`;
  if (typeof body["model"] !== "string") return "Missing required parameter: 'model'.";
  if (!Array.isArray(body["input"]) || body["input"].length === 0) return "Missing required parameter: 'input'.";
  return modelRefusal(body, body["model"]) ?? toolRefusal(body) ?? formatRefusal(body) ?? inputRefusal(body, memory);
}

function modelRefusal(body: Fields, model: string): string | undefined {
  const reasoning = fieldsOf(body["reasoning"]);
  const include = listOf(body["include"]);
  const unsupported = (name: string) => `Unsupported parameter: '${name}' is not supported with this model.`;
  const least = Number(body["max_output_tokens"] ?? 16);
  if (least < 16)
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${least} instead.`;
  if (!reasons(model)) {
    if (body["reasoning"] !== undefined)
      return unsupported(reasoning["effort"] === undefined ? "reasoning.summary" : "reasoning.effort");
    return include.includes("reasoning.encrypted_content")
      ? "Encrypted content is not supported with this model."
      : undefined;
  }
  const efforts = /^gpt-5\.[1-9]/.test(model)
    ? ["none", "low", "medium", "high", "xhigh"]
    : ["low", "medium", "high", ...(model.startsWith("gpt-5") ? ["minimal"] : [])];
  const effort = reasoning["effort"];
  if (effort !== undefined && !efforts.includes(String(effort)))
    return `Unsupported value: '${String(effort)}' is not supported with the '${model}' model.`;
  const silent = effort === "none" || (effort === undefined && /^gpt-5\.[1-9]/.test(model));
  const sampling = ["temperature", "top_p"].find((name) => body[name] !== undefined);
  if (sampling && !silent) return unsupported(sampling);
  if (/^o\d/.test(model) && body["parallel_tool_calls"] !== undefined) return unsupported("parallel_tool_calls");
  if (body["store"] === false && !include.includes("reasoning.encrypted_content"))
    return "store is false, and include does not ask for reasoning.encrypted_content: the reasoning of this reply would be lost.";
  return undefined;
}

function toolRefusal(body: Fields): string | undefined {
  const names = new Set<unknown>();
  for (const [index, tool] of listOf(body["tools"]).map(fieldsOf).entries()) {
    const name = String(tool["name"]);
    if (tool["type"] !== "function") return `Invalid value: '${String(tool["type"])}'. (tools[${index}].type)`;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      return `Invalid 'tools[${index}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    if (names.has(name)) return `Duplicate tool name: ${name}.`;
    names.add(name);
    if (typeof tool["strict"] !== "boolean") return `Missing required parameter: 'tools[${index}].strict'.`;
    const problem = (tool["strict"] ? openaiStrict : openai)(tool["parameters"]);
    if (problem) return `Invalid schema for function '${name}': ${problem}`;
  }
  return undefined;
}

function formatRefusal(body: Fields): string | undefined {
  const format = fieldsOf(fieldsOf(body["text"])["format"]);
  if (format["type"] !== "json_schema") return undefined;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(format["name"])))
    return "Invalid 'text.format.name': string does not match pattern.";
  const problem = (format["strict"] === true ? openaiStrict : openai)(format["schema"]);
  return problem && `Invalid schema for response_format '${String(format["name"])}': ${problem}`;
}

const ITEM_KEYS: Record<string, readonly string[]> = {
  reasoning: ["type", "id", "summary", "content", "encrypted_content"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status"],
  function_call_output: ["type", "id", "call_id", "output", "status"],
  message: ["type", "id", "role", "content", "status", "phase"],
};

function inputRefusal(body: Fields, memory: Memory): string | undefined {
  const items = listOf(body["input"]).map(fieldsOf);
  const seen = new Set<string>();
  const calls = new Set<string>();
  const answered = new Set(
    items.filter(({ type }) => type === "function_call_output").map(({ call_id }) => String(call_id)),
  );
  for (const [index, item] of items.entries()) {
    const type = String(item["type"] ?? (item["role"] === undefined ? "" : "message"));
    const keys = ITEM_KEYS[type];
    if (!keys) return `Invalid value: '${type}'. (input[${index}].type)`;
    const unknown = Object.keys(item).find((key) => !keys.includes(key));
    if (unknown !== undefined) return `Unknown parameter: 'input[${index}].${unknown}'.`;
    const id = item["id"];
    if (id !== undefined && (typeof id !== "string" || !id.startsWith(PREFIXES[type] ?? ""))) {
      return `Invalid 'input[${index}].id': '${String(id)}'. Expected an ID that begins with '${PREFIXES[type]}'.`;
    }
    if (typeof id === "string") {
      if (seen.has(id))
        return `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
      const problem = issuedRefusal({ item, id, type, next: items[index + 1], body }, memory, seen);
      if (problem) return problem;
      seen.add(id);
    }
    if (type === "message") {
      const problem = contentRefusal(item, index);
      if (problem) return problem;
    }
    const call = String(item["call_id"]);
    if (call.length > 64)
      return `Invalid 'input[${index}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${call.length} instead.`;
    if (type === "function_call") {
      if (!answered.has(call)) return `No tool output found for function call ${call}.`;
      if (typeof item["arguments"] !== "string")
        return `Invalid type for 'input[${index}].arguments': expected a string.`;
      calls.add(call);
    }
    if (type === "function_call_output") {
      if (!calls.has(call)) return `No tool call found for function call output with call_id ${call}.`;
      const problem =
        typeof item["output"] === "string"
          ? undefined
          : partsRefusal(listOf(item["output"]), `input[${index}].output`, "input");
      if (problem) return problem;
    }
  }
  return undefined;
}

const PREFIXES: Record<string, string> = {
  reasoning: "rs",
  function_call: "fc",
  message: "msg",
  function_call_output: "fc",
};

function issuedRefusal(
  { item, id, type, next, body }: { item: Fields; id: string; type: string; next: Fields | undefined; body: Fields },
  memory: Memory,
  seen: ReadonlySet<string>,
): string | undefined {
  const issued = memory.get(id);
  if (type === "reasoning") {
    if (!reasons(String(body["model"])))
      return "Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.";
    if (typeof item["encrypted_content"] !== "string" && body["store"] === false)
      return `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
    if (!issued || !Bun.deepEquals(issued.item, item))
      return `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    if (issued.reasoning !== undefined && issued.follows === issued.reasoning && !seen.has(issued.reasoning))
      return `Item '${id}' of type 'reasoning' was provided without its required 'reasoning' item: '${issued.reasoning}'.`;
    if (issued.next === undefined || next?.["id"] !== issued.next)
      return `Item '${id}' of type 'reasoning' was provided without its required following item.`;
    return undefined;
  }
  if (!issued) return `Item with id '${id}' not found.`;
  if (issued.reasoning !== undefined && !seen.has(issued.reasoning))
    return `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${issued.reasoning}'.`;
  const contentOf = (fields: Fields) => [
    fields["name"],
    fields["arguments"],
    fields["call_id"],
    textOf(fields["content"]),
  ];
  return Bun.deepEquals(contentOf(issued.item), contentOf(item))
    ? undefined
    : `Item '${id}' is not what was issued under this id.`;
}

function textOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : listOf(content)
        .map(fieldsOf)
        .map(({ text, refusal: no }) => String(text ?? no))
        .join("");
}

function contentRefusal(item: Fields, index: number): string | undefined {
  const role = item["role"];
  if (!["system", "developer", "user", "assistant"].includes(String(role)))
    return `Invalid value: '${String(role)}'. (input[${index}].role)`;
  if (typeof item["content"] === "string") return undefined;
  return partsRefusal(listOf(item["content"]), `input[${index}].content`, role === "assistant" ? "output" : "input");
}

function partsRefusal(parts: readonly unknown[], path: string, side: "input" | "output"): string | undefined {
  const kinds = side === "input" ? ["input_text", "input_image", "input_file"] : ["output_text", "refusal"];
  for (const [index, part] of parts.map(fieldsOf).entries()) {
    const at = `${path}[${index}]`;
    if (!kinds.includes(String(part["type"])))
      return `Invalid value: '${String(part["type"])}'. Supported values are: '${kinds.join("', '")}'. (${at})`;
    if (
      part["type"] === "input_image" &&
      !/^(https?:\/\/|data:image\/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+=*$)/.test(String(part["image_url"]))
    )
      return `Invalid '${at}.image_url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,...'), but got unsupported MIME type.`;
    if (part["type"] === "input_file") {
      const data = String(part["file_data"] ?? "");
      if (part["file_url"] === undefined && !data.startsWith("data:application/pdf;base64,"))
        return `Invalid '${at}.file_data'. Expected a file with an application/pdf MIME type.`;
    }
  }
  return undefined;
}

/** The rules for tools of Azure's endpoint, which replace those of OpenAI. */
export function azureToolRefusal(body: Fields): string | undefined {
  const strict = listOf(body["tools"])
    .map(fieldsOf)
    .find(({ strict: wanted }) => wanted === true);
  const problem = strict && azureStrict(strict["parameters"]);
  return problem && `Invalid schema for function '${String(strict?.["name"])}': ${problem}`;
}
