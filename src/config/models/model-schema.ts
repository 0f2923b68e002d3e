import * as v from "valibot";
import {
  anyMap,
  duration,
  flag,
  fraction,
  nonEmptyText,
  number,
  oneOf,
  optional,
  sinceVersion,
  text,
  textList,
  wholeNumber,
  withoutEffect,
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

/** Older files write a mapping with one of these values. */
const thinkingBudget = v.union([
  tokens,
  v.picklist(EFFORTS),
  v.strictObject({ effort: optional(v.picklist(EFFORTS)), tokens: optional(tokens) }),
]);

const taskBudget = v.union([
  wholeNumber(0),
  v.strictObject({ type: optional(oneOf("tokens")), total: wholeNumber(0) }),
]);

/** The keys that models and providers share. */
const shared = {
  base_url: sinceVersion(1, text),
  token_key: sinceVersion(1, text),
  max_tokens: optional(wholeNumber(1)),
  temperature: optional(number(0, 2)),
  top_p: optional(number(0, 1)),
  frequency_penalty: optional(number(-2, 2)),
  presence_penalty: optional(number(-2, 2)),
  parallel_tool_calls: optional(flag),
  track_usage: sinceVersion(2, flag),
  thinking_budget: sinceVersion(2, thinkingBudget),
  provider_opts: sinceVersion(1, anyMap),
  task_budget: sinceVersion(8, taskBudget),
  auth: withoutEffect(anyMap, 8, "set the key in the variable that token_key names"),
};

/** An entry of `models`. */
export const ModelSchema = v.strictObject({
  provider: optional(nonEmptyText),
  model: optional(nonEmptyText),
  description: sinceVersion(14, text),
  ...shared,
  first_available: sinceVersion(10, textList),
  title_model: withoutEffect(nonEmptyText, 10, "the title of a session is its first message"),
  compaction_model: sinceVersion(11, nonEmptyText),
  compaction_threshold: sinceVersion(12, fraction),
  capabilities: sinceVersion(
    11,
    v.strictObject({
      image: optional(flag),
      pdf: optional(flag),
      audio: withoutEffect(flag, 16, "hooksh sends texts, images and PDF"),
      video: withoutEffect(flag, 16, "hooksh sends texts, images and PDF"),
    }),
  ),
  output_capabilities: withoutEffect(v.strictObject({ image: optional(flag) }), 15, "answers are texts"),
  cost: sinceVersion(
    12,
    v.strictObject({
      input: optional(number(0)),
      output: optional(number(0)),
      cache_read: optional(number(0)),
      cache_write: optional(number(0)),
    }),
  ),
  routing: withoutEffect(
    v.array(v.strictObject({ model: nonEmptyText, examples: textList })),
    3,
    "every request goes to provider and model",
  ),
  /** True of every model: hooksh has no gateway. */
  bypass_models_gateway: sinceVersion(11, flag),
});

/** An entry of `providers`. */
export const ProviderSchema = v.strictObject({
  provider: sinceVersion(8, nonEmptyText),
  api_type: optional(oneOf("openai_chatcompletions", "openai_responses")),
  ...shared,
  unload_api: sinceVersion(9, text),
  compaction_model: sinceVersion(14, nonEmptyText),
});

/** `budget` and the entries of `budgets`. */
export const BudgetSchema = v.strictObject({
  max_cost: optional(number(0)),
  max_tokens: optional(wholeNumber(0)),
  max_time: optional(duration),
});

/** A checked budget; its time is in milliseconds. */
export type BudgetConfig = v.InferOutput<typeof BudgetSchema>;

/** A checked entry of `models`. */
export type ModelConfig = v.InferOutput<typeof ModelSchema>;

/** A checked entry of `providers`. */
export type ProviderConfig = v.InferOutput<typeof ProviderSchema>;
