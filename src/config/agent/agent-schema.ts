import * as v from "valibot";
import {
  anyMap,
  anything,
  duration,
  flag,
  fraction,
  limitWithoutEffect,
  nonEmptyText,
  oneOf,
  optional,
  refusedKey,
  sinceVersion,
  text,
  textList,
  wholeNumber,
  withoutEffect,
} from "../../lib/schema/keys.ts";
import { GENERIC_LEVELS } from "../../redaction/args.ts";
import { EvaluatorSchema } from "../models/evaluator-schema.ts";
import { BudgetSchema, ModelSchema, ProviderSchema } from "../models/model-schema.ts";
import { PermissionsSchema } from "../permissions/permission-rules.ts";
import { SAFETY_MODES } from "../permissions/safety-modes.ts";
import { McpSchema, ToolsetSchema } from "../toolsets/toolset-schema.ts";

const safetyMode = oneOf(...SAFETY_MODES);

const CommandSchema = v.union([
  text,
  v.strictObject({
    description: optional(text),
    instruction: optional(text),
    agent: optional(nonEmptyText),
    url: optional(nonEmptyText),
  }),
]);

const CommandsSchema = v.record(text, CommandSchema);

/** A skill in the agent file itself. */
const InlineSkillSchema = v.strictObject({
  name: nonEmptyText,
  description: nonEmptyText,
  instructions: nonEmptyText,
  context: optional(oneOf("fork")),
  model: optional(text),
  allowed_tools: optional(textList),
  toolsets: optional(textList),
});

const SkillsSchema = v.union([flag, v.array(v.union([text, InlineSkillSchema]))]);

const FallbackSchema = v.strictObject({
  models: optional(textList),
  retries: optional(wholeNumber(-1)),
  cooldown: optional(duration),
  max_wait: optional(duration),
});

const StructuredOutputSchema = v.strictObject({
  name: nonEmptyText,
  schema: anyMap,
  description: optional(text),
  strict: optional(flag),
  mode: sinceVersion(15, oneOf("native", "tool")),
});

const CacheSchema = v.strictObject({
  enabled: optional(flag),
  case_sensitive: optional(flag),
  trim_spaces: optional(flag),
  path: optional(text),
});

const HarnessSchema = v.strictObject({
  type: oneOf("claude-code", "codex", "pi", "opencode"),
  model: optional(text),
  effort: optional(oneOf("low", "medium", "high", "xhigh", "max")),
  agent: optional(text),
  thinking: optional(v.union([text, flag, v.number()])),
});

/** The agents that a hook on `before_agent_run` or `after_agent_complete` may choose. */
const RoutingSchema = v.strictObject({ allowed_agents: textList, default_agent: optional(nonEmptyText) });

const RedactionSchema = v.strictObject({
  generic: optional(oneOf(...GENERIC_LEVELS)),
  label: optional(flag),
});

export const AgentSchema = v.strictObject({
  model: optional(text),
  description: optional(text),
  instruction: optional(v.union([text, textList])),
  instruction_file: sinceVersion(11, v.union([text, textList])),
  toolsets: optional(v.array(ToolsetSchema)),
  sub_agents: optional(textList),
  handoffs: sinceVersion(2, textList),
  force_handoff: sinceVersion(10, text),
  routing: sinceVersion(16, RoutingSchema),
  hooks: sinceVersion(3, anything),
  commands: optional(CommandsSchema),
  use_commands: sinceVersion(10, textList),
  use_skills: sinceVersion(10, textList),
  use_toolsets: sinceVersion(10, textList),
  welcome_message: sinceVersion(2, text),
  add_date: optional(flag),
  add_environment_info: sinceVersion(1, flag),
  add_prompt_files: sinceVersion(2, textList),
  add_prompt_files_depth: sinceVersion(15, wholeNumber(0)),
  redact_secrets: sinceVersion(8, v.union([flag, RedactionSchema])),
  max_iterations: sinceVersion(2, wholeNumber(0)),
  max_consecutive_tool_calls: sinceVersion(7, wholeNumber(0)),
  max_guard_retries: optional(wholeNumber(0)),
  max_old_tool_call_tokens: sinceVersion(7, wholeNumber(-1)),
  max_tool_result_tokens: sinceVersion(12, wholeNumber(-1)),
  num_history_items: optional(wholeNumber(0)),
  session_compaction: sinceVersion(12, flag),
  compaction_threshold: sinceVersion(12, fraction),
  compaction_model: sinceVersion(11, nonEmptyText),
  fallback: sinceVersion(4, FallbackSchema),
  structured_output: sinceVersion(2, StructuredOutputSchema),
  skills: sinceVersion(3, SkillsSchema),
  readonly: sinceVersion(10, flag),
  safety: sinceVersion(15, safetyMode),
  add_description_parameter: sinceVersion(4, flag),
  budgets: sinceVersion(12, textList),
  cache: withoutEffect(CacheSchema, 8, "every question goes to the model"),
  code_mode_tools: withoutEffect(flag, 2, "the model calls each tool itself"),
  harness: withoutEffect(HarnessSchema, 9, "the agent does not run, and no task or conversation is handed to it"),
});

/** The agent file, schema version 16. */
export const AgentFileSchema = v.strictObject({
  version: optional(v.union([text, v.number()])),
  agents: optional(v.record(text, AgentSchema)),
  models: optional(v.record(text, ModelSchema)),
  providers: sinceVersion(3, v.record(text, ProviderSchema)),
  metadata: sinceVersion(
    1,
    v.strictObject({
      author: optional(text),
      license: optional(text),
      description: sinceVersion(4, text),
      readme: optional(text),
      version: optional(text),
      tags: sinceVersion(11, textList),
    }),
  ),
  hooks: optional(anything),
  rules: optional(anything),
  sets: optional(anything),
  evaluators: optional(v.record(text, EvaluatorSchema)),
  permissions: sinceVersion(3, PermissionsSchema),
  mcps: sinceVersion(6, v.record(text, McpSchema)),
  toolsets: sinceVersion(10, v.record(text, ToolsetSchema)),
  commands: sinceVersion(10, v.record(text, CommandsSchema)),
  skills: sinceVersion(10, v.record(text, SkillsSchema)),
  runtime: sinceVersion(
    9,
    v.strictObject({
      safety: optional(safetyMode),
      sandbox: limitWithoutEffect(flag, 0, "run hooksh inside a container"),
      network_allowlist: limitWithoutEffect(textList, 0, "run hooksh inside a container that limits the network"),
    }),
  ),
  budget: sinceVersion(12, BudgetSchema),
  budgets: sinceVersion(12, v.record(text, BudgetSchema)),
  workflows: refusedKey("not released by docker-agent; use sub_agents, handoffs or routing hooks"),
  rag: withoutEffect(v.record(text, anyMap), 2, "use an MCP server that searches documents"),
  flavors: withoutEffect(anyMap, 13, "write an agent file for each flavor"),
});

/** A checked agent, with the keys of the file. */
export type AgentConfig = v.InferOutput<typeof AgentSchema>;

/** A checked agent file, with the keys of the file. */
export type AgentFileConfig = v.InferOutput<typeof AgentFileSchema>;

/** A checked slash command. */
export type CommandConfig = v.InferOutput<typeof CommandSchema>;

/** A checked `skills` value. */
export type SkillsConfig = v.InferOutput<typeof SkillsSchema>;
