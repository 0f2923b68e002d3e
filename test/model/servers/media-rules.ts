import type { Refusal, Rule, WireRequest } from "./chat.ts";
import { imageTypeOf } from "./image-bytes.ts";

/** A part of a message that is not text, and the message's role. */
interface FilePart {
  role: string;
  index: number;
  type: string;
  /** The image, document or audio: the value of the key named like the part's type. */
  value: Record<string, unknown>;
}

/** Returns every part of a request that is not text. */
function filesIn({ messages }: WireRequest): FilePart[] {
  return messages.flatMap(({ role, content }, index) =>
    (Array.isArray(content) ? (content as Record<string, unknown>[]) : []).flatMap((part): FilePart[] => {
      const type = String(part["type"]);
      return type === "text" || type === "thinking"
        ? []
        : [{ role, index, type, value: (part[type] ?? {}) as Record<string, unknown> }];
    }),
  );
}

function refuse(message: string, status = 400): Refusal {
  return { status, body: { error: { message, type: "invalid_request_error", param: null, code: null } } };
}

/** Checks every file of a request; the first refusal counts. */
function eachFile(judge: (part: FilePart, request: WireRequest) => Refusal | undefined): Rule {
  return (request) =>
    filesIn(request)
      .map((part) => judge(part, request))
      .find((found) => found !== undefined);
}

/** Returns the declared type and the base64 data of a `data:` URL. */
function inData(url: unknown): { type: string; data: string } | undefined {
  const match = /^data:([\w/.+-]+);base64,(.+)$/.exec(String(url));
  return match ? { type: match[1] ?? "", data: match[2] ?? "" } : undefined;
}

/** Refuses an image whose bytes differ from its declared type, or whose type is not accepted. */
function imageProblem({ value }: FilePart, types: readonly string[]): string | undefined {
  const given = inData(value["url"]);
  if (!given) return "Invalid image URL: expected a base64-encoded data URL with an image MIME type";
  if (!types.includes(given.type)) return `unsupported image: ${given.type}; use one of ${types.join(", ")}`;
  return imageTypeOf(given.data) === given.type
    ? undefined
    : "The image data you provided does not represent a valid image.";
}

const FOUR = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** A server for models without documents and audio; only some have vision. */
function images(options: {
  sees: RegExp;
  types?: readonly string[];
  most?: number;
  says: (part: FilePart) => string;
  status?: number;
}): Rule {
  const { sees, types = FOUR, most = Infinity, says, status } = options;
  return (request) => {
    const files = filesIn(request);
    const foreign = files.find(
      ({ type, role }) => type !== "image_url" || role !== "user" || !sees.test(request.model),
    );
    if (foreign) return refuse(says(foreign), status);
    if (files.length > most) return refuse(`Too many images in request. Maximum is ${most}`);
    const problem = files.map((file) => imageProblem(file, types)).find((found) => found !== undefined);
    return problem === undefined ? undefined : refuse(problem);
  };
}

/**
 * The media that each provider accepts. Public references: OpenAI, "Images and vision", "File inputs" and "Audio and
 * speech"; https://docs.mistral.ai/capabilities/vision; https://console.groq.com/docs/vision;
 * https://docs.x.ai/docs/guides/image-understanding; https://platform.moonshot.ai/docs/guide/use-kimi-vision-model;
 * https://openrouter.ai/docs/features/multimodal/overview. The wording is from reports by users.
 */
export const MEDIA_RULES = {
  openai: eachFile((part, { model }) => {
    const { role, type, index, value } = part;
    if (role !== "user")
      return refuse(`Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user'.`);
    switch (type) {
      case "image_url": {
        const sees = /gpt-(4o|4\.1|5)|^o[134](?!-mini)/.test(model);
        const problem = sees
          ? imageProblem(part, FOUR)
          : "Invalid content type. image_url is only supported by certain models.";
        return problem === undefined ? undefined : refuse(problem);
      }
      case "file": {
        const file = inData(value["file_data"]);
        const isPdf = file?.type === "application/pdf" && atob(file.data).startsWith("%PDF-");
        return isPdf ? undefined : refuse("Invalid file data: expected a file with an application/pdf MIME type.");
      }
      case "input_audio": {
        const isTaken = /audio/.test(model) && ["wav", "mp3"].includes(String(value["format"]));
        return isTaken ? undefined : refuse("Invalid content type. input_audio is only supported by certain models.");
      }
      default:
        return refuse(
          `Invalid value: '${type}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal' and 'file'.`,
        );
    }
  }),
  deepseek: eachFile(({ type, index }) =>
    refuse(
      `Failed to deserialize the JSON body into the target type: messages[${index}]: unknown variant \`${type}\`, expected \`text\``,
      422,
    ),
  ),
  moonshot: images({ sees: /kimi-(k2\.[5-9]|latest)/, says: () => "Image input not supported" }),
  mistral: images({
    sees: /pixtral|mistral-(small|medium|large)-latest|magistral/,
    most: 8,
    says: ({ type }) =>
      type === "image_url"
        ? "Image input is not enabled for this model"
        : `Input tag '${type}' found using 'type' does not match any of the expected tags: 'text', 'image_url', 'document_url'`,
  }),
  groq: images({ sees: /llama-4/, most: 5, says: ({ index }) => `messages[${index}].content must be a string` }),
  cerebras: images({
    sees: /^$/,
    says: ({ index }) => `messages.${index}.user.content.str: Input should be a valid string`,
  }),
  xai: images({
    sees: /grok-4/,
    types: ["image/png", "image/jpeg"],
    says: ({ type }) => `${type}: this model does not support image inputs`,
  }),
  openrouter: eachFile(({ type }) =>
    type === "image_url" || type === "file"
      ? undefined
      : refuse(`No endpoints found that support ${type.replace("_", " ")}`, 404),
  ),
  copilot: images({ sees: /./, says: () => "type has to be either 'image_url' or 'text'" }),
  vllm: images({ sees: /-vl/, says: () => "some-model is not a multimodal model" }),
} as const satisfies Record<string, Rule>;
