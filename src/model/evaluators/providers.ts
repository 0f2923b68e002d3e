import { isObject, type JsonObject } from "../../lib/json.ts";
import { type EvaluatorDefinition, EvaluatorError, type EvaluatorProvider, type EvaluatorType } from "./evaluator.ts";

/** The part of an evaluator that requests and replies depend on. */
export type Question = Pick<EvaluatorDefinition, "type" | "instructions" | "choices" | "levels">;

/** The answer in a reply, under the names of every service; its values are not checked. */
export interface RawAnswer {
  type: unknown;
  confidence?: unknown;
  /** Of a boolean. */
  probability?: unknown;
  probabilities?: unknown;
  choice?: unknown;
  score?: unknown;
}

/** How the API of a provider differs from others. */
export interface EvaluatorApi {
  baseUrl: string;
  /** The variable that replaces `baseUrl`. */
  urlVariable?: string;
  /** Appended to the base URL. */
  path: string;
  /** The variable that holds the key by default. */
  tokenKey: string;
  /** The name of each type in the API. */
  types: Readonly<Record<EvaluatorType, string>>;
  /** Returns the body of a request. */
  body: (model: string, question: Question, state: JsonObject) => JsonObject;
  /** Returns the answer to the question; undefined if the reply has none. Throws an {@link EvaluatorError}. */
  answer: (answers: unknown) => RawAnswer | undefined;
  /** The prices of models without a configured cost, if they are asked at `baseUrl`. */
  prices: Readonly<Record<string, { input: number }>>;
}

/** The name of the only question of a request. */
const NAME = "evaluation";

/** The APIs of evaluators. */
export const EVALUATOR_APIS: Readonly<Record<EvaluatorProvider, EvaluatorApi>> = {
  typesafe: {
    baseUrl: "https://api.typesafe.ai",
    path: "/v1/systemone",
    tokenKey: "TYPESAFE_API_KEY",
    types: { boolean: "noul", choice: "choice", score: "score" },
    body: (model, { type, instructions, choices, levels }, state) => ({
      model,
      state,
      questions: {
        [NAME]: {
          type: EVALUATOR_APIS.typesafe.types[type],
          instructions,
          ...(type === "choice" ? { criteria: choices ?? {} } : {}),
          ...(type === "score" ? { criteria: levels ?? [] } : {}),
        },
      },
    }),
    answer: (answers) => {
      const answer = isObject(answers) && Object.hasOwn(answers, NAME) ? answers[NAME] : undefined;
      if (answer === undefined || answer === null) return undefined;
      const { noul, ...rest } = isObject(answer) ? answer : {};
      return { type: undefined, ...rest, probability: noul };
    },
    prices: { "jev-1.13.0": { input: 0.042 } },
  },
  openai: {
    baseUrl: "https://api.openai.com/v1",
    urlVariable: "OPENAI_BASE_URL",
    path: "/decisions",
    tokenKey: "OPENAI_API_KEY",
    types: { boolean: "predicate", choice: "choice", score: "score" },
    body: (model, { type, instructions, choices, levels }, state) => ({
      model,
      input: JSON.stringify(state),
      questions: [
        {
          type: EVALUATOR_APIS.openai.types[type],
          name: NAME,
          instructions,
          ...(type === "choice"
            ? { choices: Object.entries(choices ?? {}).map(([value, description]) => ({ value, description })) }
            : {}),
          ...(type === "score"
            ? { levels: (levels ?? []).map((description, index) => ({ label: String(index), description })) }
            : {}),
        },
      ],
    }),
    answer: (answers) => {
      const named = (Array.isArray(answers) ? answers : []).filter(isObject).filter(({ name }) => name === NAME);
      const [answer] = named;
      if (answer === undefined || named.length > 1) return undefined;
      if (answer["type"] === "refusal") throw new EvaluatorError("evaluator refused to assess the state");
      const probabilities = probabilitiesOf(answer["probabilities"]);
      const choice = answer["choice"] ?? likeliest(probabilities);
      return { type: undefined, ...answer, probabilities, choice };
    },
    prices: {},
  },
};

/** Returns a list of values with their probabilities as a mapping; undefined if it is none, or names a value twice. */
function probabilitiesOf(list: unknown): Record<string, unknown> | undefined {
  if (!Array.isArray(list) || !list.every(isObject)) return undefined;
  const pairs = list.map(({ value, probability }): [string, unknown] => [String(value), probability]);
  return new Set(pairs.map(([value]) => value)).size === pairs.length ? Object.fromEntries(pairs) : undefined;
}

/** The API names no choice: it is the value with the highest probability. */
function likeliest(probabilities: Record<string, unknown> = {}): string | undefined {
  const numbers = Object.entries(probabilities).filter((pair): pair is [string, number] => typeof pair[1] === "number");
  return numbers.toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
