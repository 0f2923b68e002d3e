import type { SamplingSetting, ThinkingRules } from "../catalog/families.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import { type SettingNote, type SettingPlan, settingNote } from "../settings/request-settings.ts";
import { parseThinkingBudget, THINKING_TOKENS, type ThinkingBudget } from "../settings/thinking.ts";

/** Lets a model think between its tool calls. */
const INTERLEAVED_BETA = "interleaved-thinking-2025-05-14";
/** Lets a request choose what happens to thoughts if the text before them changed. */
const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/** The minimum `budget_tokens` of the API, and the tokens of `max_tokens` kept for the answer. */
const MIN_THINKING_TOKENS = 1024;

/** The maximum output of a model that is not in the table; the API requires a number. */
const DEFAULT_MAX_OUTPUT = 64_000;

/** The fields of a request that control thinking. */
export interface ThinkingPlan extends SettingPlan {
  /** True if the model thinks about this request. */
  readonly isOn: boolean;
  /** True if the API requires a signed thought at the start of an open tool loop. */
  readonly needsThoughts: boolean;
  readonly betas: readonly string[];
}

type Adaptive = Extract<ThinkingRules, { kind: "adaptive" }>;

const NO_THINKING = {
  fields: {},
  notes: [],
  isOn: false,
  needsThoughts: false,
  betas: [],
} as const satisfies ThinkingPlan;

/** Returns `max_tokens` of a request: the requested number, up to the model's maximum. */
export function anthropicMaxTokens({ family }: ResolvedModel, requested: number | undefined): number {
  const most = family.maxOutput || DEFAULT_MAX_OUTPUT;
  return family.maxOutput > 0 ? Math.min(requested ?? most, most) : (requested ?? most);
}

/**
 * Returns how to control the thinking of an Anthropic model. `minimal` keeps it to the minimum the model allows. See
 * https://platform.claude.com/docs/en/build-with-claude/thinking and .../extended-thinking.
 */
export function anthropicThinking(model: ResolvedModel, minimal: boolean, maxTokens: number): ThinkingPlan {
  const rules = model.family.thinking;
  const budget = parseThinkingBudget(model.spec.thinking_budget);
  if (rules.kind === "adaptive") return adaptive(model, rules, minimal ? { kind: "off" } : budget, maxTokens);
  if (minimal || !budget || budget.kind === "off") return NO_THINKING;
  if (rules.kind === "tokens") return withTokens(model, budget, maxTokens);
  return { ...NO_THINKING, notes: [settingNote("thinking_budget", "the model does not think: not sent")] };
}

function adaptive(
  model: ResolvedModel,
  rules: Adaptive,
  budget: ThinkingBudget | undefined,
  maxTokens: number,
): ThinkingPlan {
  if (budget?.kind === "off") return switchedOff(model, rules);
  if (!budget) return rules.isDefault ? thinkingOn(model, undefined, []) : NO_THINKING;
  if (budget.kind === "level") {
    const effort = effortFor(rules, budget.level);
    const requestedEffort = budget.level === "minimal" ? "low" : budget.level;
    const notes =
      effort === requestedEffort
        ? []
        : [settingNote("thinking_budget", `the model takes no effort ${requestedEffort}: ${effort} is sent`)];
    return thinkingOn(model, effort, notes);
  }
  if (rules.takesTokens) return withTokens(model, budget, maxTokens);
  if (budget.tokens < MIN_THINKING_TOKENS) return fatal(tooSmall(budget.tokens));
  const effort = effortFor(rules, levelFor(budget.tokens));
  return thinkingOn(model, effort, [
    settingNote("thinking_budget", `the model takes no number of tokens: the effort ${effort} is sent`),
  ]);
}

function switchedOff(model: ResolvedModel, rules: Adaptive): ThinkingPlan {
  if (rules.offType === undefined) return NO_THINKING;
  if (rules.offType !== null) return { ...NO_THINKING, fields: { thinking: { type: rules.offType } } };
  return thinkingOn(model, "low", [settingNote("thinking_budget", "the model always thinks: the effort low is sent")]);
}

function thinkingOn(model: ResolvedModel, effort: string | undefined, notes: readonly SettingNote[]): ThinkingPlan {
  // The system texts change from call to call: thoughts bound to earlier ones should be dropped, not refused.
  const binding = model.family.bindsThoughts ? { block_binding: { prefix_mismatch_behavior: "drop_block" } } : {};
  const isExplicit = effort !== undefined || model.family.bindsThoughts;
  return {
    isOn: true,
    needsThoughts: false,
    fields: {
      ...(isExplicit ? { thinking: { type: "adaptive", ...displayOf(model), ...binding } } : {}),
      ...(effort === undefined ? {} : { output_config: { effort } }),
    },
    notes,
    betas: [
      ...(isExplicit && isInterleaved(model) ? [INTERLEAVED_BETA] : []),
      ...(model.family.bindsThoughts ? [BINDING_BETA] : []),
    ],
  };
}

/**
 * Thinking tokens count against `max_tokens`. A smaller number is sent as it is; a level is reduced to leave room for
 * the answer, and so is a number above the model's maximum.
 */
