import { isObject } from "../../lib/json.ts";
import { ModelError, type ModelErrorCode } from "../model.ts";
import { complainsAboutMedia } from "./media-complaint.ts";

/** A provider's report of a failed call. */
export interface ProviderComplaint {
  /** HTTP status; 0 if the report was inside a stream. */
  status: number;
  message: string;
  /** The provider's own code and type, joined by a space. */
  kind?: string;
  /** The delay that it asks for; see `readWaitHint`. */
  retryAfterMs?: number | undefined;
  /** The error as JSON, if it is not plain text. */
  errorJson?: string;
}

/** The error type of a replay that has no interaction for a request. */
export const NO_RECORDED_INTERACTION = "no_recorded_interaction";

/** The consequence of a failure for the call. */
type FailureKind =
  /** The provider limits the rate; the call may succeed later. */
  | "rate_limited"
  /** A daily limit, the quota or the credit is used up. */
  | "used_up"
  /** The provider is overloaded; the call may succeed immediately or later. */
  | "overloaded"
  /** An immediate retry may succeed. */
  | "transient"
  /** The same call would fail again. */
  | "permanent"
  | "context_exceeded"
  | "request_too_large"
  | "media_too_large";

/** A pattern of failures. Every field that is set must match. */
export interface FailureRow {
  readonly means: FailureKind;
  readonly statuses?: readonly number[];
  /** Tested on the provider's code and type, in lower case. */
  readonly kind?: RegExp;
  /** Tested on code, type and message, in lower case. */
  readonly text?: RegExp;
  /** Tested on the whole error as JSON. */
  readonly anywhere?: RegExp;
  /** Matches only if the provider gives no delay. */
  readonly isWithoutHint?: true;
  /** Matches only errors inside a stream or a response with status 200. */
  readonly isInStream?: true;
}

const words = (...texts: string[]) => new RegExp(texts.join("|"));

/** A limit that lasts longer than minutes, such as `GenerateRequestsPerDayPerProject` or `free-models-per-day`. */
const LONG_LIMIT =
  /per[-_ ]?(?:day|month)|byday\b|\/ ?(?:day|month)\b|\b(?:daily|monthly)\b|_(?:daily|monthly)\b|\((?:rpd|tpd)\)/i;
const RATE_LIMITED = /rate_?limit|throttl|too_?many_?requests|resource_?exhausted|\b429\b/;
const NO_CREDIT = /insufficient_\w*(?:quota|balance)|exceeded_current_quota|billing|credit/;

/**
 * The failures of every model; the first matching row counts. The rows of the model's family are checked after
 * {@link FIRST} and before {@link COMMON}.
 */
const FIRST: readonly FailureRow[] = [
  // First, because this message quotes the conversation, which may match any later row.
  { kind: words(NO_RECORDED_INTERACTION), means: "permanent" },
  { kind: /context_length_exceeded|model_max_prompt_tokens_exceeded/, means: "context_exceeded" },
  // OpenAI, Groq: the request alone exceeds the tokens per minute, so it can never succeed unchanged.
  { text: /request too large for[^]*(?:tpm|tokens per min)/, means: "request_too_large" },
];
const COMMON: readonly FailureRow[] = [
  { statuses: [429], anywhere: LONG_LIMIT, means: "used_up" },
  { kind: RATE_LIMITED, anywhere: LONG_LIMIT, means: "used_up" },
  { statuses: [429], kind: NO_CREDIT, means: "used_up" },
  { kind: /insufficient_quota|exceeded_current_quota|billing/, isInStream: true, means: "used_up" },
  // Gemini uses the first wording for limits per minute too, but then gives a delay.
  {
    statuses: [429],
    text: words("exceeded your current quota", "insufficient balance", "credit balance", "out of credit"),
    isWithoutHint: true,
    means: "used_up",
  },
  // Before the context window, because messages about tokens per minute look alike.
  { statuses: [429], means: "rate_limited" },
  { kind: RATE_LIMITED, means: "rate_limited" },
  { statuses: [401, 402, 403, 404], means: "permanent" },
  {
    text: words(
      "image exceeds",
      "image is too large",
      "image too large",
      "image size",
      "image dimensions",
      "too many images",
      "file is too large",
      "file too large",
      "file size exceeds",
      "pdf pages",
      "maximum allowed size for images",
    ),
    means: "media_too_large",
  },
  { statuses: [413], means: "request_too_large" },
  {
    text: words(
      "request_too_large",
      "request too large",
      "request entity too large",
      "payload too large",
      "body too large",
      "request exceeds the maximum size",
      "exceeds the maximum allowed content length",
    ),
    means: "request_too_large",
  },
  {
    text: words(
      "maximum context length",
      "context length",
      "context_length",
      "context window",
      "context size",
      "prompt is too long",
      "input is too long",
      "maximum prompt length",
      "maximum model length",
      "prompt exceeds max length",
      "reduce the length of the messages",
      "too many tokens",
      "exceeds the maximum number of tokens",
      "exceed context limit",
      "token limit exceeded",
      "exceeds the limit of tokens",
      "exceeded model token limit",
      "range of input length should be",
      "inputs` must have less than",
      "inputs` tokens \\+ `max_new_tokens` must be",
    ),
    means: "context_exceeded",
  },
  { statuses: [503, 529], means: "overloaded" },
  { text: /overloaded/, means: "overloaded" },
  { statuses: [408, 500, 502, 504], means: "transient" },
  { kind: /invalid|authentication|permission|not_found|quota|unsupported/, isInStream: true, means: "permanent" },
  { isInStream: true, means: "transient" },
];

