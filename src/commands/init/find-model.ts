import { AUTO_MODELS } from "../../config/models/auto-model.ts";
import { UsageError } from "../../lib/errors.ts";
import type { VariableLookup } from "../../model/catalog/expand-variables.ts";
import { parseModelReference } from "../../model/catalog/model-reference.ts";
import { findProvider } from "../../model/catalog/providers.ts";
import { missingVariables } from "../../model/catalog/resolve.ts";
import type { ProviderSpecs } from "../../model/catalog/spec.ts";
import { findLocalModels, type LocalSearch, type LocalServer } from "../../model/local/find-local-models.ts";

/** The model that a new agent file names, and where it was found. */
export interface FoundModel {
  /** `provider/model`; `auto` if neither a key nor a local model was found. */
  reference: string;
  /** For people, without values of variables: `OPENAI_API_KEY is set`. */
  reason: string;
  /** The variables to set before the model can be used, alternatives in one entry: `A or B`. */
  missing: readonly string[];
  /** Other models that could be named. */
  others: readonly string[];
}

/**
 * Chooses the model of a new agent file: the given one, which may be of a provider in `config.yaml`, else one whose key is set, in the order of `auto`, else a local
 * one. Throws a {@link UsageError} for a given one that is not `provider/model` or has no such provider.
 */
export async function findModel(
  given: string | undefined,
  search: LocalSearch,
  providers: ProviderSpecs,
): Promise<FoundModel> {
  const { lookup } = search;
  if (given !== undefined) return namedModel(given, lookup, providers);
  const keyed = AUTO_MODELS.filter(({ provider }) => setKey(provider, lookup) !== undefined);
  const local = (await findLocalModels(search)).flatMap(referencesOf);
  const [model, ...others] = [...keyed.map(({ provider, model }) => `${provider}/${model}`), ...local];
  if (model === undefined)
    return { reference: "auto", reason: "no key and no local model was found", missing: [], others: [] };
  const key = keyed[0] && setKey(keyed[0].provider, lookup);
  return {
    reference: model,
    reason: key === undefined ? "it answers on this machine" : `${key} is set`,
    missing: [],
    others,
  };
}

function namedModel(reference: string, lookup: VariableLookup, providers: ProviderSpecs): FoundModel {
  const spec = parseModelReference(reference);
  if (!spec) throw new UsageError(`--model takes provider/model, not ${JSON.stringify(reference)}`);
  const missing = missingVariables([spec], lookup, providers); // throws for an unknown provider
  return { reference, reason: "--model", missing, others: [] };
}

/** Returns the name of the variable that holds the key of a provider; undefined if none is set. */
function setKey(provider: string, lookup: VariableLookup): string | undefined {
  return findProvider(provider)?.keys.find((name) => lookup(name));
}

function referencesOf({ provider, models }: LocalServer): string[] {
  return models.map((model) => `${provider}/${model}`);
}
