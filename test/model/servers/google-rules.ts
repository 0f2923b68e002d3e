import { isObject } from "../../../src/lib/json.ts";
import { imageTypeOf } from "./image-bytes.ts";

/** An unchecked JSON object. */
export type Fields = Record<string, unknown>;

/** A turn of a request. */
export interface SentContent {
  readonly role: string;
  readonly parts: readonly Fields[];
}

/** A request as the rules see it. */
export interface SentRequest {
  readonly body: Fields;
  readonly model: string;
  readonly contents: readonly SentContent[];
}

/** The parts of every reply, as the client received them. */
export type Memory = readonly Fields[][];

/** Returns why the provider refuses a request; undefined if this rule does not refuse it. */
type Rule = (request: SentRequest, memory: Memory) => string | undefined;

/** A model's documented behavior. */
interface ModelRules {
  /** The accepted fields of `thinkingConfig`. */
  readonly thinking: "nothing" | "budget" | "level";
  readonly budgets?: readonly [least: number, most: number, canStop: boolean];
  readonly levels?: readonly string[];
  /** True if each step of the current turn needs its thought signature. */
  readonly signs: boolean;
  readonly penalties: boolean;
  /** True if `responseMimeType` is allowed with function declarations. */
  readonly jsonWithTools: boolean;
  /** True if a function response may hold media. */
  readonly mediaInResponses: boolean;
}

const FIRST: ModelRules = {
  thinking: "nothing",
  signs: false,
  penalties: true,
  jsonWithTools: false,
  mediaInResponses: false,
};
const SECOND: ModelRules = { ...FIRST, thinking: "budget", penalties: false };
const THIRD: ModelRules = {
  ...SECOND,
  thinking: "level",
  levels: ["minimal", "low", "medium", "high"],
  signs: true,
  jsonWithTools: true,
  mediaInResponses: true,
};

/**
 * The models; the first match counts. https://ai.google.dev/gemini-api/docs/thinking (budgets and levels),
 * https://ai.google.dev/gemini-api/docs/gemini-3 (signatures, structured output with tools, media in responses).
 */
const MODELS: readonly (readonly [RegExp, ModelRules])[] = [
  [/^gemini-3-pro/, { ...THIRD, levels: ["low", "high"] }],
  [/^gemini-3[.\d]*-pro/, { ...THIRD, levels: ["low", "medium", "high"] }],
  [/^gemini-3/, THIRD],
  [/^gemini-2\.5-pro/, { ...SECOND, budgets: [128, 32_768, false] }],
  [/^gemini-2\.5-flash-lite/, { ...SECOND, budgets: [512, 24_576, true] }],
  [/^gemini-2\.5/, { ...SECOND, budgets: [1, 24_576, true] }],
  [/^gemini-(1|2\.0)/, FIRST],
];

/** Google's documented placeholder signature for calls of other models. */
export const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

/** Returns the rules of a model; those of the newest models for a name that is not in the table. */
export function rulesFor(model: string): ModelRules {
  return MODELS.find(([pattern]) => pattern.test(model))?.[1] ?? THIRD;
}

