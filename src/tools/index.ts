/**
 * The toolsets that a model may call, and their table. They get the context they run in as a parameter, and know no
 * agent.
 *
 * @packageDocumentation
 */
import * as v from "valibot";
import {
  anyMap,
  flag,
  type KeyFacts,
  nonEmptyText,
  oneOf,
  optional,
  refusedKey,
  sinceVersion,
  text,
  textList,
  textMap,
  wholeNumber,
  withoutEffect,
} from "../lib/schema/keys.ts";
import { lifecycleKey, mcpRow, remoteKey } from "./mcp/mcp-row.ts";
import { NAMED_TOOLS } from "./tool-names.ts";
import { otherKeys, type ToolsetRow, toolsetRow } from "./toolset-row.ts";

const timeout = sinceVersion(2, wholeNumber(0));
const env = optional(textMap);
const headers = sinceVersion(4, textMap);
const privateIps = optional(flag);
/** The facts of a type that hooksh knows and does not support yet, and what to use instead. */
const notYet = (instead: string): KeyFacts => ({ withoutEffect: "addition", instead });

const scriptTool = v.strictObject({
  cmd: nonEmptyText,
  description: optional(text),
  args: optional(anyMap),
  required: optional(textList),
  env,
  working_dir: optional(text),
});

const apiConfig = v.strictObject({
  name: nonEmptyText,
  endpoint: nonEmptyText,
  method: nonEmptyText,
  instruction: optional(text),
  args: optional(anyMap),
  required: optional(textList),
  headers: optional(textMap),
  output_schema: optional(anyMap),
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
  url: nonEmptyText,
  headers: optional(textMap),
  chat_id: optional(text),
});

const fileKeys = {
  allow_list: sinceVersion(8, v.array(nonEmptyText)),
  deny_list: sinceVersion(8, v.array(nonEmptyText)),
  post_edit: sinceVersion(1, v.array(v.strictObject({ path: nonEmptyText, cmd: nonEmptyText }))),
};

/**
 * Every toolset type of the agent file, in the order of the file's schema. A row holds every fact about its type: the
 * schema, the checks, the effects, the tool names for matchers and the start of the toolset are all derived from it.
 */
