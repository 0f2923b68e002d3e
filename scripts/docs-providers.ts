import type { Family, ThinkingRules } from "../src/model/catalog/families.ts";
import { findProvider, PROVIDERS, type ProviderName, type ProviderRow } from "../src/model/catalog/providers.ts";
import { type ResolvedModel, resolveModel } from "../src/model/catalog/resolve.ts";
import { SCHEMA_DIALECTS, type SchemaDialect, STRICT_LIMITS } from "../src/model/schema/dialects.ts";
import { KIND_TEXTS, PROVIDER_OPTIONS } from "../src/model/settings/provider-options.ts";

/** A replayed recording of the real service, or a test server that rejects what the provider rejects. */
type Trial = "recording" | "strict server";

/**
 * How each provider is tested. A provider without an entry has no specific test: it gets the same requests as other
 * providers with the same API.
 */
export const TESTED: Readonly<Partial<Record<ProviderName, readonly Trial[]>>> = {
  openai: ["recording", "strict server"],
  anthropic: ["recording", "strict server"],
  google: ["recording", "strict server"],
  mistral: ["recording", "strict server"],
  deepseek: ["strict server"],
  moonshot: ["strict server"],
  groq: ["strict server"],
  cerebras: ["strict server"],
  xai: ["strict server"],
  openrouter: ["strict server"],
  "github-copilot": ["strict server"],
};

/** The models in the table, as examples of their families. `own` is an entry of `providers` with a `base_url`. */
const SHOWN: readonly (readonly [provider: string, model: string])[] = [
  ["openai", "gpt-5.6"],
  ["openai", "gpt-4.1"],
  ["openai", "gpt-4o"],
  ["openai", "o3"],
  ["anthropic", "claude-opus-5-5"],
  ["anthropic", "claude-sonnet-4-6"],
  ["anthropic", "claude-sonnet-4-5"],
  ["google", "gemini-3.5-flash"],
  ["google", "gemini-2.5-pro"],
  ["mistral", "mistral-medium-latest"],
  ["mistral", "codestral-latest"],
  ["deepseek", "deepseek-chat"],
  ["moonshot", "kimi-k2.5"],
  ["groq", "llama-3.3-70b-versatile"],
  ["xai", "grok-4"],
  ["openrouter", "anthropic/claude-sonnet-4.5"],
  ["dmr", "ai/qwen3"],
  ["own", "qwen3.5-27b"],
  ["own", "anything-else"],
];

