import type { ModelClient } from "../../engine/handlers/model-handler.ts";
import { createModelChain } from "../../model/calls/chain.ts";
import type { ModelSpec } from "../../model/catalog/spec.ts";
import { createModel, type ModelDeps } from "../../model/create-model.ts";
import { textMessage } from "../../model/messages/message.ts";
import { replyText } from "../../model/model.ts";

/**
 * Returns the client that answers model hooks: one question and one reply, without history or tools, with the retries
 * of every model call. `find` resolves the name in the hook (`provider/model`, or an entry of `models`) and throws if
 * it is unknown.
 */
export function createHookModelClient(find: (name: string) => ModelSpec, deps: ModelDeps): ModelClient {
  // A hook has a deadline, and the provider's error says more than a timeout.
  const chain = createModelChain({ maxWaitMs: 0 });
  return {
    async ask(name, system, user, schema, signal) {
      const model = createModel(find(name), deps);
      const messages = [textMessage("system", system), textMessage("user", user)];
      const request = { messages, tools: [], signal, ...(schema ? { structuredOutput: schema } : {}) };
      const { reply } = await chain.call(model, request, { onDelta: () => {} });
      return replyText(reply);
    },
  };
}
