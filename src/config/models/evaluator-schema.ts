import * as v from "valibot";
import { flag, optional, text, textList, textMap } from "../../lib/schema/keys.ts";

const PRICE_MESSAGE = "expected a number of at least 0";
const price = v.pipe(
  v.number(),
  v.minValue(0, PRICE_MESSAGE),
  v.check((value) => Number.isFinite(value), PRICE_MESSAGE),
);

/** An entry of `evaluators`. Which keys are required depends on its type, so {@link checkEvaluators} says that. */
export const EvaluatorSchema = v.strictObject({
  provider: optional(text),
  model: optional(text),
  type: optional(text),
  instructions: optional(text),
  choices: optional(textMap),
  levels: optional(textList),
  base_url: optional(text),
  endpoint: optional(text),
  token_key: optional(text),
  timeout: optional(v.union([text, v.number()])),
  cost: optional(
    v.strictObject({
      input: optional(price),
      output: optional(price),
      cache_read: optional(price),
      cache_write: optional(price),
    }),
  ),
  /** True of every evaluator: hooksh has no gateway. */
  bypass_models_gateway: optional(flag),
});

/** An entry of `evaluators`, with the keys of the file. */
export type EvaluatorConfig = v.InferOutput<typeof EvaluatorSchema>;
