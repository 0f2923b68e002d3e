import * as v from "valibot";
import {
  duration,
  flag,
  freeMap,
  type KeyFacts,
  later,
  name,
  number,
  oneOf,
  optional,
  since,
  text,
  textMap,
  texts,
  whole,
} from "./keys.ts";

/** The keys every toolset has. Source: config-and-cli 4.9. */
const common = {
  tools: optional(texts),
  instruction: since(2, text),
  readonly: since(10, flag),
  defer: later(v.union([flag, texts]), 3),
  model: since(6, text),
  models: later(texts, 6),
  toon: later(text, 2),
  name: since(3, text),
};

const timeout = since(2, whole(0));
const env = optional(textMap);
const headers = since(4, textMap);
const privateIps = optional(flag);
const url = since(3, name);

const lifecycle = since(
  8,
  v.strictObject({
    profile: optional(oneOf("resilient", "strict", "best-effort")),
    required: optional(flag),
    startup_timeout: optional(duration),
    call_timeout: optional(duration),
    restart: optional(oneOf("never", "on_failure", "always")),
    max_restarts: optional(whole(-1)),
    backoff: optional(
      v.strictObject({
        initial: optional(duration),
        max: optional(duration),
        multiplier: optional(number(0)),
        jitter: optional(number(0, 1)),
      }),
    ),
  }),
);

const remote = optional(
  v.strictObject({
    url: name,
    transport_type: optional(oneOf("streamable", "streamable-http", "sse")),
    headers: optional(textMap),
    oauth: later(
      v.strictObject({
        clientId: optional(text),
        clientSecret: optional(text),
        callbackPort: optional(whole(1, 65535)),
        scopes: optional(texts),
        callbackRedirectURL: optional(text),
      }),
    ),
  }),
);

const mcp = {
  command: optional(name),
  remote,
  ref: since(1, name),
  args: optional(texts),
  env,
  working_dir: optional(text),
  config: since(1, freeMap),
  version: since(6, text),
  lifecycle,
  allow_private_ips: privateIps,
};

const scriptTool = v.strictObject({
  cmd: name,
  description: optional(text),
  args: optional(freeMap),
  required: optional(texts),
  env,
  working_dir: optional(text),
});

const apiConfig = v.strictObject({
  name,
  endpoint: name,
  method: name,
  instruction: optional(text),
  args: optional(freeMap),
  required: optional(texts),
  headers: optional(textMap),
  output_schema: optional(freeMap),
});

const webhookConfig = v.strictObject({
  provider: oneOf(
    "slack",
    "discord",
    "ifttt",
    "telegram",
    "mattermost",
    "rocketchat",
    "googlechat",
    "teams",
    "generic",
  ),
  url: name,
  headers: optional(textMap),
  chat_id: optional(text),
});

const LATER: KeyFacts = { later: "comfort" };

/** Every toolset type: the keys of its own, and whether it can be used yet. Source: config-and-cli 4.9, 5.15. */
export const TOOLSET_TYPES = {
  shell: { keys: { env, sudo_askpass: later(flag), safer: optional(flag) } },
  background_jobs: { keys: { env, recall: since(12, flag) } },
  script: { keys: { shell: v.record(text, scriptTool), env } },
  filesystem: {
    keys: {
      ignore_vcs: since(2, flag),
      allow_list: since(8, v.array(name)),
      deny_list: since(8, v.array(name)),
      post_edit: since(1, v.array(v.strictObject({ path: name, cmd: name }))),
    },
  },
  think: { keys: {} },
  todo: { keys: { shared: optional(flag) } },
  memory: { keys: { path: optional(text) } },
  fetch: {
    keys: {
      timeout,
      allowed_domains: since(8, v.array(name)),
      blocked_domains: since(8, v.array(name)),
      headers,
      allow_private_ips: privateIps,
    },
  },
  mcp: { keys: mcp },
  user_prompt: { keys: {} },
  background_agents: { keys: {} },
  api: { keys: { api_config: apiConfig, timeout, allow_private_ips: privateIps } },
  openapi: { keys: { url: name, headers, timeout, allow_private_ips: privateIps } },
  open_url: { keys: { url: name }, facts: LATER },
  model_picker: { keys: { models: texts }, facts: LATER },
  git: { keys: {}, facts: LATER },
  tasks: { keys: { path: optional(text) }, facts: LATER },
  plan: { keys: {}, facts: LATER },
  session_plan: { keys: {}, facts: LATER },
  session_context: { keys: {}, facts: LATER },
  scheduler: { keys: {}, facts: LATER },
  webhook: { keys: { webhook_config: webhookConfig }, facts: LATER },
  mcp_catalog: { keys: { allowed_servers: optional(texts), blocked_servers: optional(texts) }, facts: LATER },
  a2a: { keys: { url, remote, headers, timeout, allow_private_ips: privateIps }, facts: LATER },
  lsp: {
    keys: {
      command: name,
      args: optional(texts),
      env,
      file_types: since(4, texts),
      working_dir: optional(text),
      version: since(6, text),
      lifecycle,
    },
    facts: LATER,
  },
  rag: { keys: { ref: since(1, name), rag_config: optional(freeMap) }, facts: LATER },
} as const satisfies Record<string, { keys: v.ObjectEntries; facts?: KeyFacts }>;

/** The name of a toolset type of the agent file. */
export type ToolsetTypeName = keyof typeof TOOLSET_TYPES;

/** An entry of an agent's `toolsets`, checked; which keys stand beside the type is settled by TOOLSET_TYPES. */
export type ToolsetConfig = { type: ToolsetTypeName } & { [key: string]: unknown };

/** An entry of `toolsets`. Source: config-and-cli 4.9. */
export const ToolsetSchema = v.pipe(
  v.variant("type", toolsetOptions()),
  v.transform((entry) => entry as ToolsetConfig),
);

/** An entry of `mcps`: an `mcp` toolset that need not say so. */
export const McpSchema = v.strictObject({ type: optional(v.literal("mcp")), ...common, ...mcp });

/** An entry of `mcps`, checked. */
export type McpConfig = v.InferOutput<typeof McpSchema>;

function toolsetOptions() {
  return Object.entries(TOOLSET_TYPES).map(([type, row]) => {
    const facts: KeyFacts = "facts" in row ? row.facts : {};
    return v.pipe(v.strictObject({ type: v.literal(type), ...common, ...row.keys }), v.metadata({ ...facts }));
  });
}
