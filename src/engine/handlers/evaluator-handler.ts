import type { DecisionPolicy, RoutePolicy } from "../../config/hooks/evaluator-policy.ts";
import { errorText, type Help, helpOf } from "../../lib/errors.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import {
  type Evaluation,
  type EvaluatorDefinition,
  EvaluatorError,
  type EvaluatorReply,
} from "../../model/evaluators/evaluator.ts";
import { isProbability, sumsToOne } from "../../model/evaluators/read-reply.ts";
import type { EventName } from "../../protocol/events.ts";
import type { HookOutput } from "../../protocol/output.ts";
import type { HandlerEnvironment, HandlerFactory, HandlerInput, HandlerResult } from "../handler.ts";

const ROUTED_TO_THE_DEFAULT_AGENT: Help = {
  cause: "The evaluator gave no answer, or none that is probable enough to choose an agent.",
  cure: "For `evaluator_failed`, see why in the log that `--debug` writes. For other reasons raise or lower `min_probability`.",
};

/** Asks the services of evaluators; the embedding program provides it. */
export interface EvaluatorClient {
  /**
   * Asks an evaluator about a state. `account` is called once if a request was sent. Rejects with an {@link
   * EvaluatorError} if there is no valid answer. Stops when the signal aborts.
   */
  evaluate(
    definition: EvaluatorDefinition,
    state: JsonObject,
    options: { signal: AbortSignal; account: (evaluation: Evaluation) => void },
  ): Promise<EvaluatorReply>;
}

/**
 * Runs evaluator hooks: sends the call, or the request of the user, to a service, and applies the policy of the hook to the
 * answer. An error is a failure of the hook; a hook that routes takes its default agent, unless the error is terminal.
 */
export function evaluatorHandler(client: Partial<EvaluatorClient> | undefined): HandlerFactory {
  return (hook, environment) => ({
    async run(input, signal) {
      const { evaluator: use, event, evaluated, log } = environment;
      if (!use) return failed(`unknown evaluator ${JSON.stringify(hook.evaluator)}`);
      const { definition, policy, defaultAgent } = use;
      const ask: Ask = async (state) => {
        if (!client?.evaluate) throw new Error("no client for evaluators (runtime did not register one)");
        return client.evaluate(definition, state, { signal, account: (evaluation) => evaluated?.(evaluation) });
      };
      try {
        const output =
          policy.kind === "decide"
            ? await decide(ask, { event, definition, policy }, input)
            : await route(ask, { event, definition, policy, defaultAgent, log }, input, signal);
        return { kind: "returned", output };
      } catch (error) {
        return failed(`evaluator ${JSON.stringify(definition.name)}: ${errorText(error)}`, helpOf(error));
      }
    },
  });
}

type Ask = (state: JsonObject) => Promise<EvaluatorReply>;

/** What an evaluator hook asks, on its event. */
type Asked<Policy> = Pick<HandlerEnvironment, "event"> & { definition: EvaluatorDefinition; policy: Policy };

function failed(error: string, help?: Help): HandlerResult {
  return { kind: "failed", error, help };
}

/** Judges a tool call by the outcome that is the more probable one. */
async function decide(
  ask: Ask,
  { event, definition, policy }: Asked<DecisionPolicy>,
  { value }: HandlerInput,
): Promise<HookOutput> {
  const { tool_name = "", tool_input = null, tool_category = "" } = value as JsonObject;
  const { model, answer } = await ask({ tool_name, tool_input, tool_category });
  const { outcome, probability } = outcomeOf(answer);
  const matched = probability >= policy.minProbability ? policy.decisions[outcome] : undefined;
  return {
    hook_specific_output: {
      hook_event_name: event,
      permission_decision: matched ?? policy.fallback,
      permission_decision_reason:
        matched === undefined ? "Evaluator policy fallback applied." : "Evaluator policy matched the selected outcome.",
      metadata: metadataOf(definition, { outcome, probability, model }),
    },
  };
}

/** The more probable outcome of an answer, by the name that policies use. */
interface Outcome {
  outcome: string;
  probability: number;
}

