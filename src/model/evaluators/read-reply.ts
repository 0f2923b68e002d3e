import { findRepeatedKey, isObject } from "../../lib/json.ts";
import { type EvaluatorAnswer, EvaluatorError } from "./evaluator.ts";
import type { EvaluatorApi, Question, RawAnswer } from "./providers.ts";

/** The largest difference of a sum of probabilities from 1, and of a score from its levels. */
const TOLERANCE = 0.001;

/** The token counts of a reply; each is absent if the service does not report it. */
export interface ReportedUsage {
  input_tokens?: number;
  output_tokens?: number;
}

/** The part of a reply that counts even if its answer is invalid. */
export interface ReplyEnvelope {
  /** Blank if the reply names no model. */
  model: string;
  usage: unknown;
  answers: unknown;
}

/** Reads the JSON text of a reply. Throws an {@link EvaluatorError}. */
export function readEnvelope(text: string): ReplyEnvelope {
  const reply = parseObject(text);
  const { model = null, usage, answers } = reply ?? {};
  if (!reply || (model !== null && typeof model !== "string"))
    throw new EvaluatorError("invalid evaluator response JSON");
  return { model: model ?? "", usage, answers };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && findRepeatedKey(text) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the token counts of a reply. Throws a terminal {@link EvaluatorError} for impossible ones. */
export function readUsage(usage: unknown): ReportedUsage {
  if (usage === undefined || usage === null) return {};
  const { input_tokens: input = null, output_tokens: output = null } = isObject(usage) ? usage : {};
  if (!isObject(usage) || !isCountOrAbsent(input) || !isCountOrAbsent(output))
    throw new EvaluatorError("evaluator response has invalid token usage", true);
  return { ...(input === null ? {} : { input_tokens: input }), ...(output === null ? {} : { output_tokens: output }) };
}

function isCountOrAbsent(value: unknown): value is number | null {
  return value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
}

/** Reads the answer of a reply. Throws an {@link EvaluatorError}. */
export function readAnswer(api: EvaluatorApi, question: Question, answers: unknown): EvaluatorAnswer {
  const raw = api.answer(answers);
  if (raw === undefined) throw new EvaluatorError("evaluator response is missing the evaluation answer");
  if (raw.type !== api.types[question.type])
    throw new EvaluatorError("evaluator answer type does not match the question");
  const { confidence = null } = raw;
  if (confidence !== null && !isProbability(confidence))
    throw new EvaluatorError("evaluator answer has invalid confidence");
  switch (question.type) {
    case "boolean":
      if (!isProbability(raw.probability))
        throw new EvaluatorError("evaluator answer has missing or invalid probability");
      return { type: "boolean", probability: raw.probability };
    case "choice":
      return readChoice(raw, readProbabilities(raw.probabilities, Object.keys(question.choices ?? {})));
    case "score":
      return readScore(raw, question.levels ?? []);
  }
}

function readProbabilities(raw: unknown, keys: readonly string[]): Record<string, number> {
  const given = isObject(raw) ? raw : {};
  if (Object.keys(given).length !== keys.length || !keys.every((key) => Object.hasOwn(given, key)))
    throw new EvaluatorError("evaluator answer probability keys do not match the criteria");
  if (!hasProbabilities(given)) throw new EvaluatorError("evaluator answer has missing or invalid probabilities");
  if (!sumsToOne(given)) throw new EvaluatorError("evaluator answer probabilities do not sum to one");
  return given;
}

function readChoice({ choice }: RawAnswer, probabilities: Record<string, number>): EvaluatorAnswer {
  if (choice === undefined || choice === null || choice === "")
    throw new EvaluatorError("evaluator answer is missing the choice");
  if (typeof choice !== "string" || !Object.hasOwn(probabilities, choice))
    throw new EvaluatorError("evaluator answer contains an unknown choice");
  const own = probabilities[choice] as number;
  if (Object.values(probabilities).some((other) => other > own))
    throw new EvaluatorError("evaluator choice is not a highest-probability option");
  return { type: "choice", choice, probabilities };
}

function readScore({ score, probabilities }: RawAnswer, levels: readonly string[]): EvaluatorAnswer {
  readProbabilities(
    probabilities,
    levels.map((_level, index) => String(index)),
  );
  const highest = levels.length - 1 + TOLERANCE;
  if (typeof score !== "number" || !(score >= -TOLERANCE && score <= highest))
    throw new EvaluatorError("evaluator answer has missing or invalid score");
  return { type: "score", score };
}

/** True for a number from 0 to 1. */
export function isProbability(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function hasProbabilities(values: Record<string, unknown>): values is Record<string, number> {
  return Object.values(values).every(isProbability);
}

/** True if probabilities sum to 1, as exactly as services round them. */
export function sumsToOne(probabilities: Readonly<Record<string, number>>): boolean {
  let sum = 0;
  for (const probability of Object.values(probabilities)) sum += probability;
  // The bound itself is meant to hold, which floating-point sums miss by a little.
  return Math.abs(sum - 1) <= TOLERANCE + 1e-9;
}
