import * as v from "valibot";
import {
  duration,
  flag,
  fraction,
  freeMap,
  later,
  laterLimit,
  name,
  number,
  oneOf,
  optional,
  since,
  text,
  texts,
  whole,
} from "../../lib/schema/keys.ts";

const EFFORTS = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
  "adaptive",
  "adaptive/low",
  "adaptive/medium",
  "adaptive/high",
  "adaptive/xhigh",
  "adaptive/max",
] as const;

const tokens = v.pipe(v.number(), v.integer("expected a whole number or an effort"));

/** Older files write a mapping with one of the two forms. */
const thinkingBudget = v.union([
  tokens,
  v.picklist(EFFORTS),
  v.strictObject({ effort: optional(v.picklist(EFFORTS)), tokens: optional(tokens) }),
]);

const taskBudget = v.union([whole(0), v.strictObject({ type: optional(oneOf("tokens")), total: whole(0) })]);

/** What a model and a provider can both set. */
const shared = {
  base_url: since(1, text),
  token_key: since(1, text),
  max_tokens: optional(whole(1)),
  temperature: optional(number(0, 2)),
  top_p: optional(number(0, 1)),
  frequency_penalty: optional(number(-2, 2)),
  presence_penalty: optional(number(-2, 2)),
  parallel_tool_calls: optional(flag),
  track_usage: since(2, flag),
  thinking_budget: since(2, thinkingBudget),
  provider_opts: since(1, freeMap),
  task_budget: laterLimit(taskBudget, 8),
  auth: later(freeMap, 8),
};

/** An entry of `models`. Source: config-and-cli 4.5. */
export const ModelSchema = v.strictObject({
  provider: optional(name),
  model: optional(name),
  description: since(14, text),
  ...shared,
  first_available: since(10, texts),
  title_model: since(10, name),
  compaction_model: since(11, name),
  compaction_threshold: since(12, fraction),
  capabilities: since(11, v.strictObject({ image: optional(flag), pdf: optional(flag) })),
  output_capabilities: optional(v.strictObject({ image: optional(flag) })),
  cost: since(
    12,
    v.strictObject({
      input: optional(number(0)),
      output: optional(number(0)),
      cache_read: optional(number(0)),
      cache_write: optional(number(0)),
    }),
  ),
  routing: later(v.array(v.strictObject({ model: name, examples: texts })), 3),
  bypass_models_gateway: later(flag, 11),
});

/** An entry of `providers`. Source: config-and-cli 4.6. */
export const ProviderSchema = v.strictObject({
  provider: since(8, name),
  api_type: optional(oneOf("openai_chatcompletions", "openai_responses")),
  ...shared,
  unload_api: since(9, text),
  compaction_model: since(14, name),
});

/** `budget` and the entries of `budgets`. Source: config-and-cli 4.13. */
export const BudgetSchema = v.strictObject({
  max_cost: optional(number(0)),
  max_tokens: optional(whole(0)),
  max_time: optional(duration),
});

/** An entry of `models` as the file has it, checked. */
export type ModelConfig = v.InferOutput<typeof ModelSchema>;

/** An entry of `providers` as the file has it, checked. */
export type ProviderConfig = v.InferOutput<typeof ProviderSchema>;
