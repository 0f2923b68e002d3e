import { ConfigError } from "../lib/errors.ts";
import { APIS } from "./apis.ts";
import { ModelSettingError, type ResolvedModel, resolveModel } from "./catalog/resolve.ts";
import type { ModelSpec, ProviderSpecs } from "./catalog/spec.ts";
import { optionNotes } from "./settings/provider-options.ts";
import { type SettingNote, settingNote } from "./settings/request-settings.ts";
import { reasoningEffort, ThinkingBudgetError } from "./settings/thinking.ts";

/** Returns notes on the settings of a model that are not sent as written, or with which no call can succeed. */
export function settingNotes(model: ResolvedModel): readonly SettingNote[] {
  const { api, family, spec } = model;
  try {
    if (api === "chat" || api === "responses") reasoningEffort(family, spec.thinking_budget);
    return [...optionNotes(model), ...APIS[api].notes(model)];
  } catch (error) {
    if (!(error instanceof ThinkingBudgetError)) throw error;
    return [{ ...settingNote("thinking_budget", error.message), isFatal: true }];
  }
}

/**
 * Returns the {@link settingNotes} for an entry of an agent file, without its variables and keys. Empty if its provider
 * cannot be used, which other checks report.
 */
export function settingNotesForSpec(spec: ModelSpec, providers: ProviderSpecs): readonly SettingNote[] {
  try {
    return settingNotes(resolveModel(spec, () => undefined, providers));
  } catch (error) {
    if (error instanceof ModelSettingError) return [{ path: error.path, message: error.problem, isFatal: true }];
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

/**
 * Returns the notes on the `provider_opts` of an entry of `providers` that hold for all of its models. Empty if the
 * provider cannot be used, which other checks report.
 */
export function optionNotesForProvider(name: string, providers: ProviderSpecs): readonly SettingNote[] {
  const model = resolvedOrNothing(name, providers);
  if (!model) return [];
  const [first = [], ...others] = (model.row.apis ?? ["chat"]).map((api) => optionNotes({ ...model, api }));
  return first.filter(({ path }) => others.every((notes) => notes.some((note) => note.path[1] === path[1])));
}

function resolvedOrNothing(provider: string, providers: ProviderSpecs): ResolvedModel | undefined {
  try {
    return resolveModel({ provider, model: "any" }, () => undefined, providers);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