function outcomeOf(answer: EvaluatorReply["answer"]): Outcome {
  switch (answer.type) {
    case "boolean":
      if (answer.probability >= 0.5) return { outcome: "true", probability: answer.probability };
      // Without the digits that only the subtraction adds, so that a threshold can be met exactly.
      return { outcome: "false", probability: Number((1 - answer.probability).toPrecision(15)) };
    case "choice":
      return { outcome: answer.choice, probability: answer.probabilities[answer.choice] ?? 0 };
    case "score":
      throw new EvaluatorError("a score decides nothing", true);
  }
}

/** Why an answer does not choose the agent. */
type FallbackReason = "evaluator_failed" | "invalid_result" | "unknown_choice" | "tie" | "below_threshold";

/** Chooses the agent that works on the request. */
async function route(
  ask: Ask,
  {
    event,
    definition,
    policy,
    defaultAgent,
    log,
  }: Asked<RoutePolicy> & Pick<HandlerEnvironment, "log"> & { defaultAgent: string | undefined },
  { value }: HandlerInput,
  signal: AbortSignal,
): Promise<HookOutput> {
  if (defaultAgent === undefined) throw new EvaluatorError("there is no default agent to fall back to", true);
  const fallBack = (reason: FallbackReason, metadata: Record<string, string>): HookOutput => ({
    ...transition(event, defaultAgent, { ...metadata, fallback_reason: reason }),
    system_message: `Routing fell back to ${JSON.stringify(defaultAgent)} (${reason}).`,
  });
  fallBack.help = ROUTED_TO_THE_DEFAULT_AGENT;
  const reply = await ask(conversationState(value as JsonObject)).catch((error: unknown) => {
    // Neither the caller nor the deadline of the hook asks for another agent.
    if (!(error instanceof EvaluatorError) || error.isTerminal || signal.aborted) throw error;
    log("debug", `evaluator ${JSON.stringify(definition.name)}: ${errorText(error)}`);
    return undefined;
  });
  if (!reply) return fallBack("evaluator_failed", metadataOf(definition));
  const metadata = metadataOf(definition, { ...outcomeOf(reply.answer), model: reply.model });
  const chosen = chosenAgent(reply.answer, policy);
  return "agent" in chosen ? transition(event, chosen.agent, metadata) : fallBack(chosen.reason, metadata);
}

function transition(event: EventName, agent: string, metadata: Record<string, string>): HookOutput {
  return { hook_specific_output: { hook_event_name: event, transition: { action: "route", agent }, metadata } };
}

/** Returns the agent that an answer chooses, or why it chooses none. */
function chosenAgent(
  answer: EvaluatorReply["answer"],
  { routes, minProbability }: RoutePolicy,
): { agent: string } | { reason: FallbackReason } {
  if (answer.type !== "choice") return { reason: "invalid_result" };
  const { choice, probabilities } = answer;
  const names = Object.keys(probabilities);
  const isComplete = names.length === Object.keys(routes).length && names.every((name) => Object.hasOwn(routes, name));
  if (!isComplete || !Object.values(probabilities).every(isProbability) || !sumsToOne(probabilities))
    return { reason: "invalid_result" };
  const agent = Object.hasOwn(routes, choice) ? routes[choice] : undefined;
  if (agent === undefined) return { reason: "unknown_choice" };
  const own = probabilities[choice] as number;
  if (names.some((name) => name !== choice && (probabilities[name] as number) >= own)) return { reason: "tie" };
  return own < minProbability ? { reason: "below_threshold" } : { agent };
}

/** What a routing evaluator sees: no ids, no names of agents. */
function conversationState({ input = "", previous_output, output, conversation }: JsonObject): JsonObject {
  const optional = Object.entries({ previous_output, output, conversation }).filter(([, item]) => !isEmpty(item));
  return { input, ...(Object.fromEntries(optional) as JsonObject) };
}

function isEmpty(item: Json | undefined): boolean {
  return item === undefined || item === null || item === "" || (Array.isArray(item) && item.length === 0);
}

function metadataOf({ name, type }: EvaluatorDefinition, found?: Outcome & { model: string }): Record<string, string> {
  return {
    evaluator: name,
    evaluator_type: type,
    ...(found && {
      evaluator_choice: found.outcome,
      evaluator_probability: String(found.probability),
      evaluator_model: found.model,
    }),
  };
}
