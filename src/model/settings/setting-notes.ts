import { ConfigError } from "../../lib/errors.ts";
import { APIS } from "../catalog/apis.ts";
import { type ResolvedModel, resolveModel } from "../catalog/resolve.ts";
import type { ModelSpec, ProviderSpecs } from "../catalog/spec.ts";
import type { SettingNote } from "./request-settings.ts";

/** Notes on the settings of a model that are not sent as written. */
export function settingNotes(model: ResolvedModel): readonly SettingNote[] {
  return APIS[model.api].notes(model);
}

/**
 * {@link settingNotes} for an entry of an agent file, before its variables and keys are known. Empty for an entry that
 * cannot be resolved: other checks say why.
 */
export function settingNotesForSpec(spec: ModelSpec, providers: ProviderSpecs): readonly SettingNote[] {
  try {
    return settingNotes(resolveModel(spec, () => undefined, providers));
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}