/** {@link FailureRow.anywhere} searches this many characters of an error. */
const MAX_SEARCHED = 16_384;

/**
 * Returns the error for a provider's complaint. `where` names the provider, the method and the URL without credentials;
 * `rows` are those of the model's family.
 */
export function classifyFailure(
  where: string,
  complaint: ProviderComplaint,
  rows: readonly FailureRow[] = [],
): ModelError {
  const { status, message, retryAfterMs } = complaint;
  const providerMessage =
    status > 0
      ? `HTTP ${status}${message ? `: ${message}` : ""}`
      : message || "the provider reported an error without a message";
  const kind = [...FIRST, ...rows, ...COMMON].find((row) => fits(row, complaint))?.means ?? "permanent";
  const retryable = kind === "transient" || kind === "overloaded";
  return new ModelError(`${where}: ${providerMessage}`, {
    code: CODES[kind] ?? "model_error",
    status,
    providerMessage,
    retryable,
    isBusy: kind === "rate_limited" || kind === "overloaded" || (retryable && retryAfterMs !== undefined),
    blamesMedia:
      kind === "media_too_large" || ((kind === "permanent" || kind === "transient") && blamesMedia(complaint)),
    retryAfterMs,
  });
}

/**
 * True if a complaint is about a file. Callers also check that the request held one, because other texts look alike.
 */
function blamesMedia({ status, message, kind = "" }: ProviderComplaint): boolean {
  const isAboutAccess = status === 401 || status === 402 || status === 403;
  return !isAboutAccess && !kind.includes(NO_RECORDED_INTERACTION) && complainsAboutMedia(`${kind} ${message}`);
}

const CODES: Partial<Record<FailureKind, ModelErrorCode>> = {
  rate_limited: "rate_limited",
  used_up: "rate_limited",
  context_exceeded: "context_exceeded",
  request_too_large: "request_too_large",
  media_too_large: "media_too_large",
};

function fits(
  row: FailureRow,
  { status, message, kind = "", errorJson = message, retryAfterMs }: ProviderComplaint,
): boolean {
  if (row.statuses && !row.statuses.includes(status)) return false;
  if (row.kind && !row.kind.test(kind.toLowerCase())) return false;
  if (row.text && !row.text.test(`${kind} ${message}`.toLowerCase())) return false;
  if (row.anywhere && !row.anywhere.test(errorJson)) return false;
  if (row.isWithoutHint && retryAfterMs !== undefined) return false;
  return !row.isInStream || status < 300;
}

/**
 * Reads the complaint of the provider behind a gateway. OpenRouter puts its body into `metadata.raw`, next to a message
 * that only reports an error: https://openrouter.ai/docs/api-reference/errors
 */
function upstreamComplaint(status: number, metadata: unknown): ProviderComplaint | undefined {
  const raw = isObject(metadata) ? metadata["raw"] : undefined;
  if (typeof raw !== "string" || raw.trim() === "") return undefined;
  try {
    return readComplaint(status, JSON.parse(raw));
  } catch {
    return { status, message: raw };
  }
}

/**
 * Reads the complaint from the JSON body of an error, in any of the shapes in use; plain text is the message itself.
 */
export function readComplaint(status: number, body: unknown): ProviderComplaint {
  if (typeof body === "string") return { status, message: body };
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) return { status, message: "" };
  const error: unknown = outer["error"] ?? outer;
  if (typeof error === "string") return { status, message: error };
  if (!isObject(error)) return { status, message: "" };
  const text = [error["message"], outer["message"], error["detail"]].find(
    (candidate) => typeof candidate === "string" && candidate !== "",
  );
  const upstream = upstreamComplaint(status, error["metadata"]);
  const kind = [error["code"], error["type"], error["status"], upstream?.kind]
    .filter((part) => typeof part === "string" || typeof part === "number")
    .join(" ");
  const ownMessage = typeof text === "string" ? text : JSON.stringify(error);
  const message = upstream?.message ? `${ownMessage}: ${upstream.message}` : ownMessage;
  return { status, message, errorJson: JSON.stringify(error).slice(0, MAX_SEARCHED), ...(kind ? { kind } : {}) };
}
