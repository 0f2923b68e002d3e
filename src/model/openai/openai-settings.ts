import type { ResolvedModel } from "../catalog/resolve.ts";
import { type SettingNote, settingNote } from "../settings/request-settings.ts";
import { parseThinkingBudget, reasoningEffort } from "../settings/thinking.ts";

/** The sampling settings of Chat Completions. */
export const CHAT_SAMPLING = ["temperature", "top_p", "frequency_penalty", "presence_penalty"] as const;
/** The sampling settings of the Responses API. */
export const RESPONSES_SAMPLING = ["temperature", "top_p"] as const;
/** Provider options that are fields of a Chat Completions request. */
export const CHAT_OPTIONS = ["seed", "top_k", "repetition_penalty", "min_p", "typical_p"] as const;

/**
 * Returns notes on settings that Chat Completions and Responses requests do not carry as written. Throws a
 * `ConfigError` for an invalid `thinking_budget`.
 */
export function openAINotes(model: ResolvedModel): readonly SettingNote[] {
  const { spec, family } = model;
  const refusesParallel = spec.parallel_tool_calls !== undefined && !family.chat.parallelToolCalls;
  return [
    ...samplingNotes(model),
    ...(refusesParallel ? [settingNote("parallel_tool_calls", "the model refuses it: not sent")] : []),
    ...thinkingNotes(model),
  ];
}

function samplingNotes({ api, spec, family }: ResolvedModel): SettingNote[] {
  const supported: readonly string[] = api === "responses" ? RESPONSES_SAMPLING : CHAT_SAMPLING;
  const canStop = family.thinking.kind === "effort" && family.thinking.canDisable;
  const acceptsAll = canStop && parseThinkingBudget(spec.thinking_budget)?.kind === "off";
  return CHAT_SAMPLING.flatMap((name) => {
    if (spec[name] === undefined) return [];
    if (!supported.includes(name)) return [settingNote(name, "the Responses API has no such setting: not sent")];
    return family.refusedSampling.includes(name) && !acceptsAll
      ? [settingNote(name, "the model refuses it: not sent")]
      : [];
  });
}

/** Docker Model Runner reads the thinking budget when it loads the model, not from requests. */
function thinkingNotes({ row, spec, family }: ResolvedModel): SettingNote[] {
  const budget = parseThinkingBudget(spec.thinking_budget);
  if (!budget || row.isLocalEngine) return [];
  if (family.thinking.kind !== "effort") {
    return budget.kind === "off"
      ? []
      : [settingNote("thinking_budget", "this API has no such setting for the model: not sent")];
  }
  if (budget.kind === "off" && !family.thinking.canDisable)
    return [settingNote("thinking_budget", "the model always thinks: not sent")];
  if (budget.kind !== "level") return [];
  const effort = reasoningEffort(family, spec.thinking_budget);
  return effort === budget.level
    ? []
    : [settingNote("thinking_budget", `the model has no level ${budget.level}: ${String(effort)} is sent`)];
}
