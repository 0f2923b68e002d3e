import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { type Family, THINKING_LEVELS, type ThinkingLevel } from "../catalog/families.ts";

/** The amount of thinking: none, a number of tokens (-1 leaves it to the model), or a level. */
export type ThinkingBudget =
  | { kind: "off" }
  | { kind: "tokens"; tokens: number }
  | { kind: "level"; level: ThinkingLevel; adaptive: boolean };

/** The tokens of each level, for models that accept only a number. */
export const THINKING_TOKENS: Record<ThinkingLevel, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/** A `thinking_budget` that the model cannot take; the message does not name the key. */
export class ThinkingBudgetError extends ConfigError {}

/** Reads `thinking_budget`; undefined if it is not set. Throws a {@link ThinkingBudgetError} for an unknown value. */
export function parseThinkingBudget(value: unknown): ThinkingBudget | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return parseThinkingBudget(value["effort"] ?? value["tokens"]);
  if (typeof value === "number" && Number.isInteger(value))
    return value === 0 ? { kind: "off" } : { kind: "tokens", tokens: value };
  const text = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (/^-?\d{1,9}$/.test(text)) return parseThinkingBudget(Number(text));
  if (text === "none") return { kind: "off" };
  if (text === "adaptive") return { kind: "level", level: "high", adaptive: true };
  const adaptive = text.startsWith("adaptive/");
  const level = THINKING_LEVELS.find((candidate) => candidate === (adaptive ? text.slice("adaptive/".length) : text));
  if (level && !(adaptive && level === "minimal")) return { kind: "level", level, adaptive };
  throw new ThinkingBudgetError(
    `${JSON.stringify(value)} is neither a number of tokens nor one of none, ` +
      `${THINKING_LEVELS.join(", ")}, adaptive, adaptive/<level>`,
  );
}

/** The reasoning effort to send; `null` leaves it to the model. */
export type Effort = "none" | ThinkingLevel | null;

/**
 * Returns the reasoning effort nearest to the setting that the model has; undefined for a model that does not reason.
 * With `minimal`, returns the lowest useful effort.
 */
export function reasoningEffort({ thinking }: Family, setting: unknown, minimal = false): Effort | undefined {
  if (thinking.kind !== "effort") return undefined;
  if (minimal) return thinking.canDisable ? "none" : nearestEffort(thinking.efforts, "low");
  const budget = parseThinkingBudget(setting);
  if (!budget) return thinking.defaultEffort;
  if (budget.kind === "off") return thinking.canDisable ? "none" : null;
  if (budget.kind === "tokens") {
    throw new ThinkingBudgetError(
      `expected a level such as "medium" but received ${budget.tokens}: OpenAI models do not accept a number of tokens`,
    );
  }
  return nearestEffort(thinking.efforts, budget.level);
}

/** Returns the highest effort that is not above a level, or else the lowest. */
function nearestEffort(efforts: readonly ThinkingLevel[], level: ThinkingLevel): ThinkingLevel {
  const rank = (each: ThinkingLevel) => THINKING_LEVELS.indexOf(each);
  return efforts.findLast((effort) => rank(effort) <= rank(level)) ?? efforts[0] ?? "low";
}
