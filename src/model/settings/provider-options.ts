import { isObject } from "../../lib/json.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { type Api, foreignServiceProblem } from "../catalog/providers.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { SettingNote } from "./request-settings.ts";

/** A value that an option takes. */
type OptionKind = "text" | "flag" | "mapping";

/** An option of `provider_opts`. */
export interface OptionRow {
  /** The APIs with which hooksh uses it; all if absent. */
  apis?: readonly Api[];
  /** The provider with which hooksh uses it; any if absent. */
  provider?: string;
  /** The value it takes; any if absent. */
  kind?: OptionKind;
  /** Set for an option of docker-agent that hooksh does not have: what happens, or what to use. */
  instead?: string;
  /** The value with which such an option changes nothing; `false` if absent. */
  off?: unknown;
}

const ENGINE: OptionRow = { provider: "dmr" };
const GOOGLE: OptionRow = { apis: ["google"], kind: "flag" };
const SAMPLING: OptionRow = { apis: ["chat"] };
const NO_RAG = "hooksh searches no documents";

/** Every option that hooksh or docker-agent knows. */
export const PROVIDER_OPTIONS: Readonly<Record<string, OptionRow>> = {
  http_headers: { kind: "mapping" },
  context_size: {},
  unload_api: { kind: "text" },
  api_type: { apis: ["chat", "responses"] },
  api_version: { provider: "azure", kind: "text" },
  seed: { apis: ["chat", "google"] },
  top_k: { apis: ["chat", "google", "anthropic"] },
  repetition_penalty: SAMPLING,
  min_p: SAMPLING,
  typical_p: SAMPLING,
  extra_body: { apis: ["chat"], kind: "mapping" },
  service_tier: { apis: ["chat", "responses", "google"], kind: "text" },
  preserve_reasoning: { apis: ["responses"], kind: "flag" },
  google_search: GOOGLE,
  url_context: GOOGLE,
  thinking_display: { apis: ["anthropic"], kind: "text" },
  interleaved_thinking: { apis: ["anthropic"], kind: "flag" },
  supports_images: ENGINE,
  supports_pdf: ENGINE,
  runtime_flags: ENGINE,
  raw_runtime_flags: ENGINE,
  mode: ENGINE,
  keep_alive: ENGINE,
  speculative_draft_model: ENGINE,
  speculative_num_tokens: ENGINE,
  speculative_acceptance_rate: ENGINE,
  gpu_memory_utilization: ENGINE,
  hf_overrides: ENGINE,
  native_tool_search: { instead: "the model gets all tools at once" },
  native_compaction: { instead: "hooksh compacts the conversation itself" },
  cache_diagnostics: { instead: "the cost of cached tokens is in token_usage" },
  cache_preserving_updates: { instead: "changes are sent as messages" },
  thinking_prefix_mismatch: { instead: "hooksh returns thoughts unchanged" },
  strict_tools: { instead: "hooksh checks the arguments of calls itself" },
  fallbacks: { instead: "list models under fallback of the agent" },
  transport: { instead: "replies come as server-sent events", off: "sse" },
  google_maps: { instead: "google_search grounds answers" },
  code_execution: { instead: "give the agent a shell toolset" },
  output_dimensionality: { instead: NO_RAG },
  rerank_prompt: { instead: NO_RAG },
};

const API_NAMES: Readonly<Record<Api, string>> = {
  chat: "Chat Completions",
  responses: "the Responses API",
  anthropic: "Anthropic's API",
  google: "the Gemini API",
};

/** The values of each kind, for messages. */
export const KIND_TEXTS: Readonly<Record<OptionKind, string>> = {
  text: "a text",
  flag: "true or false",
  mapping: "a mapping",
};

/** Returns notes on options that are not sent, and on those that select a service which hooksh does not speak. */
export function optionNotes(model: ResolvedModel): readonly SettingNote[] {
  const { foreignService: other } = model.row;
  return Object.entries(model.spec.provider_opts ?? {}).flatMap(([name, value]): SettingNote[] => {
    const path = ["provider_opts", name];
    if (value === null) return [];
    if (other && Object.hasOwn(other.options, name)) {
      const isOwn = value === other.options[name];
      return isOwn ? [] : [{ path, message: foreignServiceProblem(other, path.join(".")), isFatal: true }];
    }
    const message = optionProblem(model, name, value);
    return message === undefined ? [] : [{ path, message }];
  });
}

function optionProblem(model: ResolvedModel, name: string, value: unknown): string | undefined {
  const row = Object.hasOwn(PROVIDER_OPTIONS, name) ? PROVIDER_OPTIONS[name] : undefined;
  if (!row) return unknownOption(model, name);
  const { instead, kind, off = false } = row;
  if (instead !== undefined) return value === off ? undefined : `not supported yet, ignored; ${instead}`;
  if (row.provider !== undefined && row.provider !== model.rowName)
    return `not sent: only ${row.provider} has this option`;
  if (!isUsed(row, model)) return `${API_NAMES[model.api]} has no such setting: not sent`;
  return kind === undefined || hasKind(value, kind) ? undefined : `not sent: expected ${KIND_TEXTS[kind]}`;
}

function unknownOption(model: ResolvedModel, name: string): string {
  const known = Object.keys(PROVIDER_OPTIONS).filter((option) => isUsed(PROVIDER_OPTIONS[option] ?? {}, model));
  const close = nearest(name, known);
  return close === undefined
    ? `not sent: unknown option; known options are ${known.join(", ")}`
    : `not sent: unknown option; did you mean ${JSON.stringify(close)}?`;
}

function isUsed({ apis, provider, instead }: OptionRow, model: ResolvedModel): boolean {
  return (
    instead === undefined &&
    (apis === undefined || apis.includes(model.api)) &&
    (provider === undefined || provider === model.rowName)
  );
}

function hasKind(value: unknown, kind: OptionKind): boolean {
  if (kind === "mapping") return isObject(value);
  return kind === "text" ? typeof value === "string" : typeof value === "boolean";
}

/** Returns the value of an option that is a text; undefined for any other value, which {@link optionNotes} reports. */
export function textOption(model: ResolvedModel, name: string): string | undefined {
  const value = model.spec.provider_opts?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