/** Returns the variables that replace the addresses of providers. */
function urlVariables(): string {
  const names = Object.values<ProviderRow>(PROVIDERS).flatMap(({ urlVariable }) =>
    urlVariable === undefined ? [] : [`\`${urlVariable}\``],
  );
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns the text of docs/providers.md after its first line. */
export function providersPage(): string {
  const names = Object.keys(PROVIDERS) as ProviderName[];
  const isSupported = (name: ProviderName) => !("advice" in PROVIDERS[name]);
  return [
    "# Providers and models",
    "",
    "The providers and models that hooksh supports, with the key and the features of each. hooksh keeps a conversation as typed blocks, and",
    "writes them into each request in the form that the model's family accepts. It omits settings that a family refuses; `hooksh validate` and",
    "the start of a run list them.",
    "",
    "## Providers",
    "",
    "| provider | service | API | key | tested with |",
    "|---|---|---|---|---|",
    ...names.filter(isSupported).map(providerLine),
    "",
    "An entry of `providers` with a `base_url` uses Chat Completions unless it names another `provider`; one with the address of a",
    "provider above follows its rules. Any other server gets the system text in one message before the conversation, and the thoughts of",
    "the running tool loop in their original field; if it refuses the thoughts, hooksh repeats the request without them.",
    "",
    `Where neither a model nor its provider has a \`base_url\`, ${urlVariables()} replace the address, as in the`,
    "vendors' own SDKs. A value that is no URL is an error before any request; `hooksh doctor` and `run --dry-run` show the address that holds. In a",
    "file of `--env-from-file`, such a variable holds only together with the key: a file of a project cannot send your key elsewhere.",
    "`OPENAI_ORG_ID` and `OPENAI_PROJECT_ID` are sent as headers to the same address. `ANTHROPIC_AUTH_TOKEN` is not read.",
    "",
    "Not supported:",
    "",
    ...names.filter((name) => !isSupported(name)).map((name) => `- \`${name}\`: ${findProvider(name)?.advice ?? ""}`),
    "",
    "For every provider:",
    "",
    "- Thoughts, signatures and encrypted reasoning go back, unchanged, only to the provider that wrote them. A thought that a hook or",
    "  redaction changed goes back as plain text without its signature, if the provider accepts that.",
    "- Context from hooks is system text. If a server accepts system text only before the conversation, context about a tool is moved",
    "  there; otherwise it follows the tool's result.",
    "- Tool calls of one answer run one after the other; `parallel_tool_calls: false` asks for one at a time if the model accepts it.",
    "- After HTTP 429, 503 and 529, hooksh waits up to `fallback.max_wait` ([configuration](configuration.md)).",
    "- Mistral's models refuse a user's message directly after a tool result: hooksh inserts a short answer (`Noted.`).",
    "",
    "## Models",
    "",
    "Each row is an example of a family. `provider_opts.context_size` and `capabilities` of a model override the table.",
    "",
    "| model | API | context window | `thinking_budget` | media | schemas of tools | structured output | settings not sent |",
    "|---|---|---|---|---|---|---|---|",
    ...SHOWN.map(modelLine),
    "",
    "hooksh replaces media that a model does not accept with a description. It replaces a level of thinking that a model lacks with the",
    "nearest one.",
    "",
    "## Options of a provider",
    "",
    "`provider_opts` of a model, or of an entry of `providers`. `hooksh validate`, `hooksh doctor` and the start of a run report an option",
    "that is not sent, with its place; under `validate --strict` it is an error. `project`, `location` and another `publisher` than",
    "`google`, and the variable `GOOGLE_GENAI_USE_VERTEXAI`, select Vertex AI in docker-agent: with provider `google` they are errors, and",
    "nothing is sent.",
    "",
    "| option | value | used with |",
    "|---|---|---|",
    ...optionLines(),
    "",
    `docker-agent has further options, which hooksh ignores with a warning: ${ignoredOptions()}.`,
    "",
    "## Schemas",
    "",
    "hooksh writes the JSON Schema of a tool's arguments or of an answer with the keywords that the model's family accepts, because one",
    "unknown keyword can make a provider refuse every request. All families accept `type`, `description`, `properties`, `required`,",
    "`additionalProperties`, `items`, `anyOf` and `enum`, and an object at the root. Other keywords go into the description, so that the",
    "model still reads them. `oneOf` is written as `anyOf`, `allOf` is merged, `const` becomes an `enum` of one. Drafts before 2020-12 are",
    "supported.",
    "",
    "| dialect | further keywords | one `type` per node | values of `enum` | `$ref` |",
    "|---|---|---|---|---|",
    ...Object.entries(SCHEMA_DIALECTS).map(([name, dialect]) => dialectLine(name, dialect)),
    "",
    "The Responses API enforces a `strict` schema. hooksh marks a tool's schema as strict only if that keeps its meaning: every object names",
    "all its properties, no property inside an argument is optional, the schema has no conditions, and it has at most",
    `${STRICT_LIMITS.levels} levels of objects, ${STRICT_LIMITS.properties} properties and ${STRICT_LIMITS.enumValues} values. Optional arguments become nullable; hooksh drops their nulls before a hook or`,
    "the tool sees them. `structured_output.strict` follows the same rules, but a schema with optional properties is not strict, which",
    "`hooksh validate` reports.",
    "",
    "## How providers are tested",
    "",
    "- **recording**: a recording of the real service is replayed byte for byte.",
    "- **strict server**: a loopback server in `test/model/servers` refuses what the provider documents or was seen to refuse.",
    "- **protocol**: no specific test; other providers with the same API get the same requests.",
    "",
  ].join("\n");
}

function dialectLine(name: string, { facets, allowsTypeLists, enums, allowsReferences }: SchemaDialect): string {
  const keywords = facets.map((facet) => `\`${facet}\``).join(", ") || "none";
  return line(
    `\`${name}\``,
    keywords,
    allowsTypeLists ? "no" : "yes",
    enums === "any" ? "any" : "strings or numbers",
    allowsReferences ? "yes" : "expanded",
  );
}

function resolve(provider: string, model: string): ResolvedModel {
  const own = { own: { base_url: "https://example.com/v1" } };
  const base =
    findProvider(provider)?.baseUrl === undefined && provider !== "own" ? { base_url: "https://example.com/v1" } : {};
  return resolveModel({ provider, model, ...base }, () => undefined, own);
}

function providerLine(name: ProviderName): string {
  const row: ProviderRow = PROVIDERS[name];
  const names = row.keys.map((key) => `\`${key}\``).join(" or ") || "none";
  const keys = row.keyPage === undefined ? names : `${names} ([get one](${row.keyPage}))`;
  const trials = TESTED[name]?.join(", ") ?? "protocol";
  return line(`\`${name}\``, row.summary, apisOf(row), keys, trials);
}

/** One line for each group of options with the same facts. */
function optionLines(): string[] {
  const groups = Map.groupBy(
    Object.entries(PROVIDER_OPTIONS).filter(([, { instead }]) => instead === undefined),
    ([, { apis, provider, kind }]) => {
      const where = provider === undefined ? apis?.map((api) => APIS[api]).join(", ") : `provider \`${provider}\``;
      return `${kind === undefined ? "" : KIND_TEXTS[kind]} | ${where ?? "every API"}`;
    },
  );
  return [...groups].map(([facts, options]) => `| ${options.map(([name]) => `\`${name}\``).join(", ")} | ${facts} |`);
}

function ignoredOptions(): string {
  const ignored = Object.entries(PROVIDER_OPTIONS).filter(([, { instead }]) => instead !== undefined);
  return ignored.map(([name]) => `\`${name}\``).join(", ");
}

