import type { ThinkingRules } from "../catalog/families.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import { type SettingNote, type SettingPlan, settingNote } from "../settings/request-settings.ts";
import { parseThinkingBudget, THINKING_TOKENS, type ThinkingBudget } from "../settings/thinking.ts";

const NOTHING: SettingPlan = { fields: {}, notes: [] };

/**
 * Returns the `thinkingConfig` of a request. `minimal` keeps thinking to the minimum the model allows. See
 * https://ai.google.dev/gemini-api/docs/thinking.
 */
export function googleThinking({ family: { thinking }, spec }: ResolvedModel, minimal: boolean): SettingPlan {
  const budget = minimal ? { kind: "off" as const } : parseThinkingBudget(spec.thinking_budget);
  if (!budget) return NOTHING;
  switch (thinking.kind) {
    case "gemini-tokens":
      return withTokens(thinking, budget);
    case "gemini-level":
      return withLevel(thinking, budget);
    default:
      if (budget.kind === "off") return NOTHING;
      return { fields: {}, notes: [settingNote("thinking_budget", "the model does not think: not sent")] };
  }
}

function withTokens(rules: Extract<ThinkingRules, { kind: "gemini-tokens" }>, budget: ThinkingBudget): SettingPlan {
  const { min, max, canDisable } = rules;
  if (budget.kind === "off") {
    return {
      fields: { thinkingConfig: { thinkingBudget: canDisable ? 0 : min } },
      notes: canDisable ? [] : [settingNote("thinking_budget", `the model always thinks: ${min} tokens are sent`)],
    };
  }
  const requested = budget.kind === "level" ? THINKING_TOKENS[budget.level] : budget.tokens;
  const tokens = requested < 0 ? -1 : Math.min(Math.max(requested, min), max);
  const isChanged = budget.kind === "tokens" && tokens !== requested;
  return {
    fields: { thinkingConfig: { includeThoughts: true, thinkingBudget: tokens } },
    notes: isChanged
      ? [settingNote("thinking_budget", `the model takes ${min} to ${max} tokens: ${tokens} are sent`)]
      : [],
  };
}

function withLevel({ levels }: Extract<ThinkingRules, { kind: "gemini-level" }>, budget: ThinkingBudget): SettingPlan {
  const [lowest = "low"] = levels;
  if (budget.kind === "off") {
    return {
      fields: { thinkingConfig: { thinkingLevel: lowest } },
      notes: [settingNote("thinking_budget", `the model always thinks: the level ${lowest} is sent`)],
    };
  }
  if (budget.kind === "tokens") {
    return { fields: { thinkingConfig: { includeThoughts: true, thinkingBudget: budget.tokens } }, notes: [] };
  }
  const order = Object.keys(THINKING_TOKENS);
  const level = levels.findLast((each) => order.indexOf(each) <= order.indexOf(budget.level)) ?? lowest;
  return {
    fields: { thinkingConfig: { includeThoughts: true, thinkingLevel: level } },
    notes:
      level === budget.level
        ? []
        : [settingNote("thinking_budget", `the model has no level ${budget.level}: ${level} is sent`)],
  };
}

/** Returns the sampling settings of a request under the names of the API. */
export function googleSampling({ spec, family }: ResolvedModel): SettingPlan {
  const fields: Record<string, unknown> = {
    temperature: spec.temperature,
    topP: spec.top_p,
    topK: spec.provider_opts?.["top_k"],
    seed: spec.provider_opts?.["seed"],
  };
  const notes: SettingNote[] = [];
  for (const [key, name] of [
    ["frequency_penalty", "frequencyPenalty"],
    ["presence_penalty", "presencePenalty"],
  ] as const) {
    if (spec[key] === undefined) continue;
    if (family.refusedSampling.includes(key)) notes.push(settingNote(key, "the model refuses it: not sent"));
    else fields[name] = spec[key];
  }
  return { fields, notes };
}

/** Returns notes on the settings of a model that are not sent as written. */
export function googleNotes(model: ResolvedModel): readonly SettingNote[] {
  const { spec, family } = model;
  const most = family.maxOutput;
  const isTooMuch = most > 0 && (spec.max_tokens ?? 0) > most;
  return [
    ...(isTooMuch ? [settingNote("max_tokens", `the model writes at most ${most} tokens: ${most} is sent`)] : []),
    ...(spec.parallel_tool_calls === false
      ? [settingNote("parallel_tool_calls", "Gemini has no such setting: not sent")]
      : []),
    ...googleThinking(model, false).notes,
    ...googleSampling(model).notes,
  ];
}
