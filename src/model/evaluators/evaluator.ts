import { type Help, UserError } from "../../lib/errors.ts";
import type { Prices } from "../catalog/cost.ts";

const EVALUATOR_GAVE_NO_ANSWER: Help = {
  cause:
    "The service of the evaluator cannot be reached, refuses the request, answers too late, or sends no valid answer. The tool call is blocked; a hook that routes takes the default agent, unless the token counts are invalid. The messages never quote the reply.",
  cure: "Set the key that `hooksh doctor AGENT` names, and check the endpoint and the model.",
};

/** The kinds of question that an evaluator answers. */
export const EVALUATOR_TYPES = ["boolean", "choice", "score"] as const;

export type EvaluatorType = (typeof EVALUATOR_TYPES)[number];

/** The services that answer evaluators. */
export type EvaluatorProvider = "typesafe" | "openai";

/** An entry of `evaluators`, checked and with the settings of its provider. */
export interface EvaluatorDefinition {
  name: string;
  provider: EvaluatorProvider;
  /** Sent as written, after `${VAR}` is filled in. */
  model: string;
  type: EvaluatorType;
  /** The question. */
  instructions: string;
  /** The descriptions of the choices by name; of `choice` only. */
  choices?: Readonly<Record<string, string>>;
  /** The lowest level first; of `score` only. */
  levels?: readonly string[];
  /** The whole URL; `${VAR}` is filled in. */
  endpoint: string;
  /** The variable whose base URL replaces the endpoint's; absent if the endpoint is configured. */
  urlVariable?: string | undefined;
  /** The variable that holds the key. */
  tokenKey: string;
  timeoutMs: number;
  cost?: Prices | undefined;
}

/** The evaluators of a file by name. */
export type Evaluators = Readonly<Record<string, EvaluatorDefinition>>;

/** What an evaluator found. */
export type EvaluatorAnswer =
  /** The probability that the answer is yes. */
  | { type: "boolean"; probability: number }
  | { type: "choice"; choice: string; probabilities: Readonly<Record<string, number>> }
  | { type: "score"; score: number };

/** A valid reply of the service. */
export interface EvaluatorReply {
  /** The model that answered. */
  model: string;
  answer: EvaluatorAnswer;
}

/** One request that was sent to the service, whatever became of it. */
export interface Evaluation {
  id: string;
  evaluator: string;
  /** The model that answered, else the one that was asked. */
  model: string;
  /** Absent unless the service reported both counts. */
  usage?: { input_tokens: number; output_tokens: number };
  /** In US dollars; absent if unknown. */
  cost?: number;
  /** RFC 3339 */
  created_at: string;
}

/** Why an evaluator gave no answer. The message holds no URL, no state and nothing of the reply. */
export class EvaluatorError extends UserError {
  /** True if a policy must not continue with its fallback. */
  readonly isTerminal: boolean;

  constructor(message: string, isTerminal = false) {
    super(message, { help: EVALUATOR_GAVE_NO_ANSWER });
    this.isTerminal = isTerminal;
  }
}
