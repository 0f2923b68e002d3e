import { ConfigError } from "../../lib/errors.ts";
import { APIS } from "../catalog/apis.ts";
import { type ResolvedModel, resolveModel } from "../catalog/resolve.ts";
import type { ModelSpec, ProviderSpecs } from "../catalog/spec.ts";
import type { SettingNote } from "./request-settings.ts";

/** Returns notes on the settings of a model that are not sent as written. */
export function settingNotes(model: ResolvedModel): readonly SettingNote[] {
  return APIS[model.api].notes(model);
}

/**
 * Returns the {@link settingNotes} for an entry of an agent file, without its variables and keys. Empty if the entry
 * cannot be resolved, which other checks report.
 */
export function settingNotesForSpec(spec: ModelSpec, providers: ProviderSpecs): readonly SettingNote[] {
  try {
    return settingNotes(resolveModel(spec, () => undefined, providers));
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}
