import * as v from "valibot";
import {
  anything,
  duration,
  flag,
  fraction,
  freeMap,
  later,
  laterLimit,
  name,
  oneOf,
  optional,
  since,
  text,
  texts,
  whole,
} from "../../lib/schema/keys.ts";
import { GENERIC_LEVELS } from "../../redaction/args.ts";
import { BudgetSchema, ModelSchema, ProviderSchema } from "../models/model-schema.ts";
import { PermissionsSchema } from "../permissions/permission-rules.ts";
import { SAFETY_MODES } from "../permissions/safety-modes.ts";
import { McpSchema, ToolsetSchema } from "../toolsets/toolset-schema.ts";

const safetyMode = oneOf(...SAFETY_MODES);

/** A slash command. Source: config-and-cli 4.11. */
const CommandSchema = v.union([
  text,
  v.strictObject({
    description: optional(text),
    instruction: optional(text),
    agent: optional(name),
    url: optional(name),
  }),
]);

const CommandsSchema = v.record(text, CommandSchema);

/** A skill written in the agent file itself. Source: config-and-cli 4.10. */
const InlineSkillSchema = v.strictObject({
  name,
  description: name,
  instructions: name,
  context: optional(oneOf("fork")),
  model: optional(text),
  allowed_tools: optional(texts),
  toolsets: optional(texts),
});

const SkillsSchema = v.union([flag, v.array(v.union([text, InlineSkillSchema]))]);

const FallbackSchema = v.strictObject({
  models: optional(texts),
  retries: optional(whole(-1)),
  cooldown: optional(duration),
  max_wait: optional(duration),
});

const StructuredOutputSchema = v.strictObject({
  name,
  schema: freeMap,
  description: optional(text),
  strict: optional(flag),
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

/** How secrets are redacted; each key may be left out. */
const RedactionSchema = v.strictObject({
  generic: optional(oneOf(...GENERIC_LEVELS)),
  label: optional(flag),
});

/** An agent. Source: config-and-cli 4.2. */
export const AgentSchema = v.strictObject({
  model: optional(text),
  description: optional(text),
  instruction: optional(text),
  instruction_file: since(11, v.union([text, texts])),
  toolsets: optional(v.array(ToolsetSchema)),
  sub_agents: optional(texts),
  handoffs: since(2, texts),
  force_handoff: since(10, text),
  hooks: since(3, anything),
  commands: optional(CommandsSchema),
  use_commands: since(10, texts),
  use_skills: since(10, texts),
  use_toolsets: since(10, texts),
  welcome_message: since(2, text),
  add_date: optional(flag),
  add_environment_info: since(1, flag),
  add_prompt_files: since(2, texts),
  redact_secrets: since(8, v.union([flag, RedactionSchema])),
  max_iterations: since(2, whole(0)),
  max_consecutive_tool_calls: since(7, whole(0)),
  max_old_tool_call_tokens: since(7, whole(-1)),
  max_tool_result_tokens: since(12, whole(-1)),
  num_history_items: optional(whole(0)),
  session_compaction: since(12, flag),
  compaction_threshold: since(12, fraction),
  compaction_model: since(11, name),
  fallback: since(4, FallbackSchema),
  structured_output: since(2, StructuredOutputSchema),
  skills: since(3, SkillsSchema),
  readonly: since(10, flag),
  safety: since(15, safetyMode),
  add_description_parameter: since(4, flag),
  budgets: laterLimit(texts, 12),
  cache: later(CacheSchema, 8),
  code_mode_tools: later(flag, 2),
  harness: later(HarnessSchema, 9),
});

/** The agent file, schema version 15. Source: config-and-cli 4.1. */
export const AgentFileSchema = v.strictObject({
  version: optional(v.union([text, v.number()])),
  agents: optional(v.record(text, AgentSchema)),
  models: optional(v.record(text, ModelSchema)),
  providers: since(3, v.record(text, ProviderSchema)),
  metadata: since(
    1,
    v.strictObject({
      author: optional(text),
      license: optional(text),
      description: since(4, text),
      readme: optional(text),
      version: optional(text),
      tags: since(11, texts),
    }),
  ),
  permissions: since(3, PermissionsSchema),
  mcps: since(6, v.record(text, McpSchema)),
  toolsets: since(10, v.record(text, ToolsetSchema)),
  commands: since(10, v.record(text, CommandsSchema)),
  skills: since(10, v.record(text, SkillsSchema)),
  runtime: since(
    9,
    v.strictObject({
      safety: optional(safetyMode),
      sandbox: laterLimit(flag),
      network_allowlist: laterLimit(texts),
    }),
  ),
  budget: laterLimit(BudgetSchema, 12),
  budgets: laterLimit(v.record(text, BudgetSchema), 12),
  rag: later(v.record(text, freeMap), 2),
  flavors: later(freeMap, 13),
});

/** An agent as the file has it, checked. */
export type AgentConfig = v.InferOutput<typeof AgentSchema>;

/** The whole agent file, checked. */
export type AgentFileConfig = v.InferOutput<typeof AgentFileSchema>;

/** A slash command, checked. */
export type CommandConfig = v.InferOutput<typeof CommandSchema>;

/** A skills key, checked. */
export type SkillsConfig = v.InferOutput<typeof SkillsSchema>;