const APIS = { anthropic: "Messages", google: "Gemini", chat: "Chat Completions", responses: "Responses" } as const;

function apisOf(row: ProviderRow): string {
  return (row.apis ?? ["chat" as const]).map((api) => APIS[api]).join(", ");
}

function modelLine([provider, model]: (typeof SHOWN)[number]): string {
  const resolved = resolve(provider, model);
  const { family, api } = resolved;
  return line(
    `\`${provider}/${model}\``,
    APIS[api],
    family.contextWindow > 0 ? family.contextWindow.toLocaleString("en") : "unknown",
    budgetOf(resolved),
    mediaOf(family),
    `\`${family.schema}\`${api === "responses" ? ", strict" : ""}`,
    shapeOf(resolved),
    leftOutOf(resolved),
  );
}

function budgetOf({ row, api, family }: ResolvedModel): string {
  if (row.isLocalEngine) return "tokens, for the engine";
  const { thinking } = family;
  const isSent = api === "anthropic" || api === "google" || thinking.kind === "effort";
  return isSent ? describeThinking(thinking) : "not sent";
}

function describeThinking(thinking: ThinkingRules): string {
  switch (thinking.kind) {
    case "none":
      return "not sent";
    case "effort":
      return `${thinking.efforts.join(", ")}${thinking.canDisable ? ", none" : ""}`;
    case "tokens":
      return "tokens, none";
    case "adaptive":
      return `${thinking.efforts.join(", ")}${thinking.takesTokens ? ", tokens" : ""}${thinking.offType === null ? "" : ", none"}`;
    case "gemini-tokens":
      return `${thinking.min} to ${thinking.max} tokens${thinking.canDisable ? ", none" : ""}`;
    case "gemini-level":
      return thinking.levels.join(", ");
  }
}

function mediaOf({ media, takesMediaInResults }: Family): string {
  const types = [...media.image, ...media.document, ...media.audio].map((type) => type.slice(type.indexOf("/") + 1));
  if (types.length === 0) return "none";
  return `${types.join(", ")}${media.isAssumed ? " (assumed)" : ""}${takesMediaInResults ? ", in results too" : ""}`;
}

function shapeOf({ api, family }: ResolvedModel): string {
  if (api === "anthropic" || family.structuredOutput === "text") return "by an instruction";
  return family.takesSchemaWithTools ? "schema" : "schema, but not with tools";
}

function leftOutOf({ family, api }: ResolvedModel): string {
  const parallel =
    (api === "chat" || api === "responses") && !family.chat.parallelToolCalls ? ["parallel_tool_calls"] : [];
  return [...family.refusedSampling, ...parallel].map((name) => `\`${name}\``).join(", ") || "nothing";
}

function line(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