export const TOOLSETS = {
  shell: toolsetRow({
    summary: "Runs command lines in the user's shell.",
    keys: {
      env,
      sudo_askpass: withoutEffect(flag, 0, "run sudo before hooksh, or allow it without a password"),
      safer: refusedKey("removed in docker-agent 1.133; delete it: safety modes replaced it"),
    },
    ...NAMED_TOOLS.shell,
    runsCommands: true,
    load: () => import("./shell.ts"),
  }),
  background_jobs: toolsetRow({
    summary: "Runs and manages commands in the background.",
    keys: { env, recall: sinceVersion(12, flag) },
    ...NAMED_TOOLS.background_jobs,
    runsCommands: true,
    load: () => import("./background-jobs.ts"),
  }),
  script: toolsetRow({
    summary: "Offers command lines of the agent file as tools.",
    keys: { shell: v.record(text, scriptTool), env },
    tools: ({ shell }) => Object.keys(shell),
    runsCommands: true,
    effects: ({ shell, ...rest }) =>
      Object.entries(shell).map(([tool, script]) => {
        const details = JSON.parse(otherKeys(rest) || "{}") as object;
        return `tool ${JSON.stringify(tool)} runs ${JSON.stringify(script.cmd)} ${JSON.stringify({ ...script, ...details })}`;
      }),
    check: async (entry, report) => (await import("./script/check-scripts.ts")).checkScripts(entry, report),
    obstacles: async (entry, machine) => (await import("./script/check-scripts.ts")).scriptObstacles(entry, machine),
    load: () => import("./script.ts"),
  }),
  filesystem: toolsetRow({
    summary: "Reads, lists, searches and changes files.",
    keys: { ignore_vcs: sinceVersion(2, flag), ...fileKeys },
    ...NAMED_TOOLS.filesystem,
    obstacles: async (entry, machine) =>
      (await import("./filesystem/filesystem-obstacles.ts")).filesystemObstacles(entry, machine),
    load: () => import("./filesystem.ts"),
  }),
  file: toolsetRow({
    summary: "Reads and changes single files.",
    keys: { ignore_vcs: withoutEffect(flag, 2, "its tools list nothing"), ...fileKeys },
    ...NAMED_TOOLS.file,
    obstacles: async (entry, machine) =>
      (await import("./filesystem/filesystem-obstacles.ts")).filesystemObstacles(entry, machine),
    load: () => import("./file.ts"),
  }),
  environment: toolsetRow({
    summary: "Tells the model the operating system and the shell.",
    keys: {},
    ...NAMED_TOOLS.environment,
    effects: "none",
    load: () => import("./environment.ts"),
  }),
  think: toolsetRow({
    summary: "Lets the model write down its thoughts.",
    keys: {},
    ...NAMED_TOOLS.think,
    effects: "none",
    load: () => import("./think.ts"),
  }),
  todo: toolsetRow({
    summary: "Keeps a to-do list.",
    keys: { shared: optional(flag) },
    ...NAMED_TOOLS.todo,
    effects: "none",
    load: () => import("./todo.ts"),
  }),
  memory: toolsetRow({
    summary: "Keeps memories from one session to the next.",
    keys: { path: optional(text) },
    ...NAMED_TOOLS.memory,
    obstacles: async (entry, machine) => (await import("./memory/memory-obstacles.ts")).memoryObstacles(entry, machine),
    load: () => import("./memory.ts"),
  }),
  fetch: toolsetRow({
    summary: "Reads web pages.",
    keys: {
      timeout,
      allowed_domains: sinceVersion(8, v.array(nonEmptyText)),
      blocked_domains: sinceVersion(8, v.array(nonEmptyText)),
      headers,
      allow_private_ips: privateIps,
      escape_html: withoutEffect(flag, 16, "results are not escaped"),
    },
    ...NAMED_TOOLS.fetch,
    check: async (entry, report) => {
      if (entry.allowed_domains === undefined && entry.blocked_domains === undefined) return;
      (await import("./fetch/domains.ts")).checkDomains(entry, report);
    },
    load: () => import("./fetch.ts"),
  }),
  mcp: mcpRow,
  user_prompt: toolsetRow({
    summary: "Asks the user a question and waits for the answer.",
    keys: {},
    ...NAMED_TOOLS.user_prompt,
    effects: "none",
    load: () => import("./user-prompt.ts"),
  }),
  background_agents: toolsetRow({
    summary: "Runs other agents in the background.",
    keys: {},
    ...NAMED_TOOLS.background_agents,
    isOfRuntime: true,
  }),
  api: toolsetRow({
    summary: "Offers an HTTP call as a tool.",
    keys: { api_config: apiConfig, timeout, allow_private_ips: privateIps },
    tools: ({ api_config: api }) => [api.name],
    effects: ({ api_config: api, ...rest }) => [`calls ${JSON.stringify(api)}${otherKeys(rest)}`],
    check: async (entry, report) => (await import("./api/check-api.ts")).checkApi(entry, report),
    obstacles: async (entry) =>
      (await import("./http/check-url.ts")).urlObstacles(["api_config", "endpoint"], entry.api_config.endpoint, entry),
    load: () => import("./api.ts"),
  }),
  openapi: toolsetRow({
    summary: "Offers the operations of an OpenAPI document as tools.",
    keys: {
      url: nonEmptyText,
      headers,
      timeout,
      allow_private_ips: privateIps,
      max_output_bytes: sinceVersion(16, wholeNumber(0)),
    },
    effects: ({ url, ...rest }) => [`calls ${JSON.stringify(url)}${otherKeys(rest)}`],
    check: async (entry, report) => (await import("./http/check-url.ts")).checkUrl(["url"], entry.url, report),
    obstacles: async (entry) => (await import("./http/check-url.ts")).urlObstacles(["url"], entry.url, entry),
    load: () => import("./openapi.ts"),
  }),
  open_url: toolsetRow({
    summary: "Opens a URL in the user's browser.",
    keys: { url: nonEmptyText },
    facts: notYet("use type shell"),
  }),
  model_picker: toolsetRow({
    summary: "Lets the agent change its model.",
    keys: { models: textList },
    facts: notYet("choose the model with --model or /model"),
  }),
  git: toolsetRow({ summary: "Reads a Git repository.", keys: {}, facts: notYet("use type shell") }),
  tasks: toolsetRow({
    summary: "Keeps tasks with dependencies in a file.",
    keys: { path: optional(text) },
    facts: notYet("use type todo"),
  }),
  plan: toolsetRow({ summary: "Keeps plans across sessions.", keys: {}, facts: notYet("use type memory") }),
  session_plan: toolsetRow({
    summary: "Kept a plan for the session.",
    keys: {},
    facts: { withoutEffect: "refused", instead: "removed in docker-agent 1.137; use type todo" },
  }),
  session_context: toolsetRow({
    summary: "Reads other sessions.",
    keys: {},
    facts: notYet("name what matters in the prompt"),
  }),
  scheduler: toolsetRow({
    summary: "Sends prompts at set times.",
    keys: {},
    facts: notYet("start hooksh run from cron"),
  }),
  webhook: toolsetRow({
    summary: "Sends messages to a webhook.",
    keys: { webhook_config: webhookConfig },
    facts: notYet("use type api"),
  }),
  mcp_catalog: toolsetRow({
    summary: "Finds and enables MCP servers from a catalog.",
    keys: { allowed_servers: optional(textList), blocked_servers: optional(textList) },
    facts: notYet("list the servers as toolsets of type mcp"),
  }),
  a2a: toolsetRow({
    summary: "Talks to an agent over the A2A protocol.",
    keys: { url: sinceVersion(3, nonEmptyText), remote: remoteKey, headers, timeout, allow_private_ips: privateIps },
    check: async (entry, report) => (await import("./mcp/check-mcp.ts")).checkOauth(entry.remote, report),
    facts: notYet("name the agent under sub_agents"),
  }),
  lsp: toolsetRow({
    summary: "Offers the features of a language server.",
    keys: {
      command: nonEmptyText,
      args: optional(textList),
      env,
      file_types: sinceVersion(4, textList),
      working_dir: optional(text),
      version: sinceVersion(6, text),
      lifecycle: lifecycleKey,
    },
    facts: notYet("use an MCP server for the language"),
  }),
  rag: toolsetRow({
    summary: "Searches documents.",
    keys: { ref: sinceVersion(1, nonEmptyText), rag_config: optional(anyMap) },
    check: ({ ref, rag_config: config }, report, names) => {
      if (ref !== undefined) report.defined(["ref"], "rag source", ref, names.sources);
      else if (config === undefined) report.problem(["ref"], "is required");
    },
    facts: notYet("use an MCP server that searches documents"),
  }),
} as const satisfies Record<string, ToolsetRow>;

/** The name of a toolset type of the agent file. */
export type ToolsetTypeName = keyof typeof TOOLSETS;

const ROWS: Readonly<Record<ToolsetTypeName, ToolsetRow>> = TOOLSETS;

/** A valid toolset entry of the agent file. */
export type ToolsetEntry = { type: ToolsetTypeName } & { [key: string]: unknown };

/** Returns the row of an entry. Its functions accept the entry, because the row's own keys validated it. */
export function rowOf({ type }: Pick<ToolsetEntry, "type">): ToolsetRow<ToolsetEntry> {
  return ROWS[type] as ToolsetRow<ToolsetEntry>;
}