/** Returns the first reason to refuse a request, in the words of the API; undefined if it is valid. */
export function refusal(request: SentRequest, memory: Memory): string | undefined {
  for (const rule of RULES) {
    const message = rule(request, memory);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Returns the fields of an object; none for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

const callsOf = ({ parts }: SentContent) => parts.filter((part) => "functionCall" in part);
const responsesOf = ({ parts }: SentContent) => parts.filter((part) => "functionResponse" in part);

/** The allowed names in each object of a request, by the end of its path. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  request: [
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
  ],
  content: ["role", "parts"],
  part: [
    "text",
    "thought",
    "thoughtSignature",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "videoMetadata",
  ],
  inlineData: ["mimeType", "data", "displayName"],
  fileData: ["mimeType", "fileUri"],
  functionCall: ["id", "name", "args"],
  functionResponse: ["id", "name", "response", "parts", "willContinue", "scheduling"],
  tool: ["functionDeclarations", "googleSearch", "codeExecution", "urlContext"],
  declaration: [
    "name",
    "description",
    "parameters",
    "parametersJsonSchema",
    "response",
    "responseJsonSchema",
    "behavior",
  ],
  generationConfig: [
    "stopSequences",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "candidateCount",
    "maxOutputTokens",
    "temperature",
    "topP",
    "topK",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "thinkingConfig",
    "mediaResolution",
  ],
  thinkingConfig: ["includeThoughts", "thinkingBudget", "thinkingLevel"],
  // The keywords of the `Schema` type; JSON Schema goes into fields that end in `JsonSchema`.
  schema: [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
  ],
};

const DATA_FIELDS = ["text", "inlineData", "fileData", "functionCall", "functionResponse"];

const MEDIA_TYPES =
  /^(image\/(png|jpeg|webp|heic|heif)|audio\/(wav|x-wav|mp3|mpeg|aiff|aac|ogg|flac|mp4|m4a|webm|pcm)|video\/[\w.-]+|application\/pdf|text\/[\w.-]+)$/;

/**
 * The rules in the order of the checks. Fields: https://ai.google.dev/api/generate-content and
 * https://ai.google.dev/api/caching (Content, Part, Tool, Schema). Order of calls and responses:
 * https://ai.google.dev/gemini-api/docs/function-calling. Signatures:
 * https://ai.google.dev/gemini-api/docs/thought-signatures. Media: https://ai.google.dev/gemini-api/docs/image-understanding.
 */
const RULES: readonly Rule[] = [
  function knownNames({ body, contents }) {
    const config = fieldsOf(body["generationConfig"]);
    const tools = listOf(body["tools"]);
    const declarations = tools.flatMap((tool) => listOf(tool["functionDeclarations"]));
    const parts = [
      ...contents.flatMap((content) => content.parts),
      ...listOf(fieldsOf(body["systemInstruction"])["parts"]),
    ];
    const inner = (name: string) => parts.flatMap((part) => (part[name] === undefined ? [] : [fieldsOf(part[name])]));
    const objects: [kind: string, objects: Fields[]][] = [
      ["request", [body]],
      ["content", listOf(body["contents"])],
      ["part", parts],
      ...["inlineData", "fileData", "functionCall", "functionResponse"].map((name): [string, Fields[]] => [
        name,
        inner(name),
      ]),
      ["tool", tools],
      ["declaration", declarations],
      ["generationConfig", [config]],
      ["thinkingConfig", [fieldsOf(config["thinkingConfig"])]],
      ["schema", [...declarations.map((each) => each["parameters"]), config["responseSchema"]].flatMap(subschemas)],
    ];
    for (const [kind, each] of objects) {
      const unknown = each.flatMap(Object.keys).find((name) => !KNOWN[kind]?.includes(name));
      if (unknown) return `Invalid JSON payload received. Unknown name "${unknown}" at '${kind}': Cannot find field.`;
    }
    return undefined;
  },

  function contentsAreThere({ contents }) {
    if (contents.length === 0) return "* GenerateContentRequest.contents: contents is not specified\n";
    const wrong = contents.find(({ role }) => role !== "user" && role !== "model");
    if (wrong) return "Please use a valid role: user, model.";
    const empty = contents.findIndex(({ parts }) => parts.length === 0);
    return empty < 0
      ? undefined
      : `* GenerateContentRequest.contents[${empty}].parts: contents.parts must not be empty.\n`;
  },

  function partsHoldData({ contents }) {
    for (const [index, { parts }] of contents.entries()) {
      for (const [place, part] of parts.entries()) {
        const data = DATA_FIELDS.filter((name) => part[name] !== undefined);
        const empty = part["text"] === "" && part["thoughtSignature"] === undefined;
        if (data.length === 1 && !empty) continue;
        return (
          `* GenerateContentRequest.contents[${index}].parts[${place}].data: required oneof field 'data' must have ` +
          "one initialized field\n"
        );
      }
    }
    return undefined;
  },

  function lastTurn({ contents }) {
    return contents.at(-1)?.role === "user"
      ? undefined
      : "Please ensure that multiturn requests end with a user role or a function response.";
  },

  function callsAndResponses({ contents }) {
    for (const [index, content] of contents.entries()) {
      const before = contents[index - 1];
      const calls = before ? callsOf(before).map((part) => fieldsOf(part["functionCall"])) : [];
      const responses = responsesOf(content).map((part) => fieldsOf(part["functionResponse"]));
      if (callsOf(content).length > 0 && (content.role !== "model" || before?.role !== "user")) {
        return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
      }
      if (responses.length > 0 && (content.role !== "user" || calls.length === 0)) {
        return "Please ensure that function response turn comes immediately after a function call turn.";
      }
      if (responses.length !== calls.length) {
        return (
          "Please ensure that the number of function response parts is equal to the number of function call parts " +
          "of the function call turn."
        );
      }
      for (const [place, response] of responses.entries()) {
        if (!isObject(response["response"])) {
          return `Invalid value at 'contents[${index}].parts[${place}].function_response.response' (type.googleapis.com/google.protobuf.Struct)`;
        }
        const call = response["id"] === undefined ? calls[place] : calls.find(({ id }) => id === response["id"]);
        if (call?.["name"] === response["name"] && call?.["id"] === response["id"]) continue;
        return `Function response ${response["name"]} (id ${response["id"] ?? "none"}) does not match a function call.`;
      }
    }
    return undefined;
  },

  function thoughtSignatures({ contents, model }, memory) {
    if (!rulesFor(model).signs) return undefined;
    const start = contents.findLastIndex((content) => content.role === "user" && responsesOf(content).length === 0);
    for (const [index, content] of contents.entries()) {
      const first = callsOf(content)[0];
      if (!first || index < start) continue;
      const call = fieldsOf(first["functionCall"]);
      const signature = first["thoughtSignature"];
      if (signature === undefined) {
        return (
          "Function call is missing a thought_signature in functionCall parts. This is required for tools to work " +
          `correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call ` +
          `\`default_api:${call["name"]}\` , position ${index + 1}.`
        );
      }
      // The API accepts the placeholder for every call. For its own calls that would lose the thoughts: refused here.
      // Calls of models that check signatures have ids.
      const own =
        call["id"] !== undefined &&
        memory
          .flat()
          .some((part) => part["thoughtSignature"] !== undefined && Bun.deepEquals(part["functionCall"], call));
      if (signature === FOREIGN_SIGNATURE && own) return `The signature of the call ${call["name"]} was not sent back.`;
    }
    return undefined;
  },

  function signaturesFit({ contents }, memory) {
    const issued = memory.flat();
    for (const part of contents.flatMap((content) => content.parts)) {
      const signature = part["thoughtSignature"];
      if (signature === undefined || (signature === FOREIGN_SIGNATURE && "functionCall" in part)) continue;
      if (!issued.some((each) => each["thoughtSignature"] === signature)) return "Thought signature is not valid.";
      if (!issued.some((each) => Bun.deepEquals(each, part))) return "Corrupted thought signature.";
    }
    return undefined;
  },

  function functionDeclarations({ body }) {
    const declarations = listOf(body["tools"]).flatMap((tool) => listOf(tool["functionDeclarations"]));
    const names = declarations.map(({ name }) => String(name));
    const wrong = names.find((name) => !/^[a-zA-Z_][\w.:-]{0,127}$/.test(name));
    if (wrong !== undefined) {
      return (
        `Invalid function name ${wrong}. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, ` +
        "0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128."
      );
    }
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) return `Duplicate function declaration found: ${twice}`;
    for (const { name, parameters, parametersJsonSchema } of declarations) {
      if (parameters !== undefined && parametersJsonSchema !== undefined) {
        return `${name}: parameters and parameters_json_schema cannot both be set.`;
      }
      const schema = fieldsOf(parametersJsonSchema ?? parameters);
      if (parametersJsonSchema !== undefined && schema["type"] !== "object") {
        return `${name}: functionDeclaration parameters schema should be of type OBJECT.`;
      }
      const broken = subschemas(schema).find(({ $ref }) => typeof $ref === "string" && !resolves(schema, $ref));
      if (broken) return `reference to undefined schema at ${broken["$ref"]}`;
    }
    return undefined;
  },

  function generationSettings({ body, model }) {
    const config = fieldsOf(body["generationConfig"]);
    const rules = rulesFor(model);
    if (!rules.penalties && (config["frequencyPenalty"] ?? config["presencePenalty"]) !== undefined) {
      return `Penalty is not enabled for models/${model}`;
    }
    const most = config["maxOutputTokens"];
    if (typeof most === "number" && (most < 1 || most > 65_536)) {
      return (
        `Unable to submit request because it has a maxOutputTokens value of ${most} but the supported range is from 1 ` +
        "(inclusive) to 65537 (exclusive)."
      );
    }
    const declares = listOf(body["tools"]).some((tool) => listOf(tool["functionDeclarations"]).length > 0);
    return config["responseMimeType"] === "application/json" && declares && !rules.jsonWithTools
      ? "Function calling with a response mime type: 'application/json' is unsupported"
      : undefined;
  },

  function thinkingSettings({ body, model }) {
    const thinking = fieldsOf(body["generationConfig"])["thinkingConfig"];
    if (thinking === undefined) return undefined;
    const { thinkingBudget: budget, thinkingLevel: level } = fieldsOf(thinking);
    const rules = rulesFor(model);
    if (rules.thinking === "nothing") return `Thinking is not enabled for models/${model}`;
    if (budget !== undefined && level !== undefined)
      return "You can only set only one of thinking budget and thinking level.";
    if (level !== undefined) {
      if (rules.thinking !== "level") return "Thinking level is not supported for this model.";
      return rules.levels?.includes(String(level).toLowerCase())
        ? undefined
        : `Thinking level ${String(level).toUpperCase()} is not supported for this model. Please retry with other thinking level.`;
    }
    if (budget === undefined || budget === -1 || !rules.budgets) return undefined;
    const [least, largest, canStop] = rules.budgets;
    if (budget === 0) return canStop ? undefined : "Budget 0 is invalid. This model only works in thinking mode.";
    return Number(budget) >= least && Number(budget) <= largest
      ? undefined
      : `The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${largest}.`;
  },

  function media({ contents, model }) {
    const parts = contents.flatMap((content) => content.parts);
    const nested = parts.flatMap((part) => listOf(fieldsOf(part["functionResponse"])["parts"]));
    if (nested.length > 0 && !rulesFor(model).mediaInResponses) {
      return "Multimodal function responses are not supported for this model.";
    }
    for (const { inlineData } of [...parts, ...nested]) {
      if (inlineData === undefined) continue;
      const { mimeType, data } = fieldsOf(inlineData);
      if (!MEDIA_TYPES.test(String(mimeType))) return `Unsupported MIME type: ${mimeType}`;
      const checked = /^image\/(png|jpeg|webp)$/.test(String(mimeType));
      if (checked && imageTypeOf(String(data)) !== mimeType) {
        return "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting";
      }
    }
    return undefined;
  },
];

/** Returns a schema and all schemas inside it. */
function subschemas(schema: unknown): Fields[] {
  if (!isObject(schema)) return [];
  const named = ["properties", "$defs", "definitions"].flatMap((key) => Object.values(fieldsOf(schema[key])));
  const listed = ["anyOf", "oneOf", "allOf", "prefixItems"].flatMap((key) => listOf(schema[key]));
  return [schema, ...[...named, ...listed, schema["items"], schema["additionalProperties"]].flatMap(subschemas)];
}

function resolves(root: Fields, pointer: string): boolean {
  if (!pointer.startsWith("#")) return false;
  const steps = pointer.slice(1).split("/").filter(Boolean);
  return (
    steps.reduce<unknown>((at, step) => fieldsOf(at)[step.replaceAll("~1", "/").replaceAll("~0", "~")], root) !==
    undefined
  );
}
