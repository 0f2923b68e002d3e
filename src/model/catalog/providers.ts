/** The API of a call; each has a row in `APIS`. */
export type Api = "chat" | "responses" | "anthropic" | "google";

/** A service with its own terms and regions that settings of a provider select. */
interface ForeignService {
  name: string;
  /** The service that hooksh speaks. */
  spoken: string;
  /** The variable that selects it when set to `true` or `1`. */
  variable: string;
  /** The provider options that select it, each with the value that does not. */
  options: Readonly<Record<string, string | undefined>>;
}

/** Returns why a setting that selects another service cannot be used. */
export function foreignServiceProblem({ name, spoken }: ForeignService, setting: string): string {
  return `${setting} selects ${name}, which hooksh does not speak; remove it to use ${spoken}`;
}

/** A provider of models: its APIs, its address and its credentials. */
export interface ProviderRow {
  summary: string;
  /** Its `gen_ai.provider.name` in traces, as OpenTelemetry's conventions define it; absent if that is the row's name. */
  telemetryName?: string;
  /** The APIs it offers; the first is used unless a model prefers another one. Chat Completions if absent. */
  apis?: readonly [Api, ...Api[]];
  /** True if requests name deployments of the user, which its list of models does not hold. */
  namesDeployments?: true;
  /** The default base URL; may hold `${VARIABLE}`. Absent if `base_url` must be configured. */
  baseUrl?: string;
  /** The variable that replaces the host of `baseUrl`. */
  hostVariable?: string;
  /** The variable that replaces `baseUrl`, as the provider's own SDKs read it. */
  urlVariable?: string;
  /** Headers whose values are variables, as the provider's own SDKs send them; not sent to a configured base URL. */
  variableHeaders?: Readonly<Record<string, string>>;
  /** True for Docker Model Runner, which hooksh finds and configures before the first call. */
  isLocalEngine?: true;
  /** Variables that can hold the key; the first one that is set wins. Empty for a provider without keys. */
  keys: readonly string[];
  /** The page on which users create a key; present if the provider has keys. */
  keyPage?: string;
  /** The command that starts the server; only for one on the user's machine. */
  startCommand?: string;
  /** The headers that carry the key; `authorization`, which adds `Bearer`, if absent. */
  keyHeaders?: readonly string[];
  /** Sent with every request; `provider_opts.http_headers` override them. */
  headers?: Readonly<Record<string, string>>;
  /** Added to a request that holds images. */
  imageHeaders?: Readonly<Record<string, string>>;
  /** True to merge adjacent messages of one role, because its chat templates accept a single system message. */
  mergesMessages?: boolean;
  /** The model that `auto` uses if this provider has a key. */
  defaultModel?: string;
  /**
   * The order in which `auto` tries providers: lower ranks first, equal ranks (0 if absent) in the order of the rows.
   */
  autoRank?: number;
  /** The output limit in tokens of a model chosen by `auto`; 32,000 if absent. */
  defaultMaxTokens?: number;
  /** Another service under the provider's name, to which hooksh must send nothing because it does not speak it. */
  foreignService?: ForeignService;
  /** Set for an unsupported provider: the advice for its users. */
  advice?: string;
}