function withTokens(
  model: ResolvedModel,
  budget: Exclude<ThinkingBudget, { kind: "off" }>,
  maxTokens: number,
): ThinkingPlan {
  const requested = budget.kind === "level" ? THINKING_TOKENS[budget.level] : budget.tokens;
  const isNumber = budget.kind === "tokens";
  const tokens = isNumber && requested < maxTokens ? requested : Math.min(requested, maxTokens - MIN_THINKING_TOKENS);
  const setting = isNumber ? `${requested} tokens` : `${budget.level} (${requested} tokens)`;
  const isConfigured = model.spec.max_tokens === maxTokens;
  const limit = isConfigured ? `max_tokens (${maxTokens})` : `the model's maximum output (${maxTokens})`;
  if (requested < MIN_THINKING_TOKENS) return fatal(tooSmall(requested));
  if (tokens < MIN_THINKING_TOKENS || (isNumber && isConfigured && tokens < requested)) {
    return fatal(`${setting} of thinking do not fit into ${limit}: raise max_tokens above ${requested}`);
  }
  const isReduced = tokens < requested;
  return {
    isOn: true,
    needsThoughts: true,
    fields: { thinking: { type: "enabled", budget_tokens: tokens, ...displayOf(model) } },
    notes: isReduced
      ? [settingNote("thinking_budget", `${setting} of thinking leave no room in ${limit}: ${tokens} are sent`)]
      : [],
    betas: isInterleaved(model) ? [INTERLEAVED_BETA] : [],
  };
}

function fatal(message: string): ThinkingPlan {
  return { ...NO_THINKING, notes: [{ ...settingNote("thinking_budget", message), isFatal: true }] };
}

function tooSmall(tokens: number): string {
  return `expected at least ${MIN_THINKING_TOKENS} tokens but received ${tokens}`;
}

/** Returns the model's highest effort that is not above a level, or else its lowest. */
function effortFor({ efforts }: Adaptive, level: keyof typeof THINKING_TOKENS): string {
  const levels = Object.keys(THINKING_TOKENS);
  return efforts.findLast((effort) => levels.indexOf(effort) <= levels.indexOf(level)) ?? efforts[0] ?? "low";
}

/** Returns the highest level within a number of tokens. */
function levelFor(tokens: number): keyof typeof THINKING_TOKENS {
  const levels = Object.entries(THINKING_TOKENS) as [keyof typeof THINKING_TOKENS, number][];
  return levels.findLast(([level, least]) => level !== "max" && least <= tokens)?.[0] ?? "low";
}

function displayOf({ spec }: ResolvedModel): { display?: string } {
  const display = spec.provider_opts?.["thinking_display"];
  return typeof display === "string" ? { display } : {};
}

function isInterleaved({ spec }: ResolvedModel): boolean {
  return spec.thinking_budget !== undefined && spec.provider_opts?.["interleaved_thinking"] !== false;
}

/**
 * Returns the sampling settings of a request. A model that thinks accepts only the defaults, newer models accept none,
 * and some accept either `temperature` or `top_p`. See
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking.
 */
export function anthropicSampling({ spec, family }: ResolvedModel, thinks: boolean): SettingPlan {
  const set: readonly (readonly [SamplingSetting, unknown])[] = [
    ["temperature", spec.temperature],
    ["top_p", spec.top_p],
    ["top_k", spec.provider_opts?.["top_k"]],
    ["frequency_penalty", spec.frequency_penalty],
    ["presence_penalty", spec.presence_penalty],
  ];
  const fields: Record<string, unknown> = {};
  const notes: SettingNote[] = [];
  for (const [name, value] of set) {
    if (value === undefined) continue;
    const reason = refusalOf(name, value);
    if (reason === undefined) fields[name] = value;
    else notes.push({ path: name === "top_k" ? ["provider_opts", name] : [name], message: `${reason}: not sent` });
  }
  return { fields, notes };

  function refusalOf(name: SamplingSetting, value: unknown): string | undefined {
    if (name.endsWith("penalty")) return "Anthropic's API has no such setting";
    if (family.refusedSampling.includes(name)) return "the model refuses it";
    if (family.temperatureExcludesTopP && name === "top_p" && "temperature" in fields)
      return "the model refuses it together with temperature";
    const isAllowed = name === "temperature" ? value === 1 : name === "top_p" && Number(value) >= 0.95;
    return thinks && !isAllowed ? "the model refuses it while it thinks" : undefined;
  }
}

/** Returns notes on the settings of a model that are not sent as written. */
export function anthropicNotes(model: ResolvedModel): readonly SettingNote[] {
  const { spec, family } = model;
  const maxTokens = anthropicMaxTokens(model, spec.max_tokens);
  const thinking = anthropicThinking(model, false, maxTokens);
  const isTooMuch = spec.max_tokens !== undefined && spec.max_tokens > maxTokens;
  return [
    ...(isTooMuch
      ? [settingNote("max_tokens", `the model writes at most ${family.maxOutput} tokens: ${maxTokens} is sent`)]
      : []),
    ...thinking.notes,
    ...anthropicSampling(model, thinking.isOn).notes,
  ];
}
