import type { EvaluatorClient } from "../../engine/handlers/evaluator-handler.ts";
import type { ModelClient } from "../../engine/handlers/model-handler.ts";
import { UserError } from "../../lib/errors.ts";
import { createModelChain } from "../../model/calls/chain.ts";
import { computeCost } from "../../model/catalog/cost.ts";
import type { ModelSpec } from "../../model/catalog/spec.ts";
import { createModel, type ModelDeps } from "../../model/create-model.ts";
import { EvaluatorError } from "../../model/evaluators/evaluator.ts";
import { textMessage } from "../../model/messages/message.ts";
import { replyText } from "../../model/model.ts";
import type { RunMeter } from "../stream/run-meter.ts";

/**
 * Returns the client that answers model and evaluator hooks. A model hook has one question and one reply, without history or tools, with the retries
 * of every model call. `find` resolves the name in the hook (`provider/model`, or an entry of `models`) and throws if
 * it is unknown. `meter` counts the calls, and refuses them once the run has reached its cost: the hook then fails.
 * An evaluator is asked once, without a retry.
 */
export function createHookModelClient(
  find: (name: string) => ModelSpec,
  deps: ModelDeps,
  meter?: Pick<RunMeter, "addCall" | "reachedCost">,
): ModelClient & EvaluatorClient {
  // A hook has a deadline, and the provider's error says more than a timeout.
  const chain = createModelChain({ maxWaitMs: 0 });
  return {
    async ask(name, system, user, schema, signal) {
      const limit = meter?.reachedCost();
      if (limit) throw new UserError(`not asked because of ${limit.flag}: ${limit.message}`);
      const spec = find(name);
      const model = createModel(spec, deps);
      const messages = [textMessage("system", system), textMessage("user", user)];
      const request = { messages, tools: [], signal, ...(schema ? { structuredOutput: schema } : {}) };
      const { reply } = await chain.call(model, request, { onDelta: () => {} });
      const prices = spec.track_usage === false ? undefined : spec.cost;
      meter?.addCall(model.id, reply.usage, computeCost(reply.usage, prices));
      return replyText(reply);
    },
    async evaluate(definition, state, options) {
      const limit = meter?.reachedCost();
      if (limit) throw new EvaluatorError(`not asked because of ${limit.flag}: ${limit.message}`, true);
      const { askEvaluator } = await import("../../model/evaluators/ask-evaluator.ts");
      return askEvaluator(definition, state, deps, options);
    },
  };
}
