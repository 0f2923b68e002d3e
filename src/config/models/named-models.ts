import { ConfigError } from "../../lib/errors.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { parseModelReference, splitAlloy } from "../../model/catalog/model-reference.ts";
import type { ModelSpec } from "../../model/catalog/spec.ts";
import { type AutoOptions, autoModel } from "./auto-model.ts";
import type { ModelNames } from "./check-models.ts";
import { modelAdvice } from "./model-advice.ts";
import type { ModelConfig } from "./model-schema.ts";

/** A model that a reference names. The defaults of its provider are not yet filled in. */
export interface NamedModel {
  /** The reference: the name of an entry, or `provider/model`. */
  name: string;
  spec: ModelSpec;
  /** The entry of `models`, for settings that clients do not need. Absent for `provider/model` and `auto`. */
  config?: ModelConfig;
}

/** The definitions and the environment against which references are resolved. */
export interface ModelContext extends AutoOptions {
  file: ModelNames;
}

/**
 * Returns the models that a reference names: one, or the members of an alloy, each as often as it is named. Throws a
 * {@link ConfigError} for an undefined name, and for a `first_available` without an available candidate.
 */
export function resolveModel(reference: string, context: ModelContext): NamedModel[] {
  return expand(reference, context, []);
}

/** True if a reference selects one of several models: `auto`, an alloy, or an entry with `first_available`. */
export function selectsModel(reference: string, context: ModelContext): boolean {
  const { models } = context.file;
  const config = Object.hasOwn(models, reference) ? models[reference] : undefined;
  if (config) return config.first_available !== undefined || splitAlloy(config.model ?? "").length > 1;
  return reference === "auto" || splitAlloy(reference).length > 1;
}

function expand(reference: string, context: ModelContext, ancestors: readonly string[]): NamedModel[] {
  const members = splitAlloy(reference);
  if (members.length === 0) throw new ConfigError("model: expected a name from models, provider/model or auto");
  return members.flatMap((member) => expandOne(member, context, ancestors));
}

function expandOne(name: string, context: ModelContext, ancestors: readonly string[]): NamedModel[] {
  const { models } = context.file;
  const config = Object.hasOwn(models, name) ? models[name] : undefined;
  if (!config) return [{ name, spec: inline(name, context) }];
  if (ancestors.includes(name))
    throw new ConfigError(`models.${name}: refers to itself: ${[...ancestors, name].join(" -> ")}`);
  const chain = [...ancestors, name];
  if (config.first_available) return firstAvailable(name, config, context, chain);
  if (config.provider === undefined) return expand(config.model ?? "", context, chain);
  const parallel = config.parallel_tool_calls ?? context.file.providers[config.provider]?.parallel_tool_calls ?? true;
  return [
    {
      name,
      config,
      spec: { ...config, provider: config.provider, model: config.model ?? "", parallel_tool_calls: parallel },
    },
  ];
}

function inline(name: string, context: ModelContext): ModelSpec {
  if (name === "auto") return autoModel(context);
  const reference = parseModelReference(name);
  if (reference) return reference;
  const known = Object.keys(context.file.models);
  const close = nearest(name, known);
  const defined = known.length > 0 ? `write PROVIDER/MODEL, or one of ${known.join(", ")}` : "write PROVIDER/MODEL";
  const cure = close === undefined ? (modelAdvice(name) ?? defined) : `did you mean ${JSON.stringify(close)}?`;
  throw new ConfigError(`no model ${JSON.stringify(name)}; ${cure}`);
}

/** Returns the first candidate that has all its variables, under the name and description of the selecting entry. */
function firstAvailable(
  name: string,
  config: ModelConfig,
  context: ModelContext,
  ancestors: readonly string[],
): NamedModel[] {
  const reasons: string[] = [];
  for (const candidate of config.first_available ?? []) {
    const models = expand(candidate, context, ancestors);
    const missing = [...new Set(models.flatMap(({ spec }) => context.missing(spec)))];
    if (missing.length === 0) {
      const description = config.description === undefined ? {} : { description: config.description };
      return models.map((model) => ({ ...model, name, config: { ...model.config, ...description } }));
    }
    reasons.push(`${candidate} lacks ${missing.join(", ")}`);
  }
  throw new ConfigError(`models.${name}: no model is available: ${reasons.join("; ")}`);
}