/** The providers known by name. */
export const PROVIDERS = {
  openai: {
    summary: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    urlVariable: "OPENAI_BASE_URL",
    variableHeaders: { "OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID" },
    keys: ["OPENAI_API_KEY"],
    keyPage: "https://platform.openai.com/api-keys",
    apis: ["chat", "responses"],
    defaultModel: "gpt-5.6",
  },
  anthropic: {
    summary: "Anthropic",
    apis: ["anthropic"],
    baseUrl: "https://api.anthropic.com",
    urlVariable: "ANTHROPIC_BASE_URL",
    keys: ["ANTHROPIC_API_KEY"],
    keyPage: "https://platform.claude.com/settings/keys",
    keyHeaders: ["x-api-key"],
    defaultModel: "claude-sonnet-4-6",
    autoRank: -1,
  },
  google: {
    summary: "Google Gemini",
    telemetryName: "gcp.gemini",
    apis: ["google"],
    baseUrl: "https://generativelanguage.googleapis.com",
    urlVariable: "GOOGLE_GEMINI_BASE_URL",
    keys: ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
    keyPage: "https://aistudio.google.com/apikey",
    keyHeaders: ["x-goog-api-key"],
    foreignService: {
      name: "Vertex AI",
      spoken: "the Gemini API",
      variable: "GOOGLE_GENAI_USE_VERTEXAI",
      options: { project: undefined, location: undefined, publisher: "google" },
    },
    defaultModel: "gemini-3.5-flash",
  },
  dmr: {
    summary: "Docker Model Runner",
    baseUrl: "http://127.0.0.1:12434/engines/v1/",
    hostVariable: "MODEL_RUNNER_HOST",
    isLocalEngine: true,
    startCommand: "docker desktop enable model-runner",
    keys: [],
    mergesMessages: true,
    defaultModel: "ai/qwen3:latest",
    autoRank: 1, // it needs no key
    defaultMaxTokens: 16_000,
  },
  ollama: {
    summary: "Ollama",
    baseUrl: "http://localhost:11434/v1",
    hostVariable: "OLLAMA_HOST",
    startCommand: "ollama serve",
    keys: [],
  },
  lmstudio: {
    summary: "LM Studio",
    baseUrl: "http://localhost:1234/v1",
    hostVariable: "LM_STUDIO_HOST",
    startCommand: "lms server start",
    keys: [],
    mergesMessages: true,
  },
  azure: {
    summary: "Azure OpenAI",
    telemetryName: "azure.ai.openai",
    keys: ["AZURE_API_KEY"],
    keyPage: "https://portal.azure.com",
    keyHeaders: ["authorization", "api-key"],
    namesDeployments: true,
  },
  openrouter: {
    summary: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keys: ["OPENROUTER_API_KEY"],
    keyPage: "https://openrouter.ai/settings/keys",
    mergesMessages: true,
  },
  mistral: {
    summary: "Mistral",
    telemetryName: "mistral_ai",
    baseUrl: "https://api.mistral.ai/v1",
    keys: ["MISTRAL_API_KEY"],
    keyPage: "https://console.mistral.ai/api-keys",
    defaultModel: "mistral-small-latest",
  },
  groq: {
    summary: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keys: ["GROQ_API_KEY"],
    keyPage: "https://console.groq.com/keys",
    defaultModel: "llama-3.3-70b-versatile",
  },
  xai: {
    summary: "xAI",
    telemetryName: "x_ai",
    baseUrl: "https://api.x.ai/v1",
    keys: ["XAI_API_KEY"],
    keyPage: "https://console.x.ai/team/default/api-keys",
  },
  deepseek: {
    summary: "DeepSeek",
    baseUrl: "https://api.deepseek.com/v1",
    keys: ["DEEPSEEK_API_KEY"],
    keyPage: "https://platform.deepseek.com/api_keys",
    defaultModel: "deepseek-chat",
  },
  cerebras: {
    summary: "Cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    keys: ["CEREBRAS_API_KEY"],
    keyPage: "https://cloud.cerebras.ai",
    mergesMessages: true,
    defaultModel: "gpt-oss-120b",
  },
  together: {
    summary: "Together AI",
    baseUrl: "https://api.together.xyz/v1",
    keys: ["TOGETHER_API_KEY"],
    keyPage: "https://api.together.ai/settings/projects/~current/api-keys",
    mergesMessages: true,
  },
  fireworks: {
    summary: "Fireworks AI",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keys: ["FIREWORKS_API_KEY"],
    keyPage: "https://app.fireworks.ai/settings/users/api-keys",
    mergesMessages: true,
  },
  huggingface: {
    summary: "Hugging Face",
    baseUrl: "https://router.huggingface.co/v1",
    keys: ["HF_TOKEN"],
    keyPage: "https://huggingface.co/settings/tokens",
    mergesMessages: true,
  },
  moonshot: {
    summary: "Moonshot AI",
    telemetryName: "moonshot_ai",
    baseUrl: "https://api.moonshot.ai/v1",
    keys: ["MOONSHOT_API_KEY"],
    keyPage: "https://platform.kimi.ai/console/api-keys",
  },
  nebius: {
    summary: "Nebius",
    baseUrl: "https://api.studio.nebius.com/v1",
    keys: ["NEBIUS_API_KEY"],
    keyPage: "https://tokenfactory.nebius.com/project/api-keys",
    mergesMessages: true,
  },
  nvidia: {
    summary: "NVIDIA",
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keys: ["NVIDIA_API_KEY"],
    keyPage: "https://build.nvidia.com/settings/api-keys",
    mergesMessages: true,
  },
  minimax: {
    summary: "MiniMax",
    baseUrl: "https://api.minimax.io/v1",
    keys: ["MINIMAX_API_KEY"],
    keyPage: "https://platform.minimax.io/user-center/basic-information/interface-key",
  },
  atlascloud: {
    summary: "Atlas Cloud",
    baseUrl: "https://api.atlascloud.ai/v1",
    keys: ["ATLASCLOUD_API_KEY"],
    keyPage: "https://www.atlascloud.ai/console/api-keys",
    mergesMessages: true,
  },
  daoxe: {
    summary: "DaoXE",
    baseUrl: "https://api.daoxe.com/v1",
    keys: ["DAOXE_API_KEY"],
    keyPage: "https://daoxe.com",
    mergesMessages: true,
  },
  requesty: {
    summary: "Requesty",
    baseUrl: "https://router.requesty.ai/v1",
    keys: ["REQUESTY_API_KEY"],
    keyPage: "https://app.requesty.ai/api-keys",
  },
  baseten: {
    summary: "Baseten",
    baseUrl: "https://inference.baseten.co/v1",
    keys: ["BASETEN_API_KEY"],
    keyPage: "https://app.baseten.co/settings/api_keys",
    mergesMessages: true,
  },
  ovhcloud: {
    summary: "OVHcloud",
    baseUrl: "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1",
    keys: ["OVH_AI_ENDPOINTS_ACCESS_TOKEN"],
    keyPage: "https://www.ovh.com/manager/#/public-cloud/",
    mergesMessages: true,
  },
  vercel: {
    summary: "Vercel AI Gateway",
    baseUrl: "https://ai-gateway.vercel.sh/v1",
    keys: ["AI_GATEWAY_API_KEY"],
    keyPage: "https://vercel.com/docs/ai-gateway/authentication-and-byok/api-keys",
    mergesMessages: true,
  },
  "cloudflare-workers-ai": {
    summary: "Cloudflare Workers AI",
    baseUrl: "https://api.cloudflare.com/client/v4/accounts/${CLOUDFLARE_ACCOUNT_ID}/ai/v1",
    keys: ["CLOUDFLARE_API_TOKEN"],
    keyPage: "https://dash.cloudflare.com/profile/api-tokens",
    mergesMessages: true,
  },
  "cloudflare-ai-gateway": {
    summary: "Cloudflare AI Gateway",
    baseUrl: "https://gateway.ai.cloudflare.com/v1/${CLOUDFLARE_ACCOUNT_ID}/${CLOUDFLARE_GATEWAY_ID}/compat",
    keys: ["CLOUDFLARE_API_TOKEN"],
    keyPage: "https://dash.cloudflare.com/profile/api-tokens",
    mergesMessages: true,
  },
  "github-copilot": {
    summary: "GitHub Copilot",
    baseUrl: "https://api.githubcopilot.com",
    keys: ["GITHUB_TOKEN", "GH_TOKEN"],
    keyPage: "https://github.com/settings/tokens",
    headers: { "Copilot-Integration-Id": "copilot-developer-cli" },
    imageHeaders: { "Copilot-Vision-Request": "true" },
    apis: ["chat", "responses"],
  },
  "opencode-zen": {
    summary: "OpenCode Zen",
    baseUrl: "https://opencode.ai/zen/v1",
    keys: ["OPENCODE_API_KEY"],
    keyPage: "https://opencode.ai/auth",
    apis: ["chat", "responses"],
  },
  "opencode-go": {
    summary: "OpenCode Go",
    baseUrl: "https://opencode.ai/zen/go/v1",
    keys: ["OPENCODE_API_KEY"],
    keyPage: "https://opencode.ai/auth",
  },
  "amazon-bedrock": {
    summary: "Amazon Bedrock",
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    advice:
      "use an entry under `providers` whose base_url is Bedrock's OpenAI-compatible endpoint " +
      "(https://bedrock-runtime.<region>.amazonaws.com/openai/v1) with token_key AWS_BEARER_TOKEN_BEDROCK",
  },
  chatgpt: {
    summary: "ChatGPT subscription",
    keys: [],
    advice: "signing in with a subscription is not supported: use provider openai with OPENAI_API_KEY",
  },
} as const satisfies Record<string, ProviderRow>;

/** The name of a provider in {@link PROVIDERS}. */
export type ProviderName = keyof typeof PROVIDERS;

const ROWS: Readonly<Record<string, ProviderRow>> = PROVIDERS;

/** Other names of providers, by which https://models.dev and docker-agent call them. */
const OTHER_NAMES: Readonly<Record<string, ProviderName>> = {
  "fireworks-ai": "fireworks",
  moonshotai: "moonshot",
  opencode: "opencode-zen",
  togetherai: "together",
};

/** Returns the name of a provider's row; the given name for a provider that has no other one. */
export function providerRowName(name: string): string {
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? name) : name;
}

/** Returns the row of a provider; undefined for a name that is not in the table. */
export function findProvider(name: string): ProviderRow | undefined {
  const row = providerRowName(name);
  return Object.hasOwn(ROWS, row) ? ROWS[row] : undefined;
}

/** Returns the name of the provider at the host of a URL; undefined for a host that is not in the table. */
export function findProviderByUrl(url: string): string | undefined {
  const host = hostOf(url);
  return host === undefined ? undefined : Object.keys(ROWS).find((name) => hostOf(ROWS[name]?.baseUrl ?? "") === host);
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
